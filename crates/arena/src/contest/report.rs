//! What a match has found.

use super::Fault;
use crate::stats::{Pairs, Sprt, SprtState};

/// The state of a match, from A's side.
#[derive(Clone, Debug)]
pub struct Report {
    /// A's name.
    pub a: String,
    /// B's name.
    pub b: String,
    /// The game's name.
    pub game: &'static str,
    /// Games that A won.
    pub wins: u64,
    /// Games that nobody won.
    pub draws: u64,
    /// Games that A lost.
    pub losses: u64,
    /// The pairs by A's points.
    pub pairs: Pairs,
    /// The sequential test, if there is one, and where it stands.
    pub sprt: Option<(Sprt, SprtState)>,
    /// Games lost by crashing, stalling or an illegal move, with their numbers from 1.
    pub faults: Vec<(u64, Fault)>,
    /// Games that the journal knew from an earlier run.
    pub resumed: u64,
    /// Why the match ended, if it has.
    pub ended: Option<Ended>,
}

/// Why a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All games were played.
    Played,
    /// The sequential test came to a decision.
    Decided,
    /// It was told to.
    Stopped,
}

impl Report {
    /// Games that count.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }
}
