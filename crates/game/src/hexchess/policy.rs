//! The policy: every move that some piece could make on an empty board, and where a convolutional head puts it.

use super::attacks::{BISHOP, DIRECTIONS, JUMPS, PROMOTION, ROOK};
use super::cell::{COUNT, Cell};
use super::moves::{Move, UNDER_PROMOTIONS};
use crate::Side;

/// Rows and columns of the grid that the board lies in.
pub(super) const SPAN: usize = 11;
pub(super) const GRID: usize = SPAN * SPAN;

const ROOK_STEPS: usize = 10;
const BISHOP_STEPS: usize = 5;
const BISHOP_PLANES: usize = ROOK_STEPS * 6;
const KNIGHT_PLANES: usize = BISHOP_PLANES + BISHOP_STEPS * 6;
const PROMOTION_PLANES: usize = KNIGHT_PLANES + JUMPS.len();

/// Planes of a convolutional head: 6 rook directions of 10 steps, 6 bishop directions of 5, 12 knight jumps, and
/// 3 under-promotions in 3 directions.
pub(super) const PLANES: usize = PROMOTION_PLANES + 3 * UNDER_PROMOTIONS.len();

/// Pairs of cells that a queen or a knight can go between.
const PAIRS: usize = 3_870;
/// Ways for a pawn to reach its last cell, times what it may become instead of a queen.
const UNDER: usize = 21 * UNDER_PROMOTIONS.len();
/// Policy indices.
pub(super) const SIZE: usize = PAIRS + UNDER;

/// Steps in the directions that a pawn can promote in, from left to right.
const PAWN_STEPS: [(i8, i8); 3] = [(-1, 1), (0, 1), (1, 0)];

struct Tables {
    /// The move of each policy index, as the mover sees it.
    moves: [Move; SIZE],
    /// The head's output for each policy index.
    outputs: [u16; SIZE],
    /// The policy index of each pair of cells.
    pairs: [[u16; COUNT]; COUNT],
}

static TABLES: Tables = tables();

const fn tables() -> Tables {
    let Some(nowhere) = Cell::new(0) else { panic!("a board has cells") };
    let mut tables =
        Tables { moves: [Move::new(nowhere, nowhere); SIZE], outputs: [0; SIZE], pairs: [[0; COUNT]; COUNT] };
    let (mut pairs, mut under) = (0, PAIRS);
    let mut number = 0;
    while let Some(from) = Cell::new(number) {
        let (q, r) = from.axial();
        let mut plane = 0;
        while plane < PLANES {
            let (dq, dr) = step(plane);
            if let Some(to) = Cell::at(q + dq, r + dr) {
                let m = Move::new(from, to);
                let output = (plane * GRID + grid_cell(from)) as u16;
                if plane < PROMOTION_PLANES {
                    tables.moves[pairs] = m;
                    tables.outputs[pairs] = output;
                    tables.pairs[number][to.number()] = pairs as u16;
                    pairs += 1;
                } else if promotes(from, to) {
                    tables.moves[under] = m.under_promoting((plane - PROMOTION_PLANES) / PAWN_STEPS.len());
                    tables.outputs[under] = output;
                    under += 1;
                }
            }
            plane += 1;
        }
        number += 1;
    }
    assert!(pairs == PAIRS && under == SIZE);
    tables
}

/// Where the moves of a plane lead, in axial coordinates.
const fn step(plane: usize) -> (i8, i8) {
    let (first, direction, steps) = if plane < BISHOP_PLANES {
        (ROOK.start, plane / ROOK_STEPS, plane % ROOK_STEPS)
    } else if plane < KNIGHT_PLANES {
        (BISHOP.start, (plane - BISHOP_PLANES) / BISHOP_STEPS, (plane - BISHOP_PLANES) % BISHOP_STEPS)
    } else if plane < PROMOTION_PLANES {
        return JUMPS[plane - KNIGHT_PLANES];
    } else {
        return PAWN_STEPS[(plane - PROMOTION_PLANES) % PAWN_STEPS.len()];
    };
    let (q, r) = DIRECTIONS[first + direction];
    let steps = steps as i8 + 1;
    (q * steps, r * steps)
}

const fn promotes(from: Cell, to: Cell) -> bool {
    let last = PROMOTION[Side::First as usize];
    last.contains(to) && !last.contains(from)
}

/// The cell of the grid: a row for each r, from the mover's side, and a column for each q.
pub(super) const fn grid_cell(cell: Cell) -> usize {
    let (q, r) = cell.axial();
    (r + 5) as usize * SPAN + (q + 5) as usize
}

/// The cell of the board in this cell of the grid, if there is one.
pub(super) const fn board_cell(grid_cell: usize) -> Option<Cell> {
    Cell::at((grid_cell % SPAN) as i8 - 5, (grid_cell / SPAN) as i8 - 5)
}

/// The policy index of a move as the mover sees it.
pub(super) fn index(m: Move) -> usize {
    if m.under_promotion().is_some() {
        let known = &TABLES.moves[PAIRS..];
        PAIRS + known.iter().position(|other| *other == m).unwrap_or_default()
    } else {
        usize::from(TABLES.pairs[m.from().number()][m.to().number()])
    }
}

/// The move of a policy index as the mover sees it.
pub(super) fn move_at(index: usize) -> Option<Move> {
    TABLES.moves.get(index).copied()
}

/// Which output of a convolutional head holds a policy index.
pub(super) fn output(index: usize) -> usize {
    usize::from(TABLES.outputs[index])
}
