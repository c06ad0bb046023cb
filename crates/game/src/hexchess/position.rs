//! A position: the pieces, whose move it is, and which pawn may be captured in passing.

use super::attacks::{self, PROMOTION};
use super::board::{Board, Role};
use super::cell::Cell;
use super::cells::Cells;
use super::moves::{Move, UNDER_PROMOTIONS};
use super::zobrist;
use crate::Side;

/// A position in which both sides have a king and the side that is not to move is not in check.
#[derive(Clone, Debug)]
pub(super) struct Position {
    board: Board,
    turn: Side,
    /// The cell that a pawn has just passed, if it can be captured there: otherwise it makes no difference to the game.
    en_passant: Option<Cell>,
    key: u64,
}

impl Position {
    /// `passed` is the cell that a pawn has just passed.
    pub(super) fn new(board: Board, turn: Side, passed: Option<Cell>) -> Position {
        let mut key = if turn == Side::Second { zobrist::BLACK_TO_MOVE } else { 0 };
        for cell in board.occupied() {
            if let Some((side, role)) = board.piece_at(cell) {
                key ^= zobrist::piece(side, role, cell);
            }
        }
        let mut position = Position { board, turn, en_passant: None, key };
        position.allow_en_passant(passed);
        position
    }

    pub(super) fn board(&self) -> &Board {
        &self.board
    }

    pub(super) fn turn(&self) -> Side {
        self.turn
    }

    /// The cell on which a pawn can be captured in passing.
    pub(super) fn en_passant(&self) -> Option<Cell> {
        self.en_passant
    }

    /// A hash of the whole position.
    pub(super) fn key(&self) -> u64 {
        self.key
    }

    pub(super) fn is_same(&self, other: &Position) -> bool {
        (self.turn, self.en_passant) == (other.turn, other.en_passant) && self.board == other.board
    }

    /// Whether `side` is in check.
    pub(super) fn in_check(&self, side: Side) -> bool {
        self.board.king(side).is_some_and(|king| self.board.attacks(!side, king, self.board.occupied()))
    }

    /// What a pawn becomes that reaches its last cell with this move.
    pub(super) fn promotion(&self, m: Move) -> Option<Role> {
        let promotes = self.board.role(Role::Pawn).contains(m.from()) && PROMOTION[self.turn as usize].contains(m.to());
        promotes.then(|| m.under_promotion().map_or(Role::Queen, |place| UNDER_PROMOTIONS[place]))
    }

    /// Where the piece that the move captures stands.
    pub(super) fn capture(&self, m: Move) -> Option<Cell> {
        if self.en_passant == Some(m.to()) && self.board.role(Role::Pawn).contains(m.from()) {
            m.to().ahead(!self.turn)
        } else {
            self.board.side(!self.turn).contains(m.to()).then_some(m.to())
        }
    }

    /// Plays a legal move and returns whether it is reversible: no capture, no pawn move.
    pub(super) fn play(&mut self, m: Move) -> bool {
        let (us, from, to) = (self.turn, m.from(), m.to());
        let Some(role) = self.board.role_at(from) else {
            debug_assert!(false, "{m:?} moves nothing");
            return true;
        };
        let capture = self.capture(m).and_then(|cell| Some((cell, self.board.role_at(cell)?)));
        let promotion = self.promotion(m);
        if let Some((cell, captured)) = capture {
            self.toggle(!us, captured, cell);
        }
        self.toggle(us, role, from);
        self.toggle(us, promotion.unwrap_or(role), to);
        self.end_turn();
        // Only a double step moves a pawn two cells along its file.
        let double_step = role == Role::Pawn && from.number().abs_diff(to.number()) == 2;
        if double_step {
            self.allow_en_passant(from.ahead(us));
        }
        capture.is_none() && role != Role::Pawn
    }

    /// The position with the other side to move.
    pub(super) fn passed(&self) -> Position {
        let mut position = self.clone();
        position.end_turn();
        position
    }

    /// The position with the sides exchanged and the board mirrored top to bottom.
    pub(super) fn swapped(&self) -> Position {
        Position::new(self.board.swapped(), !self.turn, self.en_passant.map(Cell::up_down))
    }

    /// Whether the mover's pawn on `from` may capture the one that has just passed `passed`: two pawns leave their cells
    /// at once, which can open a line to the king that neither of them blocks alone.
    pub(super) fn may_capture_passing(&self, from: Cell, passed: Cell) -> bool {
        let (Some(king), Some(pawn)) = (self.board.king(self.turn), passed.ahead(!self.turn)) else { return false };
        let occupied = self.board.occupied() ^ Cells::of(from) ^ Cells::of(pawn) ^ Cells::of(passed);
        !self.board.attacks(!self.turn, king, occupied)
    }

    fn end_turn(&mut self) {
        if let Some(passed) = self.en_passant.take() {
            self.key ^= zobrist::en_passant(passed);
        }
        self.turn = !self.turn;
        self.key ^= zobrist::BLACK_TO_MOVE;
    }

    fn allow_en_passant(&mut self, passed: Option<Cell>) {
        let Some(passed) = passed else { return };
        let mut pawns = attacks::pawn(!self.turn, passed) & self.board.pieces(self.turn, Role::Pawn);
        if pawns.any(|pawn| self.may_capture_passing(pawn, passed)) {
            self.en_passant = Some(passed);
            self.key ^= zobrist::en_passant(passed);
        }
    }

    fn toggle(&mut self, side: Side, role: Role, cell: Cell) {
        self.board.toggle(side, role, cell);
        self.key ^= zobrist::piece(side, role, cell);
    }
}
