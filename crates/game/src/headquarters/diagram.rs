//! The map as a picture.

use super::cells::{Cell, column_letter};
use super::game::Headquarters;
use crate::Side;
use crate::diagram::{Diagram, Figure, Ground};

pub(super) fn diagram(game: &Headquarters) -> Diagram {
    let field = &game.position.field;
    let columns: Vec<String> = (0..usize::from(field.width)).map(|x| column_letter(x).to_string()).collect();
    let rows: Vec<String> = (1..=field.height).map(|row| row.to_string()).collect();
    Diagram::squares(&columns, &rows, |x, y| {
        let cell = Cell::fixed(x as u8, y as u8);
        let (ground, piece) = content(game, cell);
        (cell.to_string(), ground, piece)
    })
}

/// The ground of a cell and what stands on it: a soldier with its health, or else a headquarters with its points.
fn content(game: &Headquarters, cell: Cell) -> (Ground, Option<(Side, Figure)>) {
    let position = &game.position;
    let sides = [Side::First, Side::Second];
    let home = sides.into_iter().find(|&side| position.army(side).headquarters == cell);
    let soldier = sides.into_iter().find_map(|side| {
        let army = position.army(side);
        let slot = army.at(cell)?;
        let tired = side == position.mover && position.has_acted(slot);
        Some((side, Figure::Numbered { number: army.units[slot].health.into(), tired }))
    });
    let points = home.map(|side| (side, Figure::Number(position.army(side).points.into())));
    let plain = if position.field.free.contains(cell) { Ground::Shade(0) } else { Ground::Obstacle };
    (home.map_or(plain, Ground::Home), soldier.or(points))
}
