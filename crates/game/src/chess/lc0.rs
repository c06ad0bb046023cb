//! The encoding of Leela Chess Zero's classical networks: `chess/lc0-112`.

use std::sync::LazyLock;

use shakmaty::{CastlingSide, Color, Position, Rank, Role, Square};

use super::Chess;
use super::game::Snapshot;
use super::moves::Move;
use super::policy73::{self, seen_by};
use crate::Encoding;

/// Leela's input format 1 and its order of 1,858 moves.
///
/// Eight steps of 13 planes: the mover's pieces, the opponent's, and one of ones if the position has occurred before.
/// Then the right to castle of the mover (long, short) and the opponent (long, short), black to move, plies without
/// progress, a plane of zeros and one of ones. Plies without progress are divided by 256 so that planes stay between 0
/// and 1; Leela feeds them as they are, so importing a network multiplies its weights for that plane by 256, which
/// loses nothing.
///
/// Before the first position of a game that does not begin at the start, history is filled with copies of that
/// position, as Leela does; a pawn that has just made its double step is back on its square in the copies. Whether a
/// position has occurred before follows the rules of chess: Leela also distinguishes positions by a double step that no
/// pawn can answer en passant.
///
/// The policy has an entry for every pair of squares a queen or knight could move between, and for promotions to queen,
/// rook and bishop; promotion to a knight is the plain pair. Castling is the king taking its rook.
pub struct Lc0;

const STEPS: usize = 8;
const STEP_PLANES: usize = 13;
/// A power of two, so that scaling weights by it is exact; more plies than any position has without progress.
const NO_PROGRESS_SCALE: f32 = 256.0;
const PAIRS: usize = 1_792;
const PROMOTIONS: [Role; 3] = [Role::Queen, Role::Rook, Role::Bishop];
/// The convolutional head has promotions in another order than the index.
const HEAD_PROMOTIONS: [Role; 3] = [Role::Rook, Role::Bishop, Role::Queen];

impl Lc0 {
    /// The plane of plies without progress, and what Leela's value of it has been divided by.
    pub const SCALED_PLANE: (usize, f32) = (109, NO_PROGRESS_SCALE);
}

/// From, to and promotion of every policy index, as the mover sees them.
static MOVES: LazyLock<Vec<(Square, Square, Option<Role>)>> = LazyLock::new(|| {
    let pairs = Square::ALL.into_iter().flat_map(|from| Square::ALL.map(|to| (from, to)));
    let mut moves: Vec<_> = pairs
        .filter(|&(from, to)| policy73::is_queen_or_knight_move(from, to))
        .map(|(from, to)| (from, to, None))
        .collect();
    let seventh = |square: &Square| square.rank() == Rank::Seventh;
    for from in Square::ALL.into_iter().filter(seventh) {
        for to in Square::ALL.into_iter().filter(|to| to.rank() == Rank::Eighth && from.distance(*to) == 1) {
            moves.extend(PROMOTIONS.map(|role| (from, to, Some(role))));
        }
    }
    moves
});

/// The policy index of every pair of squares, and of every promotion by from and to file.
static INDICES: LazyLock<Vec<u16>> = LazyLock::new(|| {
    let mut indices = vec![u16::MAX; 4 * 64 * 64];
    for (index, &(from, to, promotion)) in MOVES.iter().enumerate() {
        indices[slot(from, to, promotion)] = index as u16;
    }
    indices
});

fn slot(from: Square, to: Square, promotion: Option<Role>) -> usize {
    let promotion = promotion.and_then(|role| PROMOTIONS.iter().position(|other| *other == role));
    (promotion.map_or(0, |promotion| promotion + 1) * 64 + from as usize) * 64 + to as usize
}

impl Encoding for Lc0 {
    type Game = Chess;

    const NAME: &'static str = "chess/lc0-112";
    const VERSION: u32 = 1;
    const PLANES: usize = STEPS * STEP_PLANES + 8;
    const HEIGHT: usize = 8;
    const WIDTH: usize = 8;
    const POLICY_PLANES: usize = 73;
    const POLICY_SIZE: usize = PAIRS + 66;
    // Black to move.
    const ABSOLUTE_PLANES: &'static [usize] = &[STEPS * STEP_PLANES + 4];

    fn planes(game: &Chess, planes: &mut [f32]) {
        planes.fill(0.0);
        let position = game.shakmaty();
        let (us, them) = (position.turn(), !position.turn());
        let (steps, constants) = planes.split_at_mut(STEPS * STEP_PLANES * 64);
        let mut known = 0;
        let mut oldest = None;
        for (step, snapshot) in steps.chunks_exact_mut(STEP_PLANES * 64).zip(game.snapshots()) {
            write_step(&snapshot, us, step);
            known += 1;
            oldest = Some(snapshot);
        }
        if let Some(mut oldest) = oldest.filter(|_| known < STEPS && !game.began_at_the_start()) {
            undo_double_step(&mut oldest);
            for step in steps.chunks_exact_mut(STEP_PLANES * 64).skip(known) {
                write_step(&oldest, us, step);
            }
        }
        let castles = position.castles();
        let has = |color, side| f32::from(u8::from(castles.has(color, side)));
        let values = [
            has(us, CastlingSide::QueenSide),
            has(us, CastlingSide::KingSide),
            has(them, CastlingSide::QueenSide),
            has(them, CastlingSide::KingSide),
            f32::from(u8::from(us == Color::Black)),
            (position.halfmoves() as f32 / NO_PROGRESS_SCALE).min(1.0),
            0.0,
            1.0,
        ];
        for (plane, value) in constants.chunks_exact_mut(64).zip(values) {
            plane.fill(value);
        }
    }

    fn index(game: &Chess, m: Move) -> usize {
        let us = game.shakmaty().turn();
        let promotion = m.promotion().filter(|role| *role != Role::Knight);
        INDICES[slot(seen_by(us, m.from()), seen_by(us, m.to()), promotion)].into()
    }

    fn move_at(game: &Chess, index: usize) -> Option<Move> {
        let &(from, to, promotion) = MOVES.get(index)?;
        let position = game.shakmaty();
        let us = position.turn();
        let (from, to) = (seen_by(us, from), seen_by(us, to));
        let pawn = position.board().role_at(from)? == Role::Pawn;
        let last_rank = matches!(to.rank(), Rank::First | Rank::Eighth);
        let promotion = match promotion {
            None if pawn && last_rank => Some(Role::Knight),
            Some(_) if !pawn => return None,
            promotion => promotion,
        };
        let m = Move::new(from, to, promotion);
        position.is_legal(m.to_shakmaty(position)?).then_some(m)
    }

    fn opponent_cell(cell: usize) -> usize {
        policy73::opponent_cell(cell)
    }

    fn head_output(index: usize) -> usize {
        let (from, to, promotion) = MOVES[index];
        let plane = match promotion.and_then(|role| HEAD_PROMOTIONS.iter().position(|other| *other == role)) {
            Some(role) => {
                let files = i32::from(to.file()) - i32::from(from.file());
                policy73::PROMOTION_PLANES + 3 * (files + 1) as usize + role
            }
            None => policy73::move_plane(policy73::delta(from, to)),
        };
        plane * 64 + from as usize
    }
}

fn write_step(snapshot: &Snapshot, us: Color, step: &mut [f32]) {
    let kinds = [us, !us].into_iter().flat_map(|color| Role::ALL.map(|role| (color, role)));
    for (plane, (color, role)) in step.chunks_exact_mut(64).zip(kinds) {
        for square in snapshot.board.by_color(color) & snapshot.board.by_role(role) {
            plane[seen_by(us, square) as usize] = 1.0;
        }
    }
    if snapshot.repetitions > 0 {
        step[12 * 64..].fill(1.0);
    }
}

/// Puts the pawn that has just made its double step back where it came from.
fn undo_double_step(snapshot: &mut Snapshot) {
    if let Some(passed) = snapshot.double_step {
        let (from, to) = if passed.rank() == Rank::Third { (-8, 8) } else { (8, -8) };
        let (from, to) = (passed.offset(from), passed.offset(to));
        if let (Some(from), Some(pawn)) = (from, to.and_then(|to| snapshot.board.remove_piece_at(to))) {
            snapshot.board.set_piece_at(from, pawn);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Rules;
    use crate::{Game, play_line};

    /// The hash that the notes on the format give for known positions: masks and values of all planes.
    fn plane_hash(game: &Chess) -> u64 {
        let mut planes = vec![f32::NAN; Lc0::PLANES * 64];
        Lc0::planes(game, &mut planes);
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        let mut feed = |bytes: &[u8]| {
            for byte in bytes {
                hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
            }
        };
        for (number, plane) in planes.chunks_exact(64).enumerate() {
            let counter = number == Lc0::SCALED_PLANE.0;
            let mask = (0..64).filter(|&cell| counter || plane[cell] != 0.0).fold(0u64, |mask, cell| mask | 1 << cell);
            feed(&mask.to_le_bytes());
            feed(&(if counter { plane[0] * Lc0::SCALED_PLANE.1 } else { 1.0 }).to_le_bytes());
        }
        hash
    }

    #[test]
    fn known_planes_are_reproduced() {
        let mut game = Chess::new(&Rules::default());
        assert_eq!(plane_hash(&game), 0x4148_0a50_8cce_5194);
        play_line(&mut game, "e2e4").unwrap();
        assert_eq!(plane_hash(&game), 0x5bba_d4b0_865a_abd0);
    }

    #[test]
    fn indices_are_in_leelas_order() {
        assert_eq!(MOVES.len(), 1_858);
        let index = |fen: &str, text: &str| {
            let game = Chess::from_position(fen, &Rules::default()).unwrap();
            Lc0::index(&game, game.parse_move(text).unwrap())
        };
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!(index(start, "g1f3"), 159);
        assert_eq!(index(start, "e2e4"), 322);
        assert_eq!(index("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", "e7e5"), 322);
        let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        assert_eq!((index(castling, "e1c1"), index(castling, "e1g1")), (97, 103));
        let promotion = "1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1";
        assert_eq!(
            (index(promotion, "a7a8n"), index(promotion, "a7a8q"), index(promotion, "a7b8r")),
            (1_401, 1_792, 1_796)
        );
    }
}
