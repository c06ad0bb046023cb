//! The encodings of the AlphaZero paper: `chess/az119` with eight positions, `chess/az21` with one.

use shakmaty::{Bitboard, CastlingSide, Color, Position, Role, Square};

use super::moves::Move;
use super::policy73::{self, seen_by};
use super::{Chess, game::Snapshot};
use crate::{Encoding, Symmetry};

/// AlphaZero's input and policy with `STEPS` positions of history.
///
/// Each step takes 14 planes: the mover's pawns, knights, bishops, rooks, queens and king, the opponent's, then two
/// that are all ones if the position has occurred at least once or twice before. A pawn that may be captured in passing
/// is drawn on the mover's last rank instead of its own square, where no pawn can stand. Steps from before the first
/// position are zero.
///
/// Seven constant planes follow: black to move; move number, 1 at move 257; the mover's right to castle short and long;
/// the opponent's; plies without progress, 1 when they draw. The paper leaves the counters unscaled: networks then
/// learn to play by the move number.
///
/// For Black the board is mirrored top to bottom, so that the king stays on its file.
///
/// The policy has a plane for each of 73 ways to move, and a cell for the square moved from (`policy73.rs`).
pub struct Az<const STEPS: usize>;

/// `chess/az119`
pub type Az119 = Az<8>;

/// `chess/az21`
pub type Az21 = Az<1>;

pub(super) const STEP_PLANES: usize = 14;
const CONSTANT_PLANES: usize = 7;

/// Moves until the move-number plane is full: half of the 512 plies that a game may last.
const MOVE_NUMBER_SCALE: f32 = 256.0;
const NO_PROGRESS_SCALE: f32 = 100.0;

impl<const STEPS: usize> Encoding for Az<STEPS> {
    type Game = Chess;

    const NAME: &'static str = match STEPS {
        1 => "chess/az21",
        8 => "chess/az119",
        _ => panic!("only 1 and 8 steps have a name"),
    };
    const VERSION: u32 = 1;
    const PLANES: usize = STEP_PLANES * STEPS + CONSTANT_PLANES;
    const HEIGHT: usize = 8;
    const WIDTH: usize = 8;
    const POLICY_PLANES: usize = policy73::PLANES;
    const POLICY_SIZE: usize = policy73::SIZE;
    const SYMMETRIES: &'static [Symmetry] = &[policy73::MIRROR];
    // Whose move it is, and the move number, which goes up after Black's move.
    const ABSOLUTE_PLANES: &'static [usize] = &[STEP_PLANES * STEPS, STEP_PLANES * STEPS + 1];

    fn planes(game: &Chess, planes: &mut [f32]) {
        planes.fill(0.0);
        let position = game.shakmaty();
        let (us, them) = (position.turn(), !position.turn());
        let (steps, constants) = planes.split_at_mut(STEP_PLANES * STEPS * 64);
        for (step, snapshot) in steps.chunks_exact_mut(STEP_PLANES * 64).zip(game.snapshots()) {
            write_step(&snapshot, us, step);
        }
        let castles = position.castles();
        let has = |color, side| f32::from(u8::from(castles.has(color, side)));
        let values = [
            f32::from(u8::from(us == Color::Black)),
            ((position.fullmoves().get() - 1) as f32 / MOVE_NUMBER_SCALE).min(1.0),
            has(us, CastlingSide::KingSide),
            has(us, CastlingSide::QueenSide),
            has(them, CastlingSide::KingSide),
            has(them, CastlingSide::QueenSide),
            (position.halfmoves() as f32 / NO_PROGRESS_SCALE).min(1.0),
        ];
        for (plane, value) in constants.chunks_exact_mut(64).zip(values) {
            plane.fill(value);
        }
    }

    fn index(game: &Chess, m: Move) -> usize {
        policy73::index(game, m)
    }

    fn move_at(game: &Chess, index: usize) -> Option<Move> {
        policy73::move_at(game, index)
    }

    fn opponent_cell(cell: usize) -> usize {
        policy73::opponent_cell(cell)
    }

    fn can_turn(game: &Chess, _: usize) -> bool {
        game.can_be_mirrored()
    }

    fn turned(game: &Chess, _: usize) -> Option<Chess> {
        game.mirrored()
    }
}

/// Writes the 14 planes of a position.
pub(super) fn write_step(snapshot: &Snapshot, us: Color, step: &mut [f32]) {
    let (pieces, repetitions) = step.split_at_mut(12 * 64);
    let colors = [us, !us];
    let kinds = colors.iter().flat_map(|&color| Role::ALL.map(|role| (color, role)));
    for (plane, (color, role)) in pieces.chunks_exact_mut(64).zip(kinds) {
        let mut squares = snapshot.board.by_color(color) & snapshot.board.by_role(role);
        // The pawn to be captured stands one rank behind the square it passed, seen by the side that captures.
        if let (Role::Pawn, Some(passed)) = (role, snapshot.en_passant) {
            let pawn = if passed.rank() == shakmaty::Rank::Sixth { passed as u32 - 8 } else { passed as u32 + 8 };
            let (pawn, drawn) = (Square::new(pawn), Square::from_coords(passed.file(), last_rank_beyond(passed)));
            if squares.contains(pawn) {
                squares ^= Bitboard::from(pawn) | Bitboard::from(drawn);
            }
        }
        for square in squares {
            plane[seen_by(us, square) as usize] = 1.0;
        }
    }
    for (plane, times) in repetitions.chunks_exact_mut(64).zip(1..) {
        if snapshot.repetitions >= times {
            plane.fill(1.0);
        }
    }
}

/// The last rank of the side that captures on `passed`.
fn last_rank_beyond(passed: Square) -> shakmaty::Rank {
    if passed.rank() == shakmaty::Rank::Sixth { shakmaty::Rank::Eighth } else { shakmaty::Rank::First }
}

#[cfg(test)]
mod tests {
    use super::policy73::{DIRECTIONS, KNIGHT_JUMPS, move_plane, shifted};
    use super::*;
    use crate::{Game, play_line};

    fn position(fen: &str) -> Chess {
        Chess::from_position(fen, &Default::default()).unwrap()
    }

    /// Plane, rank and file counted from 1, as in Fernández Camello, "Ajedrez y Computación" (2023).
    fn numbered(game: &Chess, text: &str) -> (usize, usize, usize) {
        let index = Az21::index(game, game.parse_move(text).unwrap());
        (index / 64 + 1, index % 64 / 8 + 1, index % 8 + 1)
    }

    fn plane<const STEPS: usize>(game: &Chess, number: usize) -> Vec<Square> {
        let mut planes = vec![f32::NAN; Az::<STEPS>::PLANES * 64];
        Az::<STEPS>::planes(game, &mut planes);
        let cells = planes[number * 64..][..64].iter().enumerate();
        cells.filter(|(_, value)| **value == 1.0).map(|(cell, _)| Square::new(cell as u32)).collect()
    }

    #[test]
    fn policy_planes_match_the_examples_of_fernandez_camello() {
        assert_eq!(numbered(&position("4k3/8/8/8/3Q4/8/8/4K3 w - - 0 1"), "d4d2"), (30, 4, 4));
        assert_eq!(numbered(&position("4k3/8/8/8/8/5N2/8/K7 w - - 0 1"), "f3e1"), (61, 3, 6));
        assert_eq!(numbered(&position("4nk2/3P4/8/8/8/8/8/K7 w - - 0 1"), "d7e8b"), (70, 7, 4));
        // Black's moves are seen from Black's side.
        assert_eq!(numbered(&position("k7/8/8/8/8/8/3p4/4NK2 b - - 0 1"), "d2e1b"), (70, 7, 4));
    }

    #[test]
    fn a_policy_has_1858_entries_on_the_board() {
        let mut entries = 0;
        for from in Square::ALL {
            for plane in 0..73 {
                let delta = match plane {
                    0..56 => {
                        let (files, ranks) = DIRECTIONS[plane / 7];
                        let distance = (plane % 7 + 1) as i32;
                        (files * distance, ranks * distance)
                    }
                    56..64 => KNIGHT_JUMPS[plane - 56],
                    _ if from.rank() != shakmaty::Rank::Seventh => continue,
                    _ => ((plane - 64) as i32 % 3 - 1, 1),
                };
                entries += usize::from(shifted(from, delta).is_some());
                assert!(plane >= 64 || move_plane(delta) == plane);
            }
        }
        assert_eq!(entries, 1858);
    }

    #[test]
    fn pieces_appear_where_the_mover_sees_them() {
        use Square::*;
        let game = position("rnbqkbnr/pp1ppppp/8/4P3/2P5/8/PP4PP/RNBQKBNR b KQkq - 0 2");
        assert_eq!(plane::<1>(&game, 1), [B1, G1], "Black's knights seen by Black");
        assert_eq!(plane::<1>(&game, 6), [E4, C5, A7, B7, G7, H7], "White's pawns seen by Black");
        assert_eq!(plane::<1>(&game, 14).len(), 64, "Black is to move");
        assert_eq!(Az21::PLANES, 21);
        assert_eq!(Az119::PLANES, 119);
    }

    #[test]
    fn a_pawn_that_can_be_captured_in_passing_is_drawn_on_the_last_rank() {
        use Square::*;
        let mut game = Chess::new(&Default::default());
        play_line(&mut game, "e4 a6 e5 d5").unwrap();
        assert_eq!(plane::<1>(&game, 6), [A6, B7, C7, E7, F7, G7, H7, D8]);
        // One ply later it is history: as Black sees it, the pawn then stood on Black's own first rank.
        play_line(&mut game, "h3").unwrap();
        assert_eq!(plane::<1>(&game, 0), [B2, C2, E2, F2, G2, H2, A3, D4]);
        assert_eq!(plane::<8>(&game, 14), [D1, B2, C2, E2, F2, G2, H2, A3]);
    }

    #[test]
    fn history_and_repetitions_are_remembered_newest_first() {
        use Square::*;
        let mut game = Chess::new(&Default::default());
        play_line(&mut game, "Nf3 Nf6 Ng1 Ng8 Nf3").unwrap();
        assert_eq!(plane::<8>(&game, 7), [F6, B8], "White's knights now, seen by Black");
        assert_eq!(plane::<8>(&game, 14 + 7), [B8, G8], "and a ply ago");
        assert_eq!(plane::<8>(&game, 12).len(), 64, "the position after Nf3 is there for the second time");
        assert_eq!(plane::<8>(&game, 13).len(), 0, "but not for the third");
        assert_eq!(plane::<8>(&game, 5 * 14 + 12).len(), 0, "the start position was new");
        assert_eq!(plane::<8>(&game, 6 * 14 + 5).len(), 0, "before the game there was nothing");
    }

    #[test]
    fn castling_has_the_same_index_in_chess960() {
        let orthodox = position("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1");
        let wide = position("4k3/8/8/8/8/8/8/RK5R w HA - 0 1");
        let short = |game: &Chess| Az21::index(game, game.parse_move("O-O").unwrap()) / 64;
        let long = |game: &Chess| Az21::index(game, game.parse_move("O-O-O").unwrap()) / 64;
        assert_eq!(short(&orthodox), 2 * 7 + 1);
        assert_eq!(short(&wide), short(&orthodox));
        assert_eq!(long(&wide), long(&orthodox));
    }
}
