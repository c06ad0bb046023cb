//! A move of hexagonal chess in 16 bits.

use std::fmt;

use super::board::Role;
use super::cell::Cell;
use crate::MoveError;

/// What a pawn may become instead of a queen.
pub(super) const UNDER_PROMOTIONS: [Role; 3] = [Role::Rook, Role::Bishop, Role::Knight];

/// A move: from cell, to cell, under-promotion. A pawn that reaches its last cell without an under-promotion becomes a
/// queen.
///
/// Bits 0-6 hold the from cell (a1 = 0, a2 = 1, …), bits 7-13 the to cell, bits 14-15 the under-promotion
/// (0 none, 1 rook, 2 bishop, 3 knight).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u16);

impl Move {
    pub(super) const fn new(from: Cell, to: Cell) -> Move {
        Move(from.number() as u16 | (to.number() as u16) << 7)
    }

    /// The same move with the promotion that has this place in [`UNDER_PROMOTIONS`].
    pub(super) const fn under_promoting(self, place: usize) -> Move {
        Move(self.0 | (place as u16 + 1) << 14)
    }

    /// Where the piece stands.
    pub fn from(self) -> Cell {
        cell(self.0)
    }

    /// Where it goes.
    pub fn to(self) -> Cell {
        cell(self.0 >> 7)
    }

    /// The move with both cells turned by `turn`.
    pub(super) fn turned(self, turn: impl Fn(Cell) -> Cell) -> Move {
        Move(Move::new(turn(self.from()), turn(self.to())).0 | self.0 & 3 << 14)
    }

    /// What a pawn becomes instead of a queen, as its place in [`UNDER_PROMOTIONS`].
    pub(super) fn under_promotion(self) -> Option<usize> {
        usize::from(self.0 >> 14).checked_sub(1)
    }
}

/// The cell in the lowest seven bits.
fn cell(bits: u16) -> Cell {
    match Cell::new(usize::from(bits & 127)) {
        Some(cell) => cell,
        None => unreachable!("moves are made of cells"),
    }
}

impl From<Move> for u16 {
    fn from(m: Move) -> u16 {
        m.0
    }
}

impl TryFrom<u16> for Move {
    type Error = MoveError;

    fn try_from(code: u16) -> Result<Move, MoveError> {
        let on_board = |bits: u16| Cell::new(usize::from(bits & 127)).is_some();
        if on_board(code) && on_board(code >> 7) { Ok(Move(code)) } else { Err(MoveError::Illegal(code.to_string())) }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        self.under_promotion().map_or(Ok(()), |place| write!(f, "{}", UNDER_PROMOTIONS[place].letter()))
    }
}
