//! `chess/attacks`: the position with what attacks what.

use shakmaty::{CastlingSide, Color, Position, Role};

use super::Chess;
use super::az::{STEP_PLANES, write_step};
use super::moves::Move;
use super::policy73::{self, seen_by};
use crate::{Encoding, Symmetry};

/// One position as the mover sees it, and which squares its pieces attack. Everything follows from the rules: a small network that
/// is given attacks need not spend its first layers on finding them.
///
/// | planes | what |
/// |---|---|
/// | 0-13 | pieces and repetitions, as a step of [`Az`](super::Az) |
/// | 14-18 | squares that the mover's pawns, knights or bishops, rooks, queens, king attack |
/// | 19-20 | squares that at least two, at least three of the mover's pieces attack |
/// | 21-27 | the same for the opponent |
/// | 28-31 | all ones if the mover may castle short, long; the opponent |
/// | 32 | plies without progress beyond 60, in 40ths: near a draw by the fifty-move rule it counts, before that it is noise |
/// | 33 | all ones, which shows where the board ends |
///
/// There is no move number and no colour. Occupied squares count as attacked, which is what defends them; a piece behind
/// another attacks nothing beyond it.
pub struct Attacks;

const ATTACK_PLANES: usize = 7;
const CONSTANT_PLANES: usize = 6;

/// The plane of each kind of attacker.
fn attacker_plane(role: Role) -> usize {
    match role {
        Role::Pawn => 0,
        Role::Knight | Role::Bishop => 1,
        Role::Rook => 2,
        Role::Queen => 3,
        Role::King => 4,
    }
}

/// Plies without progress that do not matter yet.
const EARLY_PLIES: u32 = 60;

impl Encoding for Attacks {
    type Game = Chess;

    const NAME: &'static str = "chess/attacks";
    const VERSION: u32 = 1;
    const PLANES: usize = STEP_PLANES + 2 * ATTACK_PLANES + CONSTANT_PLANES;
    const HEIGHT: usize = 8;
    const WIDTH: usize = 8;
    const POLICY_PLANES: usize = policy73::PLANES;
    const POLICY_SIZE: usize = policy73::SIZE;
    const SYMMETRIES: &'static [Symmetry] = &[policy73::MIRROR];

    fn planes(game: &Chess, planes: &mut [f32]) {
        planes.fill(0.0);
        let position = game.shakmaty();
        let (us, them) = (position.turn(), !position.turn());
        let (step, rest) = planes.split_at_mut(STEP_PLANES * 64);
        game.snapshots().take(1).for_each(|snapshot| write_step(&snapshot, us, step));
        let (attacks, constants) = rest.split_at_mut(2 * ATTACK_PLANES * 64);
        for (planes, color) in attacks.chunks_exact_mut(ATTACK_PLANES * 64).zip([us, them]) {
            write_attacks(position, color, us, planes);
        }
        let castles = position.castles();
        let has = |color, side| f32::from(u8::from(castles.has(color, side)));
        let late = position.halfmoves().saturating_sub(EARLY_PLIES);
        let values = [
            has(us, CastlingSide::KingSide),
            has(us, CastlingSide::QueenSide),
            has(them, CastlingSide::KingSide),
            has(them, CastlingSide::QueenSide),
            (late as f32 / (100 - EARLY_PLIES) as f32).min(1.0),
            1.0,
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

/// Writes the planes of one side's attacks.
fn write_attacks(position: &shakmaty::Chess, color: Color, us: Color, planes: &mut [f32]) {
    let board = position.board();
    let mut counts = [0u8; 64];
    for from in board.by_color(color) {
        let Some(role) = board.role_at(from) else { continue };
        let plane = &mut planes[attacker_plane(role) * 64..][..64];
        for to in board.attacks_from(from) {
            let cell = seen_by(us, to) as usize;
            plane[cell] = 1.0;
            counts[cell] += 1;
        }
    }
    for (least, plane) in (2..).zip(planes[5 * 64..].chunks_exact_mut(64)) {
        for (cell, count) in plane.iter_mut().zip(counts) {
            *cell = f32::from(u8::from(count >= least));
        }
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::Square;

    use super::*;
    use crate::Game;

    fn plane(fen: &str, number: usize) -> Vec<Square> {
        let game = Chess::from_position(fen, &Default::default()).unwrap();
        let mut planes = vec![f32::NAN; Attacks::PLANES * 64];
        Attacks::planes(&game, &mut planes);
        let cells = planes[number * 64..][..64].iter().enumerate();
        cells.filter(|(_, value)| **value == 1.0).map(|(cell, _)| Square::new(cell as u32)).collect()
    }

    #[test]
    fn attacks_are_those_of_the_pieces_and_end_at_the_first_piece() {
        use Square::*;
        let fen = "4k3/8/8/3p4/8/2N5/1P6/R3K3 w - - 0 1";
        assert_eq!(Attacks::PLANES, 34);
        assert_eq!(plane(fen, 14), [A3, C3], "the pawn defends the knight");
        assert_eq!(plane(fen, 15), [B1, D1, A2, E2, A4, E4, B5, D5], "the knight attacks the pawn");
        assert_eq!(plane(fen, 16), [B1, C1, D1, E1, A2, A3, A4, A5, A6, A7, A8], "up to the king");
        assert_eq!(plane(fen, 19), [B1, D1, A2, E2, A3, A4], "attacked twice");
        assert_eq!(plane(fen, 20), [D1], "by rook, knight and king");
        assert_eq!(plane(fen, 21), [C4, E4], "what the other side's pawn attacks, seen from this side");
        assert_eq!(plane(fen, 33).len(), 64);
    }

    #[test]
    fn black_sees_the_same_as_white_would() {
        let white = "r3k3/8/8/3p4/8/2N5/1P6/R3K2R w KQq - 70 40";
        let black = "r3k2r/1p6/2n5/8/3P4/8/8/R3K3 b Qkq - 70 3";
        for number in 0..Attacks::PLANES {
            assert_eq!(plane(white, number), plane(black, number), "plane {number}");
        }
    }

    #[test]
    fn the_counter_counts_only_near_the_end() {
        let value = |halfmoves: u32| {
            let fen = format!("4k3/8/8/8/8/8/8/R3K3 w - - {halfmoves} 90");
            let game = Chess::from_position(&fen, &Default::default()).unwrap();
            let mut planes = vec![f32::NAN; Attacks::PLANES * 64];
            Attacks::planes(&game, &mut planes);
            planes[32 * 64]
        };
        assert_eq!([0, 60, 80, 99].map(value), [0.0, 0.0, 0.5, 0.975]);
    }
}
