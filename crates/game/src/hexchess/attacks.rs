//! Where pieces can go: tables made at compile time, and lines that end at the first piece.

use std::ops::Range;

use super::cell::{COUNT, Cell, FILES};
use super::cells::Cells;
use crate::Side;

/// Steps in axial coordinates: six over the edges of a cell, clockwise from straight up, then six over its corners,
/// clockwise from the upper right. In each half the first three lead to higher numbers of cells, the others to lower ones.
pub(super) const DIRECTIONS: [(i8, i8); 12] =
    [(0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (1, 1), (2, -1), (1, -2), (-1, -1), (-2, 1), (-1, 2)];

/// The knight's jumps, clockwise: the cells three steps away that no line leads to.
pub(super) const JUMPS: [(i8, i8); 12] =
    [(1, 2), (2, 1), (3, -1), (3, -2), (2, -3), (1, -3), (-1, -2), (-2, -1), (-3, 1), (-3, 2), (-2, 3), (-1, 3)];

/// The rook's part of [`DIRECTIONS`].
pub(super) const ROOK: Range<usize> = 0..6;
/// The bishop's.
pub(super) const BISHOP: Range<usize> = 6..12;

/// White's pawn captures, left and right.
const CAPTURES: [(i8, i8); 2] = [(-1, 1), (1, 0)];

/// A set of cells for each cell.
pub(super) type CellTable = [Cells; COUNT];

static RAYS: [CellTable; 12] = rays();
static ROOK_LINES: CellTable = lines(ROOK);
static BISHOP_LINES: CellTable = lines(BISHOP);
static KING: CellTable = steps(&DIRECTIONS);
static KNIGHT: CellTable = steps(&JUMPS);
static PAWN: [CellTable; 2] = [steps(&CAPTURES), mirrored(&steps(&CAPTURES))];

/// The rank of each file that White's pawns never stand behind: they start on it, except on the outermost files, which
/// they reach by capture.
pub(super) const PAWN_LINE: [usize; FILES] = [1, 1, 2, 3, 4, 5, 4, 3, 2, 1, 1];
/// Each side's nine cells that pawns start on.
pub(super) const PAWN_START: [Cells; 2] = pawn_start();
/// Each side's eleven cells that pawns promote on.
pub(super) const PROMOTION: [Cells; 2] = promotion();

const fn rays() -> [CellTable; 12] {
    let mut rays = [[Cells::NONE; COUNT]; 12];
    let mut direction = 0;
    while direction < 12 {
        let (dq, dr) = DIRECTIONS[direction];
        let mut number = 0;
        while let Some(from) = Cell::new(number) {
            let (mut q, mut r) = from.axial();
            while let Some(cell) = Cell::at(q + dq, r + dr) {
                rays[direction][number] = rays[direction][number].with(cell);
                (q, r) = cell.axial();
            }
            number += 1;
        }
        direction += 1;
    }
    rays
}

const fn lines(directions: Range<usize>) -> CellTable {
    let rays = rays();
    let mut lines = [Cells::NONE; COUNT];
    let mut number = 0;
    while number < COUNT {
        let mut direction = directions.start;
        while direction < directions.end {
            lines[number] = lines[number].union(rays[direction][number]);
            direction += 1;
        }
        number += 1;
    }
    lines
}

const fn steps(deltas: &[(i8, i8)]) -> CellTable {
    let mut table = [Cells::NONE; COUNT];
    let mut number = 0;
    while let Some(from) = Cell::new(number) {
        let (q, r) = from.axial();
        let mut i = 0;
        while i < deltas.len() {
            if let Some(to) = Cell::at(q + deltas[i].0, r + deltas[i].1) {
                table[number] = table[number].with(to);
            }
            i += 1;
        }
        number += 1;
    }
    table
}

/// White's table as Black sees it.
pub(super) const fn mirrored(table: &CellTable) -> CellTable {
    let mut result = [Cells::NONE; COUNT];
    let mut number = 0;
    while let Some(from) = Cell::new(number) {
        result[from.up_down().number()] = table[number].up_down();
        number += 1;
    }
    result
}

const fn pawn_start() -> [Cells; 2] {
    let mut white = Cells::NONE;
    let mut file = 1;
    while file < FILES - 1 {
        if let Some(cell) = Cell::on(file, PAWN_LINE[file]) {
            white = white.with(cell);
        }
        file += 1;
    }
    [white, white.up_down()]
}

const fn promotion() -> [Cells; 2] {
    let mut black = Cells::NONE;
    let mut file = 0;
    while let Some(cell) = Cell::on(file, 1) {
        black = black.with(cell);
        file += 1;
    }
    [black.up_down(), black]
}

/// Whether a pawn of `side` can ever be on `cell`: pawns only go forward, and promote on the last cell of a file.
pub(super) fn pawn_can_stand(side: Side, cell: Cell) -> bool {
    let seen = cell.seen_by(side);
    seen.rank() >= PAWN_LINE[seen.file()] && !PROMOTION[side as usize].contains(cell)
}

/// The cells from `from` to the edge.
pub(super) fn ray(direction: usize, from: Cell) -> Cells {
    RAYS[direction][from.number()]
}

/// Which of the `pieces`, all on a ray in this direction, comes first on it.
pub(super) fn nearest(direction: usize, pieces: Cells) -> Option<Cell> {
    if direction % 6 < 3 { pieces.first() } else { pieces.last() }
}

fn slide(directions: Range<usize>, from: Cell, occupied: Cells) -> Cells {
    let mut reached = Cells::NONE;
    for direction in directions {
        let ray = ray(direction, from);
        reached |= match nearest(direction, ray & occupied) {
            Some(blocker) => ray ^ RAYS[direction][blocker.number()],
            None => ray,
        };
    }
    reached
}

/// What a rook attacks, the first piece in each direction included.
pub(super) fn rook(from: Cell, occupied: Cells) -> Cells {
    slide(ROOK, from, occupied)
}

/// What a bishop attacks.
pub(super) fn bishop(from: Cell, occupied: Cells) -> Cells {
    slide(BISHOP, from, occupied)
}

/// What a rook would attack on an empty board.
pub(super) fn rook_lines(from: Cell) -> Cells {
    ROOK_LINES[from.number()]
}

/// What a bishop would attack on an empty board.
pub(super) fn bishop_lines(from: Cell) -> Cells {
    BISHOP_LINES[from.number()]
}

/// What a king attacks.
pub(super) fn king(from: Cell) -> Cells {
    KING[from.number()]
}

/// What a knight attacks.
pub(super) fn knight(from: Cell) -> Cells {
    KNIGHT[from.number()]
}

/// What a pawn of `side` attacks.
pub(super) fn pawn(side: Side, from: Cell) -> Cells {
    PAWN[side as usize][from.number()]
}

#[cfg(test)]
mod tests {
    use super::*;

    type Moves = fn(Cell) -> Cells;
    const ROOK_MOVES: Moves = |from| rook(from, Cells::NONE);
    const BISHOP_MOVES: Moves = |from| bishop(from, Cells::NONE);

    #[test]
    fn the_empty_board_gives_the_known_numbers_of_moves() {
        let centre = Cell::parse("f6").unwrap();
        // From the middle, and from all cells together.
        for (moves, from_centre, in_all, mean) in [
            (ROOK_MOVES, 30, 2_070, 22.75),
            (BISHOP_MOVES, 12, 1_080, 11.87),
            (|from| ROOK_MOVES(from) | BISHOP_MOVES(from), 42, 3_150, 34.62),
            (king as Moves, 12, 900, 9.89),
            (knight, 12, 720, 7.91),
        ] {
            assert_eq!(moves(centre).count(), from_centre);
            let sum: u32 = Cell::all().map(|from| moves(from).count()).sum();
            assert_eq!(sum, in_all);
            assert!((f64::from(sum) / 91.0 - mean).abs() < 0.005);
        }
    }

    #[test]
    fn lines_end_at_the_first_piece_and_attacks_go_both_ways() {
        let mut state = 7u64;
        for _ in 0..200 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let occupied: Cells = Cell::all().filter(|cell| state.rotate_left(cell.number() as u32) & 3 == 0).collect();
            for from in Cell::all() {
                for (directions, found) in [(ROOK, rook(from, occupied)), (BISHOP, bishop(from, occupied))] {
                    assert_eq!(found, walked(&DIRECTIONS[directions], from, occupied), "{from} among {occupied:?}");
                }
            }
        }
        for from in Cell::all() {
            assert!(knight(from).all(|to| knight(to).contains(from)));
            assert!(pawn(Side::First, from).all(|to| pawn(Side::Second, to).contains(from)));
            assert_eq!(rook_lines(from) | bishop_lines(from), ROOK_MOVES(from) | BISHOP_MOVES(from));
        }
    }

    fn walked(directions: &[(i8, i8)], from: Cell, occupied: Cells) -> Cells {
        let mut reached = Cells::NONE;
        for &(dq, dr) in directions {
            let (q, r) = from.axial();
            let cells = (1..).map_while(|steps| Cell::at(q + steps * dq, r + steps * dr));
            for cell in cells {
                reached |= Cells::of(cell);
                if occupied.contains(cell) {
                    break;
                }
            }
        }
        reached
    }

    #[test]
    fn pawns_start_and_promote_where_the_rules_say() {
        let names = |cells: Cells| cells.map(|cell| cell.to_string()).collect::<Vec<String>>().join(" ");
        assert_eq!(names(PAWN_START[0]), "b1 c2 d3 e4 f5 g4 h3 i2 k1");
        assert_eq!(names(PAWN_START[1]), "b7 c7 d7 e7 f7 g7 h7 i7 k7");
        assert_eq!(names(PROMOTION[0]), "a6 b7 c8 d9 e10 f11 g10 h9 i8 k7 l6");
        assert_eq!(names(PROMOTION[1]), "a1 b1 c1 d1 e1 f1 g1 h1 i1 k1 l1");
    }
}
