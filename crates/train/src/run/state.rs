//! The progress of a run.

use serde::{Deserialize, Serialize};

use super::{Metrics, RunDirectory, RunError};

const VERSION: u32 = 1;

/// The progress of a run. It is written when a piece of work is finished, after its results: whatever was begun and is
/// not in it is done again, with the same result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    version: u32,
    /// The generation under way, from 1.
    pub generation: u32,
    /// Its phase.
    pub phase: Phase,
    /// The generation whose network plays: 0 is the untrained one.
    pub champion: u32,
    /// All promoted networks, oldest first.
    pub promoted: Vec<u32>,
    /// Games with numbers below this are in the window.
    pub games: u64,
    /// Whether the games in the folder for self-play were played in overlap mode.
    pub overlap: bool,
    /// Training steps before this generation.
    pub steps: u64,
    /// Training steps at the end of this generation, as soon as that is known.
    pub target: u64,
    /// Seconds of work so far, without pauses.
    pub seconds: f64,
    /// What has been measured in this generation so far.
    pub pending: Metrics,
}

/// What is done for a generation, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Self-play games are played.
    Selfplay,
    /// The network learns from them.
    Learn,
    /// The candidate plays a match against the last promoted network.
    Gate,
    /// The promoted network is rated.
    Rate,
}

impl State {
    /// The beginning of a run.
    pub fn new() -> State {
        State {
            version: VERSION,
            generation: 1,
            phase: Phase::Selfplay,
            champion: 0,
            promoted: vec![0],
            games: 0,
            overlap: false,
            steps: 0,
            target: 0,
            seconds: 0.0,
            pending: Metrics::default(),
        }
    }

    /// Reads the state of a run.
    pub fn load(directory: &RunDirectory) -> Result<State, RunError> {
        let path = directory.state();
        let text = std::fs::read_to_string(&path).map_err(|why| RunError::io("read", &path, why))?;
        let damaged = |why: String| RunError::Damaged { path: path.clone(), why };
        let state: State = serde_json::from_str(&text).map_err(|why| damaged(why.to_string()))?;
        if state.version != VERSION {
            return Err(damaged(format!("it has version {}, and this program knows {VERSION}", state.version)));
        }
        Ok(state)
    }

    /// Writes the state of a run.
    pub fn save(&self, directory: &RunDirectory) -> Result<(), RunError> {
        let path = directory.state();
        let text = serde_json::to_string_pretty(self).map_err(|why| RunError::io("write", &path, why.into()))?;
        alfil_core::disk::write_whole(&path, text.as_bytes()).map_err(|why| RunError::io("write", &path, why))
    }
}

impl Default for State {
    fn default() -> State {
        State::new()
    }
}
