//! How a network sees Connect Four.

use super::game::{Column, Connect4};
use super::grid::{self, COLUMNS, ROWS};
use crate::{Encoding, Symmetry};

/// `connect4/stones`: a plane of the mover's stones and one of the opponent's, bottom row first. The policy index of a
/// move is the cell that its stone falls to, so that the policy head rates each cell in its place.
pub struct Stones;

impl Encoding for Stones {
    type Game = Connect4;

    const NAME: &'static str = "connect4/stones";
    const VERSION: u32 = 1;
    const PLANES: usize = 2;
    const HEIGHT: usize = ROWS;
    const WIDTH: usize = COLUMNS;
    const POLICY_PLANES: usize = 1;
    const POLICY_SIZE: usize = ROWS * COLUMNS;
    const SYMMETRIES: &'static [Symmetry] = &[Symmetry { name: "left-right mirror", cell: mirror, index: mirror }];

    fn planes(game: &Connect4, planes: &mut [f32]) {
        let (own, others) = planes.split_at_mut(ROWS * COLUMNS);
        for (i, (own, other)) in own.iter_mut().zip(others).enumerate() {
            let cell = grid::cell(i / COLUMNS, i % COLUMNS);
            let (mine, taken) = (game.own() & cell != 0, game.occupied() & cell != 0);
            *own = f32::from(u8::from(mine));
            *other = f32::from(u8::from(taken && !mine));
        }
    }

    fn index(game: &Connect4, m: Column) -> usize {
        let (row, column) = grid::coordinates(grid::landing(game.occupied()) & grid::column(m.0.into()));
        row * COLUMNS + column
    }

    fn move_at(game: &Connect4, index: usize) -> Option<Column> {
        let cell = (index < ROWS * COLUMNS).then(|| grid::cell(index / COLUMNS, index % COLUMNS))?;
        let over = grid::has_four(game.own() ^ game.occupied());
        (!over && grid::landing(game.occupied()) & cell != 0).then_some(Column((index % COLUMNS) as u8))
    }
}

fn mirror(cell: usize) -> usize {
    cell / COLUMNS * COLUMNS + (COLUMNS - 1 - cell % COLUMNS)
}
