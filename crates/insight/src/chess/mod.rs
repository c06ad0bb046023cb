//! What is particular to chess: phases, pieces and tactics.

mod exchange;
mod features;
pub mod labels;
mod mistake;
mod motif;
mod vectors;

use std::any::Any;

use alfil_game::Game;
use alfil_game::chess::{Chess, Move};
use shakmaty::{Position, Role};

use crate::Phase;

pub use features::{feature_names, features};
pub use mistake::Mistake;
pub use motif::{Motif, Tactic, has, tactics, told};
pub use vectors::{NetworkVectors, VectorKind, Vectors};

/// Pieces other than pawns and kings with which an endgame begins.
const FEW: u32 = 6;

/// The plies after which an opening is over: 12 moves of each side.
const OPENING: usize = 24;

/// Pieces other than pawns and kings without which a position is no opening, however early.
const MANY: u32 = 11;

/// A position of chess as what it is.
pub fn downcast<G: Game>(position: &G) -> Option<&Chess> {
    (position as &dyn Any).downcast_ref()
}

/// The phase of a position after `ply` moves.
pub fn phase(position: &Chess, ply: usize) -> Phase {
    let board = position.shakmaty().board();
    let pieces = (board.occupied() ^ board.pawns() ^ board.kings()).count() as u32;
    match pieces {
        pieces if pieces <= FEW => Phase::Endgame,
        pieces if pieces >= MANY && ply < OPENING => Phase::Opening,
        _ => Phase::Middlegame,
    }
}

/// The name of the piece that a move moves; none in other games.
pub fn piece_name<G: Game>(position: &G, m: G::Move) -> Option<&'static str> {
    let position = downcast(position)?;
    let code: u16 = m.into();
    let m: Move = code.into();
    let from = m.from();
    Some(match position.shakmaty().board().role_at(from)? {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    })
}

/// The tactics of a line from a position; none in other games.
pub fn tactics_of_line<G: Game>(position: &G, line: &[G::Move]) -> Vec<Tactic> {
    let Some(position) = downcast(position) else { return Vec::new() };
    let code = |m: &G::Move| -> u16 { (*m).into() };
    let line: Vec<Move> = line.iter().map(|m| code(m).into()).collect();
    tactics(position, &line)
}
