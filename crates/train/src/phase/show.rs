//! Writes some games for people to look at.

use alfil_game::pgn::PgnGame;
use alfil_game::{Encoding, Game, Notation};
use alfil_selfplay::GameRecord;

use super::{Run, Tell};
use crate::Event;
use crate::run::RunError;

/// Games written per generation.
const SHOWN: usize = 8;

impl<E: Encoding> Run<E> {
    /// Writes a few of the games as PGN. A run goes on if that fails.
    pub(super) fn show(&self, records: &[GameRecord], tell: &mut Tell<'_>) {
        if let Err(why) = self.write_some(records) {
            tell(Event::Warning(&format!("games of this generation cannot be looked at: {why}")));
        }
    }

    fn write_some(&self, records: &[GameRecord]) -> Result<(), RunError> {
        let path = self.directory.shown_games(self.state.generation);
        let failed = |why| RunError::io("write", &path, why);
        let mut text = Vec::new();
        for record in records.iter().take(SHOWN) {
            let player = format!("generation {}", self.state.champion);
            let tags = [
                ("Event", format!("{} self-play, generation {}", E::Game::NAME, self.state.generation)),
                ("Round", (record.number + 1).to_string()),
                ("White", player.clone()),
                ("Black", player),
            ];
            // Leave out records that are not games of these rules.
            let Some(mut game) = pgn::<E::Game>(record, &self.rules) else { continue };
            game.tags = tags.map(|(name, value)| (name.to_owned(), value)).to_vec();
            game.write(&mut text).map_err(failed)?;
        }
        alfil_core::disk::write_whole(&path, &text).map_err(failed)
    }
}

fn pgn<G: Notation>(record: &GameRecord, rules: &G::Rules) -> Option<PgnGame<G>> {
    let mut game = PgnGame::new(record.begin(rules)?);
    record.replay::<G>(rules, |_, moves, ply| game.moves.extend(moves.iter().find(|&&m| m.into() == ply.code)))?;
    game.result = Some(record.score());
    Some(game)
}
