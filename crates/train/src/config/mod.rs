//! What a run is told.
//!
//! `defaults.toml` is the one list of keys: their meanings, their defaults, and their order. A configuration file names those
//! that differ. A key that is not in the list is an error that names the nearest one.

mod check;
mod convert;
mod explain;
mod fixed;
mod read;

pub use check::Trouble;
pub use explain::{explain, render};
pub use read::ConfigError;

use serde::{Deserialize, Serialize};

/// All that a run is told. The keys are explained in `defaults.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Config {
    pub game: String,
    pub rules: String,
    pub encoding: String,
    pub seed: u64,
    pub generations: u32,
    pub network: NetworkSection,
    pub machine: MachineSection,
    pub selfplay: SelfplaySection,
    pub window: WindowSection,
    pub training: TrainingSection,
    pub gate: GateSection,
    pub rating: RatingSection,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct NetworkSection {
    pub size: String,
    pub activation: ActivationName,
    pub policy: PolicyName,
    pub value: ValueName,
    pub value_filters: usize,
    pub value_units: usize,
    pub moves_left: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum ActivationName {
    Relu,
    Mish,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum PolicyName {
    Convolution,
    Dense,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum ValueName {
    Wdl,
    Tanh,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct MachineSection {
    pub device: String,
    pub mode: Mode,
    pub lanes: usize,
    pub replicas: usize,
    pub cache: usize,
}

/// What happens at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Overlap where games are played on CUDA, else alternate.
    Auto,
    /// Games, then training, then the gate.
    Alternate,
    /// Games go on while the network is trained and tried.
    Overlap,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct SelfplaySection {
    pub games: u64,
    pub at_once: usize,
    pub search: SearchName,
    pub visits: u32,
    pub considered: u32,
    pub gumbel_scale: f64,
    pub noise_share: f64,
    pub noise_alpha: f64,
    pub forced: f64,
    pub cheap_share: f64,
    pub cheap_visits: u32,
    pub temperature: f64,
    pub temperature_plies: u32,
    pub last_temperature: f64,
    pub temperature_half_life: f64,
    pub resign_below: f64,
    pub resign_moves: u32,
    pub resign_play_through: f64,
    pub random_plies: u32,
    pub starts_share: f64,
    pub starts_file: String,
    pub endings_share: f64,
    pub adjudicate_material: i32,
    pub adjudicate_plies: u32,
    pub adjudicate_oracle: bool,
    pub adjudicate_syzygy: String,
    pub surprise: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum SearchName {
    Gumbel,
    Puct,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct WindowSection {
    pub first: u64,
    pub exponent: f64,
    pub growth: f64,
    pub most: u64,
    pub held_out: f64,
    pub symmetries: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct TrainingSection {
    pub batch: usize,
    pub steps: u64,
    pub reuse: f64,
    pub first_reuse: f64,
    pub optimizer: OptimizerName,
    pub momentum: f64,
    pub beta1: f64,
    pub beta2: f64,
    pub weight_decay: f64,
    pub rate: f64,
    pub warm_up: u64,
    pub decay: DecayName,
    pub decay_steps: u64,
    pub last_rate: f64,
    pub rate_steps: Vec<u64>,
    pub rate_factors: Vec<f64>,
    pub clip: f64,
    pub policy_weight: f64,
    pub value_weight: f64,
    pub moves_left_weight: f64,
    pub search_value: f64,
    pub average: f64,
    pub statistics_batches: usize,
    pub mixed_precision: bool,
    pub checkpoint_steps: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum OptimizerName {
    Sgd,
    AdamW,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum DecayName {
    Constant,
    Cosine,
    Steps,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct GateSection {
    pub kind: GateKind,
    pub games: u64,
    pub visits: u32,
    pub score: f64,
    pub elo0: f64,
    pub elo1: f64,
    pub error: f64,
}

/// What a candidate has to do to be promoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GateKind {
    /// Nothing, as in AlphaZero.
    None,
    /// A share of the points, as in AlphaGo Zero.
    Score,
    /// Pass a sequential test.
    Sprt,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct RatingSection {
    pub every: u32,
    pub games: u64,
    pub visits: u32,
    pub players: Vec<String>,
    pub earlier: usize,
    pub positions: usize,
}
