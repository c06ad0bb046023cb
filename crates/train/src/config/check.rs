//! Checks of a configuration that depend on the game. The sections check themselves.

use alfil_core::settings::{Finding, Findings, Settings};
use alfil_game::{Encoding, FullGame, Game, read_rules, registry, with_encoding, with_game};

use super::{Config, ConfigError};

impl Config {
    /// Values that are allowed but probably not intended.
    pub fn warnings(&self) -> Vec<Finding> {
        let mut found = Findings::default();
        Settings::check(self, &mut found);
        found.warnings
    }

    pub(super) fn check(&self, found: &mut Findings) {
        let before = found.errors.len();
        match with_encoding!(&self.encoding, E => <E as Encoding>::Game::NAME) {
            Ok(game) if game == self.game => {}
            Ok(game) => found.error(
                "encoding",
                format!("{} is an encoding of {game}, but the game is {}", self.encoding, self.game),
            ),
            Err(error) => found.error("encoding", format!("cannot be: {error}")),
        }
        if !registry::names().contains(&self.game.as_str()) {
            found.error("game", format!("cannot be '{}': the games are {}", self.game, registry::names().join(", ")));
        } else if found.errors.len() == before
            && let Err(error) = self.architecture()
        {
            found.error("network.size", format!("cannot be: {error}"));
        }
        if let Ok(Err(error)) = with_game!(&self.game, G => read_rules::<G>(&self.rules).map(drop)) {
            found.error("rules", format!("cannot be: {error}"));
        }
        self.check_stages(found);
    }

    /// Refuses settings that do not fit the game.
    pub(crate) fn check_game<G: FullGame>(&self, rules: &G::Rules) -> Result<(), ConfigError> {
        let mut found = Findings::default();
        found.within("selfplay", |found| self.selfplay.check_game::<G>(rules, found));
        if found.errors.is_empty() { Ok(()) } else { Err(ConfigError::Invalid(found.errors)) }
    }
}
