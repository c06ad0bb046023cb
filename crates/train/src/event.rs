//! What a run reports while it is working.

use std::path::Path;

use alfil_arena::contest::MatchReport;
use alfil_nn::Size;
use alfil_nn::learning::Losses;
use alfil_selfplay::Counts;
use alfil_selfplay::replay::Damage;

use crate::run::{Metrics, Phase};

/// What a run reports while it is working.
pub enum Event<'a> {
    /// A new run begins with a network instead of random weights.
    Start {
        /// Which network.
        network: &'a str,
        /// The heads that it lacks, or has in another shape: they begin with random weights.
        new_heads: &'a [&'static str],
    },
    /// A network of another size begins to learn. It plays as soon as it passes the gate.
    Grow {
        /// The size of the one that learnt before.
        from: Size,
        /// Its own.
        to: Size,
    },
    /// A phase begins, or continues after an interruption.
    Phase {
        /// The generation.
        generation: u32,
        /// The phase.
        phase: Phase,
    },
    /// Progress of self-play.
    Games {
        /// Finished games of the generation.
        games: u64,
        /// How many there will be in all.
        of: u64,
        /// Work done since this process began the phase.
        counts: &'a Counts,
        /// The duration of that work.
        seconds: f64,
    },
    /// A step of training.
    Step {
        /// Steps of the generation.
        step: u64,
        /// How many there will be in all.
        of: u64,
        /// The losses of the step.
        losses: &'a Losses,
        /// Positions of a step.
        batch: usize,
    },
    /// A pair of games of the gate.
    Gate {
        /// The match so far.
        report: &'a MatchReport,
        /// Games at most.
        of: u64,
    },
    /// A pair of rating games.
    Rating {
        /// Games played so far that count towards the rating.
        games: u64,
        /// How many there will be in all.
        of: u64,
    },
    /// The exact solver solves positions, or the network's moves in them are marked.
    Exam {
        /// Positions finished.
        positions: u64,
        /// How many there will be in all.
        of: u64,
    },
    /// A player of the rating pool is left out, because the program of its engine is not installed.
    MissingPlayer {
        /// Its name.
        player: &'a str,
        /// What was looked for.
        why: String,
    },
    /// A damaged file of games was set aside.
    Damaged(&'a Damage),
    /// A file of a match or of rating games could not be used and was set aside: its games are played again.
    SetAside {
        /// What it is called now.
        path: &'a Path,
        /// What is wrong with it.
        why: String,
    },
    /// A damaged checkpoint was set aside: the one before it is used.
    DamagedCheckpoint {
        /// What it is called now.
        path: &'a Path,
    },
    /// Training resumes from an older checkpoint than it should. The next training takes the lost steps again.
    LostSteps {
        /// Steps of the checkpoint.
        steps: u64,
        /// Steps that were taken after it.
        lost: u64,
    },
    /// Something that the run goes on without, in a sentence.
    Warning(&'a str),
    /// A generation is finished.
    Generation(&'a Metrics),
}
