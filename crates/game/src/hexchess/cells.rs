//! Sets of cells.

use std::ops::{BitAnd, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

use super::cell::{COUNT, Cell};

/// A set of cells, a bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cells(u128);

impl Cells {
    pub(super) const NONE: Cells = Cells(0);
    pub(super) const ALL: Cells = Cells((1 << COUNT) - 1);

    pub(super) const fn of(cell: Cell) -> Cells {
        Cells(1 << cell.number())
    }

    /// The set and one cell more, for tables that are made at compile time.
    pub(super) const fn with(self, cell: Cell) -> Cells {
        Cells(self.0 | 1 << cell.number())
    }

    /// Both sets together, for the same tables.
    pub(super) const fn union(self, other: Cells) -> Cells {
        Cells(self.0 | other.0)
    }

    /// The set mirrored top to bottom.
    pub(super) const fn up_down(self) -> Cells {
        let mut mirrored = Cells::NONE;
        let mut rest = self;
        while let Some(cell) = rest.first() {
            mirrored = mirrored.with(cell.up_down());
            rest = Cells(rest.0 & (rest.0 - 1));
        }
        mirrored
    }

    pub(super) const fn contains(self, cell: Cell) -> bool {
        self.0 >> cell.number() & 1 == 1
    }

    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// The cell with the lowest number.
    pub(super) const fn first(self) -> Option<Cell> {
        Cell::new(self.0.trailing_zeros() as usize)
    }

    /// The cell with the highest number.
    pub(super) const fn last(self) -> Option<Cell> {
        // An empty set gives a number beyond all cells.
        Cell::new(127_usize.wrapping_sub(self.0.leading_zeros() as usize))
    }
}

impl BitAnd for Cells {
    type Output = Cells;

    fn bitand(self, other: Cells) -> Cells {
        Cells(self.0 & other.0)
    }
}

impl BitOr for Cells {
    type Output = Cells;

    fn bitor(self, other: Cells) -> Cells {
        Cells(self.0 | other.0)
    }
}

impl BitXor for Cells {
    type Output = Cells;

    fn bitxor(self, other: Cells) -> Cells {
        Cells(self.0 ^ other.0)
    }
}

impl Not for Cells {
    type Output = Cells;

    fn not(self) -> Cells {
        Cells(self.0 ^ Cells::ALL.0)
    }
}

impl BitOrAssign for Cells {
    fn bitor_assign(&mut self, other: Cells) {
        self.0 |= other.0;
    }
}

impl BitXorAssign for Cells {
    fn bitxor_assign(&mut self, other: Cells) {
        self.0 ^= other.0;
    }
}

impl Iterator for Cells {
    type Item = Cell;

    fn next(&mut self) -> Option<Cell> {
        let cell = self.first()?;
        self.0 &= self.0 - 1;
        Some(cell)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.count() as usize, Some(self.count() as usize))
    }
}

impl ExactSizeIterator for Cells {}

impl FromIterator<Cell> for Cells {
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> Cells {
        cells.into_iter().fold(Cells::NONE, Cells::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_list_their_cells_in_order() {
        let every_seventh: Vec<Cell> = Cell::all().step_by(7).collect();
        let set: Cells = every_seventh.iter().copied().collect();
        assert_eq!(set.collect::<Vec<Cell>>(), every_seventh);
        assert_eq!((set.first(), set.last()), (every_seventh.first().copied(), every_seventh.last().copied()));
        assert_eq!((!set).count() + set.count(), 91);
        assert_eq!((Cells::NONE.first(), Cells::NONE.last()), (None, None));
    }
}
