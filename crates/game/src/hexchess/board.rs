//! Pieces on the board.

use super::attacks;
use super::cell::Cell;
use super::cells::Cells;
use crate::Side;

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Pawn,
    Knight,
    Bishop,
    Rook,
    Queen,
    King,
}

impl Role {
    pub(super) const ALL: [Role; 6] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];

    /// The letter of positions and moves, in lower case.
    pub(super) fn letter(self) -> char {
        match self {
            Role::Pawn => 'p',
            Role::Knight => 'n',
            Role::Bishop => 'b',
            Role::Rook => 'r',
            Role::Queen => 'q',
            Role::King => 'k',
        }
    }

    /// The role with this letter in lower case.
    pub(super) fn called(letter: char) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.letter() == letter)
    }
}

/// A side's letter for a piece: White's are in upper case.
pub(super) fn letter(side: Side, role: Role) -> char {
    match side {
        Side::First => role.letter().to_ascii_uppercase(),
        Side::Second => role.letter(),
    }
}

/// The pieces and where they stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Board {
    roles: [Cells; 6],
    sides: [Cells; 2],
}

impl Board {
    /// The pieces of one side.
    pub(super) fn side(&self, side: Side) -> Cells {
        self.sides[side as usize]
    }

    /// The pieces of one role.
    pub(super) fn role(&self, role: Role) -> Cells {
        self.roles[role as usize]
    }

    /// The pieces of one side and role.
    pub(super) fn pieces(&self, side: Side, role: Role) -> Cells {
        self.side(side) & self.role(role)
    }

    /// All pieces.
    pub(super) fn occupied(&self) -> Cells {
        self.sides[0] | self.sides[1]
    }

    /// A side's king.
    pub(super) fn king(&self, side: Side) -> Option<Cell> {
        self.pieces(side, Role::King).first()
    }

    /// The role of the piece on a cell, of either side.
    pub(super) fn role_at(&self, cell: Cell) -> Option<Role> {
        Role::ALL.into_iter().find(|role| self.role(*role).contains(cell))
    }

    /// The piece on a cell.
    pub(super) fn piece_at(&self, cell: Cell) -> Option<(Side, Role)> {
        let side = if self.side(Side::First).contains(cell) { Side::First } else { Side::Second };
        self.role_at(cell).map(|role| (side, role))
    }

    /// Puts a piece on an empty cell, or removes it from the cell that it stands on.
    pub(super) fn toggle(&mut self, side: Side, role: Role, cell: Cell) {
        self.sides[side as usize] ^= Cells::of(cell);
        self.roles[role as usize] ^= Cells::of(cell);
    }

    /// Whether a piece of `side` attacks `cell` if the cells in `occupied` and no others are taken: pieces of `side` that
    /// are not among them are gone.
    pub(super) fn attacks(&self, side: Side, cell: Cell, occupied: Cells) -> bool {
        let attackers = self.side(side) & occupied;
        let leapers = attacks::knight(cell) & self.role(Role::Knight)
            | attacks::king(cell) & self.role(Role::King)
            | attacks::pawn(!side, cell) & self.role(Role::Pawn);
        if !(leapers & attackers).is_empty() {
            return true;
        }
        // Few pieces stand on a line with the cell at all, so looking for what stands between is seldom needed.
        let rooks = attackers & (self.role(Role::Rook) | self.role(Role::Queen)) & attacks::rook_lines(cell);
        let bishops = attackers & (self.role(Role::Bishop) | self.role(Role::Queen)) & attacks::bishop_lines(cell);
        !rooks.is_empty() && !(attacks::rook(cell, occupied) & rooks).is_empty()
            || !bishops.is_empty() && !(attacks::bishop(cell, occupied) & bishops).is_empty()
    }

    /// What the piece of `role` on `from` attacks.
    pub(super) fn attacked_by(&self, side: Side, role: Role, from: Cell) -> Cells {
        match role {
            Role::Pawn => attacks::pawn(side, from),
            Role::Knight => attacks::knight(from),
            Role::Bishop => attacks::bishop(from, self.occupied()),
            Role::Rook => attacks::rook(from, self.occupied()),
            Role::Queen => attacks::rook(from, self.occupied()) | attacks::bishop(from, self.occupied()),
            Role::King => attacks::king(from),
        }
    }

    /// The board mirrored top to bottom with the sides exchanged.
    pub(super) fn swapped(&self) -> Board {
        Board { roles: self.roles.map(Cells::up_down), sides: [self.sides[1].up_down(), self.sides[0].up_down()] }
    }
}
