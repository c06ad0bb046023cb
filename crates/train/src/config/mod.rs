//! The configuration of a run.
//!
//! Settings are declared in the files of their concepts, with [`alfil_core::settings!`]; this is the one list of the
//! sections that they make up. A configuration file names the keys that differ from their defaults. An undeclared key
//! is an error that names the nearest declared one.

mod check;
mod fixed;
mod read;
mod stages;

pub use read::ConfigError;
pub use stages::{Border, Stage, Stages};

use alfil_core::settings;
use alfil_core::wording::distance;
use alfil_game::{Game, read_rules, with_encoding};
use alfil_nn::{Architecture, ArchitectureError, NetworkSettings};
use alfil_selfplay::SelfplaySettings;
use alfil_selfplay::probe::ProbeSettings;
use alfil_selfplay::replay::{Sampling, WindowSettings};

use crate::fleet::FleetSettings;
use crate::machine::MachineSettings;
use crate::phase::{FolderSettings, GateSettings, RatingSettings, TrainingSettings};

settings! {
    /// All settings of a run.
    pub struct Config {
        /// The game to learn: see alfil game list.
        pub game: String = "connect4".to_owned(), fixed = true;
        /// Options of its rules, as KEY=VALUE with commas between them; empty for the usual rules.
        pub rules: String = String::new(), fixed = true;
        /// How positions are encoded for the network: see alfil game list.
        pub encoding: String = "connect4/stones".to_owned(), fixed = true;
        /// The seed of all random numbers. The same seed gives the same run with the device cpu, the mode alternate and
        /// the same number of machine.replicas (0 depends on the machine). The number of lanes makes no difference,
        /// unless there is a cache.
        pub seed: u64 = 1, fixed = true;
        /// The run is complete after this many generations; 0 continues until it is stopped.
        pub generations: u32 = 0;
        /// Write what is measured as an event file as well, which TensorBoard opens in the folder of the run.
        pub tensorboard: bool = false;
        /// The shape of the network.
        pub network: NetworkSettings, key "network";
        /// The devices and threads that it computes with.
        pub machine: MachineSettings, key "machine";
        /// How self-play games are played.
        pub selfplay: SelfplaySettings, key "selfplay";
        /// Games of others that are learnt from.
        pub games: FolderSettings, key "games";
        /// The positions that are learnt from.
        pub window: WindowSection, key "window";
        /// How much is learnt, and how.
        pub training: TrainingSettings, key "training";
        /// What is measured about every network.
        pub probe: ProbeSettings, key "probe";
        /// The match that a candidate has to pass.
        pub gate: GateSettings, key "gate";
        /// How the strength of networks is measured.
        pub rating: RatingSettings, key "rating";
        /// How other machines play for the run.
        pub fleet: FleetSettings, key "fleet";
        /// What changes as the run goes on.
        pub stages: Stages;
    }
    check Config::check;
}

settings! {
    /// The positions that are learnt from.
    #[derive(Copy)]
    pub struct WindowSection {
        /// The newest games.
        pub size: WindowSettings;
        /// Which of their positions, and whether they are mirrored or rotated.
        pub sampling: Sampling;
    }
}

impl Config {
    /// The shape of the network.
    pub fn architecture(&self) -> Result<Architecture, ArchitectureError> {
        let unknown = |_| ArchitectureError::TooLarge(self.encoding.clone());
        with_encoding!(&self.encoding, E => self.network.architecture::<E>()).map_err(unknown)?
    }

    /// The rules of the game.
    pub fn game_rules<G: Game>(&self) -> Result<G::Rules, ConfigError> {
        read_rules::<G>(&self.rules).map_err(|error| ConfigError::trouble("rules", format!("cannot be: {error}")))
    }
}

/// The meaning and the default of a key, or of all keys of a section, or how stages are written. None if there is no such
/// key.
pub fn explain(key: &str) -> Option<String> {
    if key == stages::STAGE { Some(stages::EXPLANATION.to_owned()) } else { settings::explain::<Config>(key) }
}

/// A configuration as a file with every key and its meaning, and its stages.
pub fn render(config: &Config) -> String {
    settings::render(config) + &config.stages.render()
}

/// What `explain` knows with the spelling nearest to this one, if one is near.
pub fn nearest(key: &str) -> Option<String> {
    let is_stage = key.len() < 8 && distance(key, stages::STAGE) <= 1;
    if is_stage { Some(stages::STAGE.to_owned()) } else { settings::nearest::<Config>(key) }
}
