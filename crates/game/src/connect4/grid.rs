//! The board as bits: seven per column, bottom to top, the seventh always empty so that lines do not wrap around.
//!
//! ```text
//!  6 13 20 27 34 41 48
//!  5 12 19 26 33 40 47   top row
//!  …
//!  0  7 14 21 28 35 42   bottom row
//! ```

pub(super) const ROWS: usize = 6;
pub(super) const COLUMNS: usize = 7;
const STRIDE: usize = ROWS + 1;

/// The bottom cell of every column.
pub(super) const BOTTOM: u64 = 0x0000_0408_1020_4081;

/// Every cell that can hold a stone.
pub(super) const BOARD: u64 = BOTTOM * ((1 << ROWS) - 1);

/// The cells of a column.
pub(super) const fn column(column: usize) -> u64 {
    ((1 << ROWS) - 1) << (column * STRIDE)
}

pub(super) const fn cell(row: usize, column: usize) -> u64 {
    1 << (column * STRIDE + row)
}

/// Row and column of a single bit.
pub(super) const fn coordinates(cell: u64) -> (usize, usize) {
    let bit = cell.trailing_zeros() as usize;
    (bit % STRIDE, bit / STRIDE)
}

/// The cells that the next stones would fall to.
pub(super) const fn landing(occupied: u64) -> u64 {
    (occupied + BOTTOM) & BOARD
}

/// Whether four stones stand in a line.
pub(super) const fn has_four(stones: u64) -> bool {
    let mut direction = 0;
    while direction < 4 {
        let shift = [1, STRIDE - 1, STRIDE, STRIDE + 1][direction];
        let pairs = stones & stones >> shift;
        if pairs & pairs >> (2 * shift) != 0 {
            return true;
        }
        direction += 1;
    }
    false
}

/// The empty cells that would complete a line of four for the owner of `stones`, reachable or not.
pub(super) const fn winning_cells(stones: u64, occupied: u64) -> u64 {
    // Upwards there is only one way to complete a line.
    let mut cells = stones << 1 & stones << 2 & stones << 3;
    let mut direction = 0;
    while direction < 3 {
        let shift = [STRIDE - 1, STRIDE, STRIDE + 1][direction];
        let above = stones << shift & stones << (2 * shift);
        let below = stones >> shift & stones >> (2 * shift);
        cells |= above & (stones << (3 * shift) | stones >> shift);
        cells |= below & (stones >> (3 * shift) | stones << shift);
        direction += 1;
    }
    cells & (BOARD ^ occupied)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn winning_cells_are_those_whose_stone_makes_four() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        let mut compared = 0;
        while compared < 100_000 {
            let occupied = (0..COLUMNS).fold(0, |board, column| {
                let height = random() as usize % (ROWS + 1);
                (0..height).fold(board, |board, row| board | cell(row, column))
            });
            let stones = (random() << 31 ^ random()) & occupied;
            if has_four(stones) {
                continue;
            }
            let cells = (0..ROWS * COLUMNS).map(|i| cell(i / COLUMNS, i % COLUMNS));
            let wins = |&cell: &u64| occupied & cell == 0 && has_four(stones | cell);
            let expected = cells.filter(wins).fold(0, |cells, cell| cells | cell);
            assert_eq!(winning_cells(stones, occupied), expected, "{stones:#x} of {occupied:#x}");
            compared += 1;
        }
    }

    #[test]
    fn lines_do_not_wrap_around_the_edges() {
        assert!(!has_four(cell(5, 0) | cell(4, 0) | cell(0, 1) | cell(1, 1)));
        assert!(!has_four(cell(0, 6) | cell(1, 5) | cell(2, 4)));
        assert!(has_four(cell(0, 6) | cell(1, 5) | cell(2, 4) | cell(3, 3)));
    }
}
