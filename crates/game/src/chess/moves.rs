//! A chess move in 16 bits.

use shakmaty::{Position, Role, Square};

/// A move: from square, to square, promotion. Castling is the king taking its own rook, which is never ambiguous,
/// not even in Chess960.
///
/// Bits 0-5 hold the from square (a1 = 0, b1 = 1, …), bits 6-11 the to square, bits 12-14 the promotion
/// (0 none, 1 knight, 2 bishop, 3 rook, 4 queen).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u16);

impl Move {
    pub(super) fn new(from: Square, to: Square, promotion: Option<Role>) -> Move {
        let promotion = match promotion {
            Some(Role::Knight) => 1,
            Some(Role::Bishop) => 2,
            Some(Role::Rook) => 3,
            Some(Role::Queen) => 4,
            _ => 0,
        };
        Move(from as u16 | (to as u16) << 6 | promotion << 12)
    }

    /// Where the piece stands.
    pub fn from(self) -> Square {
        Square::new(u32::from(self.0 & 63))
    }

    /// Where it goes; for castling, where the king's rook stands.
    pub fn to(self) -> Square {
        Square::new(u32::from(self.0 >> 6 & 63))
    }

    /// What a pawn becomes.
    pub fn promotion(self) -> Option<Role> {
        match self.0 >> 12 {
            1 => Some(Role::Knight),
            2 => Some(Role::Bishop),
            3 => Some(Role::Rook),
            4 => Some(Role::Queen),
            _ => None,
        }
    }

    pub(super) fn from_shakmaty(m: shakmaty::Move) -> Move {
        match m {
            shakmaty::Move::Normal { from, to, promotion, .. } => Move::new(from, to, promotion),
            shakmaty::Move::EnPassant { from, to } => Move::new(from, to, None),
            shakmaty::Move::Castle { king, rook } => Move::new(king, rook, None),
            // A drop; there are none in chess.
            shakmaty::Move::Put { to, .. } => Move::new(to, to, None),
        }
    }

    /// The move in `position`, or `None` if it has no piece there to move. Says nothing about legality.
    pub(super) fn to_shakmaty(self, position: &shakmaty::Chess) -> Option<shakmaty::Move> {
        let (from, to) = (self.from(), self.to());
        let board = position.board();
        let role = board.role_at(from)?;
        Some(if role == Role::King && (board.rooks() & position.us()).contains(to) {
            shakmaty::Move::Castle { king: from, rook: to }
        } else if role == Role::Pawn && from.file() != to.file() && board.role_at(to).is_none() {
            shakmaty::Move::EnPassant { from, to }
        } else {
            shakmaty::Move::Normal { role, from, capture: board.role_at(to), to, promotion: self.promotion() }
        })
    }
}

impl From<Move> for u16 {
    fn from(m: Move) -> u16 {
        m.0
    }
}

impl From<u16> for Move {
    /// Any number is a move of some kind; the rules decide whether it is legal.
    fn from(code: u16) -> Move {
        Move(code)
    }
}

impl std::fmt::Debug for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        self.promotion().map_or(Ok(()), |role| write!(f, "{}", role.char()))
    }
}
