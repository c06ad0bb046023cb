//! The parts of a game.

use alfil_game::Game;
use serde::{Deserialize, Serialize};

use crate::chess;

/// A part of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// The beginning.
    Opening,
    /// What follows.
    Middlegame,
    /// The end.
    Endgame,
}

impl Phase {
    /// All phases, in order.
    pub const ALL: [Phase; 3] = [Phase::Opening, Phase::Middlegame, Phase::Endgame];

    /// The phase of a position after `ply` of the `plies` moves of a game. In chess it follows from the pieces and the move number;
    /// other games are divided into thirds.
    pub fn of<G: Game>(position: &G, ply: usize, plies: usize) -> Phase {
        if let Some(position) = chess::downcast(position) {
            return chess::phase(position, ply);
        }
        match 3 * ply / plies.max(1) {
            0 => Phase::Opening,
            1 => Phase::Middlegame,
            _ => Phase::Endgame,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Opening => "opening",
            Phase::Middlegame => "middlegame",
            Phase::Endgame => "endgame",
        }
    }
}
