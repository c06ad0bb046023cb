//! How a network sees the headquarters game.

use super::cells::{CELLS, Cell, Direction, HEIGHT, WIDTH};
use super::game::Headquarters;
use super::moves::{ACTIONS, Action, Move, Order};
use super::position::{FULL_HEALTH, FULL_POINTS, UNITS};
use crate::{Encoding, Symmetry};

/// `headquarters/grid`: the map with its corner at the first cell, for blue turned by 180 degrees. Nine planes:
///
/// | planes | what |
/// |---|---|
/// | 0-2 | the mover's soldiers, one plane each: a tenth of the health |
/// | 3 | those of them that have had their orders |
/// | 4 | the enemy's soldiers: a tenth of the health |
/// | 5, 6 | the mover's and the enemy's headquarters: a twentieth of the points |
/// | 7 | cells that can be walked on: neither obstacles nor beyond the edge of a smaller map |
/// | 8 | turns left in hundreds, at most 1 |
///
/// The policy index of an order is (soldier x 6 + action) x 150 + the cell it goes to; the end of the turn is 2,700. It sits in
/// the middle of a head plane of its own.
pub struct Grid;

/// Policy planes of orders.
const ORDERS: usize = UNITS * ACTIONS;

/// The policy index of the end of the turn.
const END: usize = ORDERS * CELLS;

/// A cell in the middle.
const CENTRE: usize = HEIGHT / 2 * WIDTH + WIDTH / 2;

/// Turns left for which their plane is 1.
const TURNS: f32 = 100.0;

impl Encoding for Grid {
    type Game = Headquarters;

    const NAME: &'static str = "headquarters/grid";
    const VERSION: u32 = 1;
    const PLANES: usize = 9;
    const HEIGHT: usize = HEIGHT;
    const WIDTH: usize = WIDTH;
    const POLICY_PLANES: usize = ORDERS + 1;
    const POLICY_SIZE: usize = END + 1;
    const SYMMETRIES: &'static [Symmetry] =
        &[Symmetry { name: "top-bottom mirror", cell: mirror, index: mirror_index }];

    fn planes(game: &Headquarters, planes: &mut [f32]) {
        let position = &game.position;
        planes.fill(0.0);
        let mut set =
            |plane: usize, cell: Cell, value: f32| planes[plane * CELLS + position.seen(cell).index()] = value;
        let health = |points: u8| f32::from(points) / f32::from(FULL_HEALTH);
        for (slot, unit) in position.own().living() {
            set(slot, unit.cell, health(unit.health));
            set(3, unit.cell, f32::from(u8::from(position.has_acted(slot))));
        }
        for (_, unit) in position.other().living() {
            set(4, unit.cell, health(unit.health));
        }
        for (plane, army) in [(5, position.own()), (6, position.other())] {
            set(plane, army.headquarters, f32::from(army.points) / f32::from(FULL_POINTS));
        }
        position.field.free.iter().for_each(|cell| set(7, cell, 1.0));
        planes[8 * CELLS..].fill((f32::from(game.turns_left()) / TURNS).min(1.0));
    }

    fn index(game: &Headquarters, m: Move) -> usize {
        let Some(Order { slot, to, action }) = m.order() else { return END };
        (slot * ACTIONS + game.position.seen_action(action).number()) * CELLS + game.position.seen(to).index()
    }

    fn move_at(game: &Headquarters, index: usize) -> Option<Move> {
        let m = if index == END {
            Move::END
        } else {
            let plane = (index < END).then_some(index / CELLS)?;
            let to = game.position.seen(Cell::at(index % CELLS)?);
            Order { slot: plane / ACTIONS, to, action: game.position.seen_action(Action::at(plane % ACTIONS)) }.into()
        };
        game.position.is_legal(m).then_some(m)
    }

    /// On a map of the full size: smaller ones are turned around their own centre.
    fn opponent_cell(cell: usize) -> usize {
        CELLS - 1 - cell
    }

    fn head_output(index: usize) -> usize {
        if index == END { END + CENTRE } else { index }
    }

    fn can_turn(game: &Headquarters, _: usize) -> bool {
        // A smaller map would lie at the other edge of the planes afterwards, where no game has its map.
        usize::from(game.position.field.height) == HEIGHT
    }

    fn turned(game: &Headquarters, symmetry: usize) -> Option<Headquarters> {
        Grid::can_turn(game, symmetry).then(|| game.with(game.position.mirrored()))
    }
}

fn mirror(cell: usize) -> usize {
    (HEIGHT - 1 - cell / WIDTH) * WIDTH + cell % WIDTH
}

fn mirror_index(index: usize) -> usize {
    if index == END {
        return END;
    }
    let (plane, cell) = (index / CELLS, index % CELLS);
    let action = match Action::at(plane % ACTIONS) {
        Action::Attack(up_or_down @ (Direction::Up | Direction::Down)) => Action::Attack(up_or_down.opposite()),
        other => other,
    };
    (plane / ACTIONS * ACTIONS + action.number()) * CELLS + mirror(cell)
}
