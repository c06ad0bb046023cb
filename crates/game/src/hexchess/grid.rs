//! How a network sees hexagonal chess.

use super::board::Role;
use super::cell::Cell;
use super::game::{FIFTY_MOVES, HexChess};
use super::moves::Move;
use super::policy::{self, GRID, SPAN, board_cell, grid_cell};
use crate::{Encoding, Game, Symmetry};

/// `hexchess/grid`: the board in a grid of 11 x 11, a row for each axial r and a column for each q, so that the cells
/// beside a cell are always in the same six places.
///
/// Planes 0 to 5 hold the mover's pawns, knights, bishops, rooks, queens and king, 6 to 11 the opponent's, 12 the cell
/// on which a pawn can be captured in passing; 13 is all ones if the position has occurred before, 14 is the share of the
/// 50-move rule that is used up; 15 marks the 91 cells of the grid that are on the board.
///
/// For Black the board is mirrored top to bottom: half a turn would exchange the places of king and queen.
///
/// Policy indices 0 to 3869 are the pairs of cells that a queen or a knight can go between on an empty board, promotion to
/// a queen included; 3870 to 3932 the under-promotions. They are ordered by the from cell, then by the plane of a
/// convolutional head: planes 0 to 59 for 6 rook directions (clockwise from straight up) x 10 + steps - 1, 60 to 89 for
/// 6 bishop directions (from the upper right) x 5 + steps - 1, 90 to 101 for the knight's jumps, 102 to 110 for 3 x (rook,
/// bishop, knight) + (capture to the left, straight, capture to the right).
pub struct Grid;

const EN_PASSANT: usize = 12;
const REPEATED: usize = 13;
const CLOCK: usize = 14;
const ON_BOARD: usize = 15;

impl Encoding for Grid {
    type Game = HexChess;

    const NAME: &'static str = "hexchess/grid";
    const VERSION: u32 = 1;
    const PLANES: usize = 16;
    const HEIGHT: usize = SPAN;
    const WIDTH: usize = SPAN;
    const POLICY_PLANES: usize = policy::PLANES;
    const POLICY_SIZE: usize = policy::SIZE;
    const SYMMETRIES: &'static [Symmetry] =
        &[Symmetry { name: "left-right mirror", cell: mirrored_cell, index: mirrored_index }];

    fn planes(game: &HexChess, planes: &mut [f32]) {
        planes.fill(0.0);
        let position = game.current();
        let us = position.turn();
        for (plane, side) in [(0, us), (6, !us)] {
            for role in Role::ALL {
                for cell in position.board().pieces(side, role) {
                    planes[(plane + role as usize) * GRID + grid_cell(cell.seen_by(us))] = 1.0;
                }
            }
        }
        if let Some(passed) = position.en_passant() {
            planes[EN_PASSANT * GRID + grid_cell(passed.seen_by(us))] = 1.0;
        }
        planes[REPEATED * GRID..][..GRID].fill(f32::from(u8::from(game.is_repeated())));
        planes[CLOCK * GRID..][..GRID].fill((game.clock() as f32 / FIFTY_MOVES as f32).min(1.0));
        for cell in Cell::all() {
            planes[ON_BOARD * GRID + grid_cell(cell)] = 1.0;
        }
    }

    fn index(game: &HexChess, m: Move) -> usize {
        policy::index(m.turned(|cell| cell.seen_by(game.side())))
    }

    fn move_at(game: &HexChess, index: usize) -> Option<Move> {
        let m = policy::move_at(index)?.turned(|cell| cell.seen_by(game.side()));
        if !game.current().board().side(game.side()).contains(m.from()) {
            return None;
        }
        let mut moves = Vec::new();
        game.generate(&mut moves);
        moves.contains(&m).then_some(m)
    }

    fn opponent_cell(cell: usize) -> usize {
        board_cell(cell).map_or(cell, |on_board| grid_cell(on_board.up_down()))
    }

    fn head_output(index: usize) -> usize {
        policy::output(index)
    }
}

/// Cells of the grid that are not on the board stay where they are.
fn mirrored_cell(cell: usize) -> usize {
    board_cell(cell).map_or(cell, |on_board| grid_cell(on_board.left_right()))
}

fn mirrored_index(index: usize) -> usize {
    policy::move_at(index).map_or(index, |m| policy::index(m.turned(Cell::left_right)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::Examples;
    use crate::play_line;

    fn plane(game: &HexChess, number: usize) -> Vec<String> {
        let mut planes = vec![f32::NAN; Grid::PLANES * GRID];
        Grid::planes(game, &mut planes);
        let cells = planes[number * GRID..][..GRID].iter().enumerate().filter(|(_, value)| **value == 1.0);
        cells.filter_map(|(cell, _)| board_cell(cell)).map(|cell| cell.to_string()).collect()
    }

    fn planes_of(game: &HexChess, text: &str) -> (usize, usize) {
        let output = Grid::head_output(Grid::index(game, game.parse_move(text).unwrap()));
        (output / GRID, output % GRID)
    }

    #[test]
    fn both_sides_see_the_same_start() {
        let mut game = HexChess::new(&Default::default());
        let white = [plane(&game, 0), plane(&game, 4), plane(&game, 11)];
        assert_eq!(white[1], ["e1"]);
        assert_eq!(white[2], ["g10"]);
        play_line(&mut game, "d1f4 d9f8 f4d1").unwrap();
        let black = [plane(&game, 0), plane(&game, 10), plane(&game, 5)];
        assert_eq!(black, [white[0].clone(), vec!["e10".to_owned()], vec!["g1".to_owned()]]);
        assert_eq!(plane(&game, ON_BOARD).len(), 91);
    }

    #[test]
    fn en_passant_repetition_and_clock_have_their_planes() {
        let mut game = HexChess::new(&Default::default());
        play_line(&mut game, "f6 b6 b2 e5").unwrap();
        assert_eq!(plane(&game, EN_PASSANT), ["e6"]);
        let mut game = HexChess::new(&Default::default());
        play_line(&mut game, "Kg2 Kg9 Kg1").unwrap();
        assert!(plane(&game, REPEATED).is_empty());
        play_line(&mut game, "Kg10").unwrap();
        assert_eq!(plane(&game, REPEATED).len(), 91);
        let mut planes = vec![f32::NAN; Grid::PLANES * GRID];
        Grid::planes(&game, &mut planes);
        assert!(planes[CLOCK * GRID..][..GRID].iter().all(|value| (value - 0.04).abs() < 1e-6));
    }

    #[test]
    fn moves_have_the_documented_planes() {
        let game = HexChess::new(&Default::default());
        let from = |name| grid_cell(Cell::parse(name).unwrap());
        assert_eq!(planes_of(&game, "g4g6"), (1, from("g4")));
        // The first jump is to the right and far up, the last to the left.
        assert_eq!(planes_of(&game, "h1i3"), (90, from("h1")));
        assert_eq!(planes_of(&game, "d1c3"), (101, from("d1")));
        let text = "1/1Pr/5/7/9/11/11/11/1k9/11/5K5 w - 0 1";
        let game = HexChess::from_position(text, &Default::default()).unwrap();
        assert_eq!(planes_of(&game, "f10f11q"), (0, from("f10")));
        assert_eq!(planes_of(&game, "f10f11r"), (103, from("f10")));
        assert_eq!(planes_of(&game, "f10g10n"), (110, from("f10")));
        // Black sees the same.
        let twin = game.swapped().unwrap();
        assert_eq!(planes_of(&twin, "f2g1n"), (110, from("f10")));
    }

    #[test]
    fn the_mirror_is_its_own_inverse() {
        for cell in 0..GRID {
            assert_eq!(mirrored_cell(mirrored_cell(cell)), cell);
        }
        for index in 0..Grid::POLICY_SIZE {
            assert_eq!(mirrored_index(mirrored_index(index)), index);
            assert_eq!(policy::index(policy::move_at(index).unwrap()), index);
        }
    }
}
