//! A run that is at work tells what it is doing, over a socket in its folder.
//!
//! Whoever connects gets a [`Snapshot`] as a line of JSON, at once and whenever something has changed, and may send the line
//! `stop`, which does what ctrl-C does. Only the user whose process it is can connect.

#[cfg(not(unix))]
mod nowhere;
#[cfg(unix)]
mod socket;

use alfil_selfplay::WatchedGame;
use serde::{Deserialize, Serialize};

use crate::fleet::WorkerNow;
use crate::run::Phase;

#[cfg(not(unix))]
pub use nowhere::LiveRun;
#[cfg(unix)]
pub use socket::LiveRun;

/// The version of what is told.
const VERSION: u32 = 1;

/// What stops the run.
pub const STOP: &str = "stop\n";

/// What a run is doing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    version: u32,
    /// The generation under way.
    pub generation: u32,
    /// Its phase.
    pub phase: Phase,
    /// What the phase counts.
    pub unit: String,
    /// How many of them are done.
    pub done: u64,
    /// How many there will be in all; 0 if nothing is counted yet.
    pub of: u64,
    /// How many per second, once that is known.
    pub per_second: Option<f64>,
    /// Seconds until the phase ends, once that is known.
    pub left: Option<f64>,
    /// Other figures of the phase, by name.
    pub figures: Vec<(String, f64)>,
    /// Games of self-play under way.
    pub games: Vec<WatchedGame>,
    /// Other machines that play for the run, those that have done most first.
    #[serde(default)]
    pub workers: Vec<WorkerNow>,
}

impl Snapshot {
    fn new(generation: u32, phase: Phase) -> Snapshot {
        Snapshot {
            version: VERSION,
            generation,
            phase,
            unit: String::new(),
            done: 0,
            of: 0,
            per_second: None,
            left: None,
            figures: Vec::new(),
            games: Vec::new(),
            workers: Vec::new(),
        }
    }

    /// Reads a line. None if it is not one, or one of another version.
    pub fn read(line: &str) -> Option<Snapshot> {
        serde_json::from_str(line).ok().filter(|snapshot: &Snapshot| snapshot.version == VERSION)
    }
}
