//! The result of a match.

use super::Fault;
use crate::stats::{Pairs, Sprt, SprtState};

/// The state of a match, from A's side.
#[derive(Clone, Debug)]
pub struct MatchReport {
    /// A's name.
    pub a: String,
    /// B's name.
    pub b: String,
    /// The game's name.
    pub game: &'static str,
    /// Games in which A took more than half of the point.
    pub wins: u64,
    /// Games in which the point was halved.
    pub draws: u64,
    /// Games in which A took less than half of the point.
    pub losses: u64,
    /// Those of the wins and of the losses in which both took a part of the point.
    pub shared: [u64; 2],
    /// The pairs by A's points.
    pub pairs: Pairs,
    /// The sequential test, if there is one, and where it stands.
    pub sprt: Option<(Sprt, SprtState)>,
    /// Games lost by crashing, stalling or an illegal move, with their numbers from 1.
    pub faults: Vec<(u64, Fault)>,
    /// Games that the journal had from an earlier run.
    pub resumed: u64,
    /// Why the match ended, if it has.
    pub ended: Option<MatchEnd>,
}

/// Why a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchEnd {
    /// All games were played.
    Played,
    /// The sequential test came to a decision.
    Decided,
    /// It was told to.
    Stopped,
}

impl MatchReport {
    /// Games that count.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Games in which both took a part of the point other than half.
    pub(super) fn parts(&self) -> u64 {
        self.shared.iter().sum()
    }

    /// Wins and losses of the whole point.
    pub(super) fn whole(&self) -> [u64; 2] {
        [self.wins - self.shared[0], self.losses - self.shared[1]]
    }
}
