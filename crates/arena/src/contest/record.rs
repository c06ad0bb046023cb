//! A finished game.

use alfil_game::Score;
use serde::{Deserialize, Serialize};

/// One of the two players of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Who {
    /// From whose side results are told.
    A,
    /// The other one.
    B,
}

/// A finished game, as the journal keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The number of its pair, from 0.
    pub pair: u64,
    /// Who moved first: A in the first game of a pair, B in the second.
    pub first: Who,
    /// A's points.
    pub score: f32,
    /// By what rule it ended, or what a player did.
    pub end: String,
    /// Where it began.
    pub start: String,
    /// The moves as programs write them, those of the opening included.
    pub moves: String,
    /// How many of them are the opening's.
    pub book: usize,
    /// What the players thought and how long, for each move of theirs.
    pub notes: Vec<String>,
    /// What a player did to lose it without the rules having a say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
}

/// A game lost by crashing, stalling or an illegal move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Whose fault.
    pub by: Who,
    /// What happened.
    pub what: String,
}

impl Record {
    /// A's points.
    pub fn score(&self) -> Score {
        Score::new(self.score)
    }
}
