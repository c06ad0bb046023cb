//! A finished game.

use alfil_game::Score;
use serde::{Deserialize, Serialize};

/// One of the two players of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Who {
    /// The player from whose side results are reported.
    A,
    /// The other player.
    B,
}

/// A finished game, as the journal keeps it. Later versions may say more, which is ignored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// The players' opinions and times, one for each move after the opening.
    pub notes: Vec<String>,
    /// How a player lost it other than by the rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
}

/// A crash, a stall or an illegal move, by which a game was lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The player whose fault it was.
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
