//! From keys to the settings of those who do the work.

use std::path::Path;

use alfil_game::{Encoding, FullGame, Game, read_rules, with_encoding};
use alfil_nn::learning::{Decay, LearningSettings, LossWeights, Optimizer, Schedule, Stage};
use alfil_nn::{Activation, Architecture, ArchitectureError, HeadShape, PolicyShape, Size, ValueOutput, ValueShape};
use alfil_search::selection::{Gumbel, Puct};
use alfil_selfplay::replay::WindowSettings;
use alfil_selfplay::{Adjudication, Cheap, Material, Resign, SearchKind, Settings, Starts, StartsError, Temperature};

use super::{
    ActivationName, Config, ConfigError, DecayName, OptimizerName, PolicyName, SearchName, Trouble, ValueName,
};

/// Channels of a dense policy head: as many as AlphaGo Zero's had.
const DENSE_POLICY_FILTERS: usize = 2;

/// The moves-left head, where there is one.
const MOVES_LEFT: HeadShape = HeadShape { filters: 8, hidden: 64 };

impl Config {
    /// The shape of the network.
    pub fn architecture(&self) -> Result<Architecture, ArchitectureError> {
        let network = &self.network;
        let size: Size = network.size.parse()?;
        let unknown = |_| ArchitectureError::TooLarge(self.encoding.clone());
        let (usual, outputs) =
            with_encoding!(&self.encoding, E => (Architecture::new::<E>(size), E::POLICY_SIZE)).map_err(unknown)?;
        let architecture = Architecture {
            activation: match network.activation {
                ActivationName::Relu => Activation::Relu,
                ActivationName::Mish => Activation::Mish,
            },
            policy: match network.policy {
                PolicyName::Convolution => usual.policy.clone(),
                PolicyName::Dense => PolicyShape::Dense { filters: DENSE_POLICY_FILTERS, outputs },
            },
            value: ValueShape {
                output: match network.value {
                    ValueName::Wdl => ValueOutput::Wdl,
                    ValueName::Tanh => ValueOutput::Tanh,
                },
                head: HeadShape { filters: network.value_filters, hidden: network.value_units },
            },
            moves_left: network.moves_left.then_some(MOVES_LEFT),
            ..usual
        };
        architecture.check()?;
        Ok(architecture)
    }

    /// How the network is taught.
    pub fn learning(&self) -> LearningSettings {
        let training = &self.training;
        let stage = |(&from, &factor): (&u64, &f64)| Stage { from, factor };
        let stages = training.rate_steps.iter().zip(&training.rate_factors).map(stage);
        LearningSettings {
            optimizer: match training.optimizer {
                OptimizerName::Sgd => {
                    Optimizer::Sgd { momentum: training.momentum, weight_decay: training.weight_decay }
                }
                OptimizerName::AdamW => Optimizer::AdamW {
                    beta1: training.beta1,
                    beta2: training.beta2,
                    weight_decay: training.weight_decay,
                },
            },
            schedule: Schedule {
                rate: training.rate,
                warm_up: training.warm_up,
                decay: match training.decay {
                    DecayName::Constant => Decay::Constant,
                    DecayName::Cosine => Decay::Cosine { steps: training.decay_steps, last: training.last_rate },
                    DecayName::Steps => Decay::Steps { stages: stages.collect() },
                },
            },
            clip: training.clip,
            weights: LossWeights {
                policy: training.policy_weight,
                value: training.value_weight,
                moves_left: training.moves_left_weight,
            },
            average: training.average,
            mixed_precision: training.mixed_precision,
        }
    }

    /// What is learnt from.
    pub fn window_settings(&self) -> WindowSettings {
        let window = &self.window;
        WindowSettings { first: window.first, exponent: window.exponent, growth: window.growth, most: window.most }
    }

    /// Steps in which a generation's new positions are learnt from, when so many have been played in all.
    pub(crate) fn steps(&self, positions: u64, played: u64) -> u64 {
        let training = &self.training;
        let few = played < self.window.first;
        let reuse = if few && training.first_reuse > 0.0 { training.first_reuse } else { training.reuse };
        let learnt_from = positions as f64 * (1.0 - self.window.held_out);
        let most = if training.steps == 0 { u64::MAX } else { training.steps };
        ((learnt_from * reuse / training.batch as f64).round() as u64).clamp(1, most)
    }

    /// The rules that games are played by.
    pub fn game_rules<G: Game>(&self) -> Result<G::Rules, ConfigError> {
        read_rules::<G>(&self.rules)
            .map_err(|error| ConfigError::Troubles(vec![Trouble { key: "rules", why: format!("cannot be: {error}") }]))
    }

    /// How games are played. Reads the file of positions to begin from, if there is one.
    pub fn selfplay_settings<G: FullGame>(&self, rules: &G::Rules) -> Result<Settings, StartsError> {
        let play = &self.selfplay;
        let listed = match play.starts_share {
            share if share > 0.0 => Starts::read::<G>(Path::new(&play.starts_file), rules)?,
            _ => Vec::new(),
        };
        Ok(Settings {
            games: play.at_once,
            starts: Starts {
                listed,
                listed_share: play.starts_share as f32,
                endings_share: play.endings_share as f32,
                random_plies: play.random_plies,
            },
            search: match play.search {
                SearchName::Gumbel => SearchKind::Gumbel {
                    simulations: play.visits,
                    considered: play.considered,
                    rule: Gumbel { c_scale: play.gumbel_scale as f32, ..Gumbel::default() },
                },
                SearchName::Puct => SearchKind::Puct {
                    visits: play.visits,
                    rule: Puct::SELF_PLAY,
                    noise_alpha: play.noise_alpha as f32,
                    noise_share: play.noise_share as f32,
                    forced: play.forced as f32,
                },
            },
            cheap: (play.cheap_share > 0.0)
                .then_some(Cheap { share: play.cheap_share as f32, visits: play.cheap_visits }),
            temperature: Temperature {
                first: play.temperature as f32,
                plies: play.temperature_plies,
                last: play.last_temperature as f32,
                half_life: play.temperature_half_life as f32,
            },
            resign: (play.resign_below > -1.0).then_some(Resign {
                below: play.resign_below as f32,
                moves: play.resign_moves,
                play_through: play.resign_play_through as f32,
            }),
            adjudication: Adjudication {
                material: (play.adjudicate_material > 0)
                    .then_some(Material { above: play.adjudicate_material, plies: play.adjudicate_plies }),
                oracle: play.adjudicate_oracle,
            },
            surprise: play.surprise as f32,
            tree_bytes: Settings::room_for(play.visits),
        })
    }
}
