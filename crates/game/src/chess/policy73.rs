//! The 73 ways to move, each a plane of a convolutional policy, and the board as the mover sees it.

use shakmaty::{Color, Square};

/// Queen moves come first: 7 x direction + distance - 1.
pub(super) const KNIGHT_PLANES: usize = 56;
pub(super) const PROMOTION_PLANES: usize = 64;

/// (files, ranks) of the queen directions, clockwise from north.
pub(super) const DIRECTIONS: [(i32, i32); 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];
pub(super) const KNIGHT_JUMPS: [(i32, i32); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// A square on the mover's board: for Black it is mirrored top to bottom.
pub(super) fn seen_by(color: Color, square: Square) -> Square {
    match color {
        Color::White => square,
        Color::Black => square.flip_vertical(),
    }
}

/// Files and ranks from one square to another.
pub(super) fn delta(from: Square, to: Square) -> (i32, i32) {
    (i32::from(to.file()) - i32::from(from.file()), i32::from(to.rank()) - i32::from(from.rank()))
}

/// The square `files` and `ranks` away, if it is on the board.
pub(super) fn shifted(square: Square, (files, ranks): (i32, i32)) -> Option<Square> {
    let (file, rank) = (i32::from(square.file()) + files, i32::from(square.rank()) + ranks);
    let on_board = (0..8).contains(&file) && (0..8).contains(&rank);
    on_board.then(|| Square::new((rank * 8 + file) as u32))
}

pub(super) fn is_queen_or_knight_move(from: Square, to: Square) -> bool {
    let (files, ranks) = delta(from, to);
    let straight = files == 0 || ranks == 0 || files.abs() == ranks.abs();
    from != to && (straight || KNIGHT_JUMPS.contains(&(files, ranks)))
}

/// The plane of a queen or knight move.
pub(super) fn move_plane((files, ranks): (i32, i32)) -> usize {
    let jump = KNIGHT_JUMPS.iter().position(|&jump| jump == (files, ranks));
    let direction = DIRECTIONS.iter().position(|&direction| direction == (files.signum(), ranks.signum()));
    let distance = files.abs().max(ranks.abs()) as usize;
    match (jump, direction) {
        (Some(jump), _) => KNIGHT_PLANES + jump,
        (None, direction) => 7 * direction.unwrap_or_default() + distance - 1,
    }
}
