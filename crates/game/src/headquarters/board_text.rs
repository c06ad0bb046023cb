//! The map for the terminal.

use std::fmt::Write;

use super::cells::{Cell, column_letter};
use super::game::Headquarters;
use super::notation::SIDES;
use crate::{Game, Side};

/// What is painted.
#[derive(Clone, Copy)]
pub(super) enum Ink {
    Ground,
    Obstacle,
    Headquarters(Side),
    Soldier(Side),
    /// A soldier that has had its order.
    Acted(Side),
}

/// Paints with ANSI colours.
pub(super) fn coloured(ink: Ink, text: &str) -> String {
    let color = |side| if side == Side::First { 31 } else { 34 };
    let codes = match ink {
        Ink::Ground => "2".to_owned(),
        Ink::Obstacle => "33".to_owned(),
        Ink::Headquarters(side) => format!("7;{}", color(side)),
        Ink::Soldier(side) => format!("1;{}", color(side)),
        Ink::Acted(side) => format!("2;{}", color(side)),
    };
    format!("\x1b[{codes}m{text}\x1b[0m")
}

/// Draws the map in 78 columns: `r10` is a soldier of red with its health, `R20` red's headquarters. `paint` colours what
/// stands in a cell.
pub(super) fn draw(game: &Headquarters, paint: impl Fn(Ink, &str) -> String) -> String {
    let position = &game.position;
    let mut text = String::new();
    for y in (0..usize::from(position.field.height)).rev() {
        let _ = write!(text, "{:>2} ", y + 1);
        for cell in (0..usize::from(position.field.width)).filter_map(|x| Cell::new(x, y)) {
            let (ink, shown) = content(game, cell);
            let blanks = 5usize.saturating_sub(shown.len());
            let _ = write!(text, "{:blanks$}{}", "", paint(ink, &shown));
        }
        text.push('\n');
    }
    text.push_str("   ");
    for x in 0..usize::from(position.field.width) {
        let _ = write!(text, "{:>5}", column_letter(x));
    }
    let headquarters = |side: Side| {
        let army = position.army(side);
        format!("{} {} at {}", SIDES[side as usize], army.points, army.headquarters)
    };
    let (red, blue) = (headquarters(Side::First), headquarters(Side::Second));
    let _ = writeln!(text, "\n\n   headquarters: {red}, {blue}; ' has had its order");
    if game.outcome().is_none() {
        let mover = SIDES[position.mover as usize];
        let _ = writeln!(text, "   {mover} to move, turn {} of {}", game.turn, game.turn_cap());
    }
    text
}

fn content(game: &Headquarters, cell: Cell) -> (Ink, String) {
    let position = &game.position;
    for (side, soldier, headquarters) in [(Side::First, 'r', 'R'), (Side::Second, 'b', 'B')] {
        let army = position.army(side);
        if let Some(slot) = army.at(cell) {
            let health = army.units[slot].health;
            return if side == position.mover && position.has_acted(slot) {
                (Ink::Acted(side), format!("{soldier}{health}'"))
            } else {
                (Ink::Soldier(side), format!("{soldier}{health}"))
            };
        }
        // A soldier hides the headquarters it stands on, whose points are shown below the map.
        if army.headquarters == cell && position.army(!side).at(cell).is_none() {
            return (Ink::Headquarters(side), format!("{headquarters}{}", army.points));
        }
    }
    if position.field.free.contains(cell) { (Ink::Ground, ".".to_owned()) } else { (Ink::Obstacle, "#".to_owned()) }
}
