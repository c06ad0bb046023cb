//! What a run tells while it goes on.

use std::path::Path;

use alfil_arena::contest::Report;
use alfil_nn::learning::Losses;
use alfil_selfplay::Counts;
use alfil_selfplay::replay::Damage;

use crate::run::{Metrics, Phase};

/// What a run tells while it goes on.
pub enum Event<'a> {
    /// Something begins, or goes on after an interruption.
    Phase {
        /// The generation.
        generation: u32,
        /// What is done for it.
        phase: Phase,
    },
    /// Games are played.
    Games {
        /// Finished games of the generation.
        games: u64,
        /// How many there will be.
        of: u64,
        /// What has been done since the program began with it.
        counts: &'a Counts,
        /// For how long.
        seconds: f64,
    },
    /// A step of training.
    Step {
        /// Steps of the generation.
        step: u64,
        /// How many there will be.
        of: u64,
        /// The losses of the step.
        losses: &'a Losses,
        /// Positions of a step.
        batch: usize,
    },
    /// A pair of games of the gate.
    Gate {
        /// The match so far.
        report: &'a Report,
        /// Games at most.
        of: u64,
    },
    /// A pair of rating games.
    Rating {
        /// Games that count.
        games: u64,
        /// How many there will be.
        of: u64,
    },
    /// The exact solver judges positions, or the network's moves in them.
    Exam {
        /// Positions done.
        positions: u64,
        /// How many there will be.
        of: u64,
    },
    /// A damaged file of games was set aside.
    Damaged(&'a Damage),
    /// A checkpoint could not be read. In the middle of training an older one is used, elsewhere there is none.
    BadCheckpoint {
        /// Its file.
        path: &'a Path,
        /// What is wrong.
        why: String,
    },
    /// A generation is finished.
    Generation(&'a Metrics),
}
