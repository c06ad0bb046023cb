//! Whether a configuration makes sense.

use std::fmt;

use alfil_arena::player::PlayerLine;
use alfil_game::{Encoding, FullGame, Game, read_rules, registry, with_encoding, with_game};
use alfil_selfplay::Starts;

use super::{Config, ConfigError, DecayName, SearchName};

/// Something about a configuration that cannot be, or that is probably not meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// Which key.
    pub key: &'static str,
    /// What is wrong.
    pub why: String,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.key, self.why)
    }
}

impl Config {
    /// What cannot be.
    pub fn errors(&self) -> Vec<Trouble> {
        let mut found = Found(Vec::new());
        match with_encoding!(&self.encoding, E => <E as Encoding>::Game::NAME) {
            Ok(game) if game == self.game => {}
            Ok(game) => {
                found.add("encoding", format!("{} is one of {game}, but the game is {}", self.encoding, self.game))
            }
            Err(error) => found.add("encoding", format!("cannot be: {error}")),
        }
        if !registry::names().contains(&self.game.as_str()) {
            found.add("game", format!("cannot be '{}': the games are {}", self.game, registry::names().join(", ")));
        } else if found.0.is_empty()
            && let Err(error) = self.architecture()
        {
            found.add("network.size", format!("cannot be: {error}"));
        }
        if let Ok(Err(error)) = with_game!(&self.game, G => read_rules::<G>(&self.rules).map(drop)) {
            found.add("rules", format!("cannot be: {error}"));
        }
        self.check_numbers(&mut found);
        for player in &self.rating.players {
            if let Err(error) = player.parse::<PlayerLine>() {
                found.add("rating.players", format!("names '{player}', which is no player: {error}"));
            }
        }
        for device in self.machine.device.split(',').map(str::trim).filter(|device| !is_device(device)) {
            let known = "use cpu, cuda, cuda:N or auto, or several with commas between them";
            found.add("machine.device", format!("cannot be '{device}': {known}"));
        }
        let training = &self.training;
        if training.decay == DecayName::Steps && training.rate_steps.len() != training.rate_factors.len() {
            found.add("training.rate_factors", "must be as many as training.rate_steps".to_owned());
        }
        if training.decay == DecayName::Cosine && training.decay_steps == 0 {
            found.add("training.decay_steps", "must be more than 0 for a cosine".to_owned());
        }
        if self.selfplay.starts_share > 0.0 && self.selfplay.starts_file.is_empty() {
            found
                .add("selfplay.starts_file", "must name a file, since selfplay.starts_share is more than 0".to_owned());
        }
        if self.selfplay.starts_share + self.selfplay.endings_share > 1.0 {
            found.add("selfplay.endings_share", "and selfplay.starts_share are more than 1 together".to_owned());
        }
        found.number("gate.elo0", self.gate.elo0, -1000.0, 1000.0);
        found.number("gate.elo1", self.gate.elo1, -1000.0, 1000.0);
        if self.gate.elo0 >= self.gate.elo1 {
            found.add("gate.elo1", "must be more than gate.elo0".to_owned());
        }
        found.0
    }

    fn check_numbers(&self, found: &mut Found) {
        let Config { network, machine, selfplay, window, training, gate, rating, .. } = self;
        found.whole("network.value_filters", network.value_filters as u64, 1, 512);
        found.whole("network.value_units", network.value_units as u64, 1, 4096);
        found.whole("machine.lanes", machine.lanes as u64, 0, 1024);
        found.whole("machine.replicas", machine.replicas as u64, 0, 1024);
        found.whole("machine.cache", machine.cache as u64, 0, 1 << 20);
        found.whole("selfplay.games", selfplay.games, 1, 100_000_000);
        found.whole("selfplay.at_once", selfplay.at_once as u64, 1, 65_536);
        found.whole("selfplay.visits", selfplay.visits.into(), 2, 1_000_000);
        found.whole("selfplay.considered", selfplay.considered.into(), 2, 512);
        found.whole("selfplay.cheap_visits", selfplay.cheap_visits.into(), 2, 1_000_000);
        found.whole("selfplay.resign_moves", selfplay.resign_moves.into(), 1, 1000);
        found.whole("selfplay.random_plies", selfplay.random_plies.into(), 0, 1000);
        for (key, share) in [
            ("selfplay.noise_share", selfplay.noise_share),
            ("selfplay.cheap_share", selfplay.cheap_share),
            ("selfplay.resign_play_through", selfplay.resign_play_through),
            ("selfplay.starts_share", selfplay.starts_share),
            ("selfplay.endings_share", selfplay.endings_share),
            ("selfplay.surprise", selfplay.surprise),
        ] {
            found.number(key, share, 0.0, 1.0);
        }
        found.number("selfplay.gumbel_scale", selfplay.gumbel_scale, 0.001, 100.0);
        found.number("selfplay.noise_alpha", selfplay.noise_alpha, 0.001, 1000.0);
        found.number("selfplay.forced", selfplay.forced, 0.0, 100.0);
        found.number("selfplay.temperature", selfplay.temperature, 0.0, 10.0);
        found.number("selfplay.last_temperature", selfplay.last_temperature, 0.0, 10.0);
        found.number("selfplay.temperature_half_life", selfplay.temperature_half_life, 0.0, 1e6);
        found.number("selfplay.resign_below", selfplay.resign_below, -1.0, 0.0);
        found.number("selfplay.adjudicate_material", selfplay.adjudicate_material.into(), 0.0, 1e6);
        found.whole("window.first", window.first, 1, u64::MAX);
        found.number("window.exponent", window.exponent, 0.0, 1.0);
        found.number("window.growth", window.growth, 0.0, 1.0);
        found.whole("window.most", window.most, 1, u64::MAX);
        found.number("window.held_out", window.held_out, 0.0, 0.5);
        found.whole("training.batch", training.batch as u64, 2, 65_536);
        found.number("training.reuse", training.reuse, 0.001, 1000.0);
        found.number("training.first_reuse", training.first_reuse, 0.0, 1000.0);
        found.number("training.momentum", training.momentum, 0.0, 0.9999);
        found.number("training.beta1", training.beta1, 0.0, 0.9999);
        found.number("training.beta2", training.beta2, 0.0, 0.999_999);
        found.number("training.weight_decay", training.weight_decay, 0.0, 10.0);
        found.number("training.rate", training.rate, 1e-9, 100.0);
        found.number("training.last_rate", training.last_rate, 0.0, 1.0);
        for factor in &training.rate_factors {
            found.number("training.rate_factors", *factor, 0.0, 1000.0);
        }
        found.number("training.clip", training.clip, 0.0, 1e9);
        found.number("training.average", training.average, 0.0, 0.999_999);
        found.whole("training.statistics_batches", training.statistics_batches as u64, 0, 10_000);
        found.whole("training.checkpoint_steps", training.checkpoint_steps, 1, u64::MAX);
        for (key, weight) in [
            ("training.policy_weight", training.policy_weight),
            ("training.value_weight", training.value_weight),
            ("training.moves_left_weight", training.moves_left_weight),
        ] {
            found.number(key, weight, 0.0, 1000.0);
        }
        found.number("training.search_value", training.search_value, 0.0, 1.0);
        found.whole("gate.games", gate.games, 2, 1_000_000);
        found.whole("gate.visits", gate.visits.into(), 1, 1_000_000);
        found.number("gate.score", gate.score, 0.0, 1.0);
        found.number("gate.error", gate.error, 1e-6, 0.4);
        found.whole("rating.games", rating.games, 2, 1_000_000);
        found.whole("rating.visits", rating.visits.into(), 1, 1_000_000);
        found.whole("rating.earlier", rating.earlier as u64, 0, 1_000);
        found.whole("rating.positions", rating.positions as u64, 0, 100_000);
    }

    /// What cannot be with the game.
    pub(crate) fn check_game<G: FullGame>(&self, rules: &G::Rules) -> Result<(), ConfigError> {
        let mut found = Found(Vec::new());
        if self.selfplay.endings_share > 0.0 && !Starts::has_endings::<G>(rules) {
            found.add("selfplay.endings_share", format!("must be 0: {} has no random endings", G::NAME));
        }
        if self.selfplay.adjudicate_oracle && G::oracle().is_none() {
            found.add("selfplay.adjudicate_oracle", format!("must be false: {} has no exact solver", G::NAME));
        }
        if found.0.is_empty() { Ok(()) } else { Err(ConfigError::Troubles(found.0)) }
    }

    /// What can be but is probably not meant.
    pub fn warnings(&self) -> Vec<Trouble> {
        let mut found = Found(Vec::new());
        let Config { selfplay, training, window, rating, .. } = self;
        if selfplay.search == SearchName::Puct && selfplay.noise_share == 0.0 && selfplay.temperature == 0.0 {
            found.add("selfplay.noise_share", "is 0 with no temperature: all games will be the same".to_owned());
        }
        if selfplay.search == SearchName::Gumbel && selfplay.considered > selfplay.visits {
            found.add("selfplay.considered", format!("is more than the {} visits", selfplay.visits));
        }
        if training.steps == 0 && training.reuse > 16.0 {
            found.add("training.reuse", "is high: the network may learn the games by heart".to_owned());
        }
        if window.held_out == 0.0 {
            found
                .add("window.held_out", "is 0: nothing will show whether the network learns games by heart".to_owned());
        }
        if rating.every > 0 && rating.players.is_empty() {
            found.add("rating.players", "is empty: networks are compared with each other only".to_owned());
        }
        found.0
    }
}

/// Whether a device can have this name. Whether it is there shows when it is used.
fn is_device(name: &str) -> bool {
    let number = name.strip_prefix("cuda:").map(str::parse::<usize>);
    ["cpu", "cuda", "auto"].contains(&name) || matches!(number, Some(Ok(_)))
}

struct Found(Vec<Trouble>);

impl Found {
    fn add(&mut self, key: &'static str, why: String) {
        self.0.push(Trouble { key, why });
    }

    fn whole(&mut self, key: &'static str, number: u64, least: u64, most: u64) {
        if !(least..=most).contains(&number) {
            self.add(
                key,
                if most == u64::MAX {
                    format!("must be at least {least}")
                } else {
                    format!("must be from {least} to {most}")
                },
            );
        }
    }

    fn number(&mut self, key: &'static str, number: f64, least: f64, most: f64) {
        if !(least..=most).contains(&number) {
            self.add(key, format!("must be from {least} to {most}"));
        }
    }
}
