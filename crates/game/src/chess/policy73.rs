//! The policy of the AlphaZero paper: the 73 ways to move, each a plane, and a cell for the square moved from, on the board as the
//! mover sees it.
//!
//! Planes 0 to 55: queen moves, 7 x direction (N, NE, E, SE, S, SW, W, NW) + distance - 1, promotion to a queen included; 56 to
//! 63: knight moves clockwise from (+1 file, +2 ranks); 64 to 72: under-promotions, 3 x (rook, bishop, knight) + (capture to
//! the left, straight, capture to the right). Castling is the king's move of two squares towards the rook, wherever king and
//! rook stand in Chess960: no other king move has that length.

use shakmaty::{CastlingSide, Color, Position, Role, Square};

use super::Chess;
use super::moves::Move;
use crate::Symmetry;

/// Planes of the policy.
pub(super) const PLANES: usize = 73;
/// Policy indices.
pub(super) const SIZE: usize = PLANES * 64;

/// The files mirrored: a symmetry as long as nobody may castle.
pub(super) const MIRROR: Symmetry = Symmetry { name: "left-right mirror", cell: mirrored_cell, index: mirrored_index };

/// Queen moves come first: 7 x direction + distance - 1.
pub(super) const KNIGHT_PLANES: usize = 56;
pub(super) const PROMOTION_PLANES: usize = 64;

/// (files, ranks) of the queen directions, clockwise from north.
pub(super) const DIRECTIONS: [(i32, i32); 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];
pub(super) const KNIGHT_JUMPS: [(i32, i32); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

const UNDER_PROMOTIONS: [Role; 3] = [Role::Rook, Role::Bishop, Role::Knight];
const CASTLE_SHORT: (i32, i32) = (2, 0);
const CASTLE_LONG: (i32, i32) = (-2, 0);

/// The policy index of a legal move.
pub(super) fn index(game: &Chess, m: Move) -> usize {
    let position = game.shakmaty();
    let (from, to) = (seen_by(position.turn(), m.from()), seen_by(position.turn(), m.to()));
    let (files, ranks) = delta(from, to);
    let castles = position.us().contains(m.to());
    let plane = match m.promotion() {
        Some(role) if role != Role::Queen => {
            let piece = UNDER_PROMOTIONS.iter().position(|&other| other == role).unwrap_or_default();
            PROMOTION_PLANES + 3 * piece + (files + 1) as usize
        }
        _ if castles => move_plane(if files > 0 { CASTLE_SHORT } else { CASTLE_LONG }),
        _ => move_plane((files, ranks)),
    };
    plane * 64 + from as usize
}

/// The legal move with this policy index, if there is one.
pub(super) fn move_at(game: &Chess, index: usize) -> Option<Move> {
    if index >= SIZE {
        return None;
    }
    let position = game.shakmaty();
    let us = position.turn();
    let cell = Square::new((index % 64) as u32);
    let from = seen_by(us, cell);
    let role = position.board().role_at(from)?;
    let (delta, under_promotion) = match index / 64 {
        plane if plane < KNIGHT_PLANES => {
            let (files, ranks) = DIRECTIONS[plane / 7];
            let distance = (plane % 7 + 1) as i32;
            ((files * distance, ranks * distance), None)
        }
        plane if plane < PROMOTION_PLANES => (KNIGHT_JUMPS[plane - KNIGHT_PLANES], None),
        plane => {
            let kind = plane - PROMOTION_PLANES;
            (((kind % 3) as i32 - 1, 1), Some(UNDER_PROMOTIONS[kind / 3]))
        }
    };
    let m = if role == Role::King && (delta == CASTLE_SHORT || delta == CASTLE_LONG) {
        let side = CastlingSide::from_king_side(delta == CASTLE_SHORT);
        Move::new(from, position.castles().rook(us, side)?, None)
    } else {
        let to = shifted(cell, delta).filter(|to| !position.us().contains(seen_by(us, *to)))?;
        let promotes = role == Role::Pawn && i32::from(to.rank()) == 7;
        if under_promotion.is_some() && !promotes {
            return None;
        }
        Move::new(from, seen_by(us, to), under_promotion.or(promotes.then_some(Role::Queen)))
    };
    position.is_legal(m.to_shakmaty(position)?).then_some(m)
}

fn mirrored_cell(cell: usize) -> usize {
    cell ^ 7
}

fn mirrored_index(index: usize) -> usize {
    let plane = match index / 64 {
        plane if plane < KNIGHT_PLANES => 7 * ((8 - plane / 7) % 8) + plane % 7,
        plane if plane < PROMOTION_PLANES => KNIGHT_PLANES + 7 - (plane - KNIGHT_PLANES),
        plane => {
            let kind = plane - PROMOTION_PLANES;
            PROMOTION_PLANES + 3 * (kind / 3) + 2 - kind % 3
        }
    };
    plane * 64 + mirrored_cell(index % 64)
}

/// A cell of the mover's board as the other side sees it.
pub(super) fn opponent_cell(cell: usize) -> usize {
    cell ^ 56
}

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
