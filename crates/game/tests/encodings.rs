//! The chess planes hold the position: it can be read out of them again. The opponent sees the same board from the other side.
#![allow(clippy::unwrap_used)]

use alfil_game::chess::{Attacks, Az21, Az119, Chess, Lc0, Rules};
use alfil_game::{Encoding, Game, hexchess};
use proptest::prelude::*;
use shakmaty::{Board, CastlingSide, Color, Piece, Position, Role, Square};

/// Pieces of a history step as White would see them, and the square of a pawn drawn on the last rank.
fn board(planes: &[f32], step: usize, mover: Color) -> (Board, Option<Square>) {
    let mut board = Board::empty();
    let mut passed = None;
    for (number, plane) in planes[step * 14 * 64..].chunks_exact(64).take(12).enumerate() {
        let color = if number < 6 { mover } else { !mover };
        let role = Role::ALL[number % 6];
        for cell in (0..64).filter(|&cell| plane[cell] == 1.0) {
            let seen = Square::new(cell as u32);
            let square = if mover == Color::White { seen } else { seen.flip_vertical() };
            let on_last_rank = matches!(cell / 8, 0 | 7);
            if role == Role::Pawn && on_last_rank {
                // Back to the fourth rank of its own side.
                let rank = if color == Color::White { shakmaty::Rank::Fourth } else { shakmaty::Rank::Fifth };
                let pawn = Square::from_coords(square.file(), rank);
                board.set_piece_at(pawn, Piece { color, role });
                passed = Some(pawn);
            } else {
                board.set_piece_at(square, Piece { color, role });
            }
        }
    }
    (board, passed)
}

proptest! {
    #[test]
    fn every_board_of_the_history_can_be_read_back(choices in prop::collection::vec(any::<u16>(), 0..150)) {
        let mut game = Chess::new(&Rules::default());
        let mut boards = vec![game.shakmaty().board().clone()];
        let mut moves = Vec::new();
        for choice in choices {
            if game.legal_moves(&mut moves).is_some() {
                break;
            }
            game.play(moves[choice as usize % moves.len()]);
            boards.push(game.shakmaty().board().clone());
        }
        let position = game.shakmaty();
        let mover = position.turn();
        let mut planes = vec![f32::NAN; Az119::PLANES * 64];
        Az119::planes(&game, &mut planes);
        for (step, expected) in boards.iter().rev().take(8).enumerate() {
            prop_assert_eq!(&board(&planes, step, mover).0, expected, "{} plies ago", step);
        }
        let beyond = boards.len().min(8) * 14 * 64..8 * 14 * 64;
        prop_assert!(planes[beyond].iter().all(|&value| value == 0.0));

        let pawn = board(&planes, 0, mover).1;
        prop_assert_eq!(pawn.map(|pawn| pawn.file()), position.legal_ep_square().map(|square| square.file()));
        let constant = |number: usize| planes[(8 * 14 + number) * 64];
        prop_assert_eq!(constant(0) == 1.0, mover == Color::Black);
        for (number, (color, side)) in [(mover, CastlingSide::KingSide), (mover, CastlingSide::QueenSide),
            (!mover, CastlingSide::KingSide), (!mover, CastlingSide::QueenSide)].into_iter().enumerate() {
            prop_assert_eq!(constant(2 + number) == 1.0, position.castles().has(color, side));
        }
        prop_assert_eq!((constant(6) * 100.0).round() as u32, position.halfmoves());

        // The small encoding is the first step and the constants.
        let mut small = vec![f32::NAN; Az21::PLANES * 64];
        Az21::planes(&game, &mut small);
        prop_assert_eq!(&small[..14 * 64], &planes[..14 * 64]);
        prop_assert_eq!(&small[14 * 64..], &planes[8 * 14 * 64..]);
    }
}

/// Plays a random game and compares the opponent's pieces, without its pawns, before a move and after it: planes 7 to 11, and then
/// planes 1 to 5 as the opponent sees them.
fn the_opponent_sees_its_pieces<E: Encoding>(choices: &[u16]) {
    let mut game = E::Game::new(&Default::default());
    let mut moves = Vec::new();
    let planes = |game: &E::Game| {
        let mut planes = vec![f32::NAN; E::PLANES * E::CELLS];
        E::planes(game, &mut planes);
        planes
    };
    for choice in choices {
        if game.legal_moves(&mut moves).is_some() {
            break;
        }
        let before = planes(&game);
        game.play(moves[usize::from(*choice) % moves.len()]);
        let after = planes(&game);
        let standing = (E::CELLS..6 * E::CELLS).filter(|&at| after[at] == 1.0);
        for at in standing {
            // A piece was captured where there is one less; the others are where they were.
            let seen = E::opponent_cell(at % E::CELLS);
            assert_eq!(before[6 * E::CELLS + at / E::CELLS * E::CELLS + seen], 1.0, "{} cell {seen}", E::NAME);
        }
    }
}

proptest! {
    #[test]
    fn the_opponent_sees_cells_where_its_pieces_are(choices in prop::collection::vec(any::<u16>(), 0..80)) {
        the_opponent_sees_its_pieces::<Az21>(&choices);
        the_opponent_sees_its_pieces::<Attacks>(&choices);
        the_opponent_sees_its_pieces::<Lc0>(&choices);
        the_opponent_sees_its_pieces::<hexchess::Grid>(&choices);
    }
}
