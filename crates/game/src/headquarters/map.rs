//! Maps: where everything stands at the start.
//!
//! A map is drawn with a character for each cell, the top row first: `.` free, `#` an obstacle, `R` and `B` the
//! headquarters of red and blue, `r` and `b` their soldiers.

use super::cells::{Cell, Cells, HEIGHT, WIDTH};
use super::position::{Army, FULL_HEALTH, FULL_POINTS, Field, Position, UNITS, Unit};
use crate::Side;

/// The map of Gutiérrez Utande's public program (2017), but with red's side turned by 180 degrees as blue's, so that
/// both have the same chances.
pub(super) fn usual() -> Position {
    const SOLDIERS: [Cell; UNITS] = [Cell::fixed(2, 1), Cell::fixed(4, 4), Cell::fixed(3, 8)];
    let (width, height) = (WIDTH as u8, HEIGHT as u8);
    let red = Army {
        headquarters: Cell::fixed(2, 2),
        points: FULL_POINTS,
        units: SOLDIERS.map(|cell| Unit { cell, health: FULL_HEALTH }),
    };
    let field = Field { width, height, free: Cells::rectangle(width, height) };
    let mut position = Position { field, armies: [red; 2], mover: Side::First, acted: 0 };
    position.armies[1] = position.swapped().armies[1];
    position
}

/// The map that `text` draws, or what is wrong with it.
pub(super) fn parse(text: &str) -> Result<Position, String> {
    let rows: Vec<&str> = text.trim().lines().map(str::trim).collect();
    let width = rows.first().map_or(0, |row| row.chars().count());
    if rows.len() > HEIGHT || width > WIDTH || rows.iter().any(|row| row.chars().count() != width) {
        return Err(format!("a map is up to {HEIGHT} rows, all of the same length up to {WIDTH}"));
    }
    let mut free = Cells::default();
    let (mut headquarters, mut soldiers) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
    for (y, row) in rows.iter().rev().enumerate() {
        for (cell, c) in row.chars().enumerate().filter_map(|(x, c)| Some((Cell::new(x, y)?, c))) {
            free.insert(cell);
            match c {
                '.' => {}
                '#' => free.remove(cell),
                'R' => headquarters[0].push(cell),
                'B' => headquarters[1].push(cell),
                'r' => soldiers[0].push(cell),
                'b' => soldiers[1].push(cell),
                other => return Err(format!("a map is drawn with . # R B r b, and {other:?} is none of them")),
            }
        }
    }
    // Blue's soldiers are counted from the other end, so that on a map that looks the same when turned by 180 degrees
    // those with the same number stand in the same place for their side.
    soldiers[1].reverse();
    let army = |side: usize| match headquarters[side][..] {
        [cell] if (1..=UNITS).contains(&soldiers[side].len()) => {
            let mut units = [Unit::default(); UNITS];
            for (unit, cell) in units.iter_mut().zip(&soldiers[side]) {
                *unit = Unit { cell: *cell, health: FULL_HEALTH };
            }
            Ok(Army { headquarters: cell, points: FULL_POINTS, units })
        }
        _ => Err(format!("each side has one headquarters (R, B) and 1 to {UNITS} soldiers (r, b)")),
    };
    let field = Field { width: width as u8, height: rows.len() as u8, free };
    Ok(Position { field, armies: [army(0)?, army(1)?], mover: Side::First, acted: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_map_can_be_drawn() {
        let drawn = "
            ...............
            ...r........b..
            ............B..
            ...............
            ..........b....
            ....r..........
            ...............
            ..R............
            ..r........b...
            ...............";
        assert_eq!(parse(drawn).unwrap(), usual());
        let turned = usual().swapped();
        assert_eq!(Position { mover: Side::First, ..turned }, usual(), "both sides have the same chances");
    }

    #[test]
    fn wrong_maps_are_refused() {
        let error = |text: &str| parse(text).unwrap_err();
        assert!(error("").contains("one headquarters"));
        assert!(error("Rr..bB\n.....").contains("the same length"));
        assert!(error(&"Rr...........bB\n".repeat(11)).contains("up to 10 rows"));
        assert!(error("Rr............bB").contains("up to 15"));
        assert!(error("Rr.ñ.bB").contains("'ñ' is none of them"));
        assert!(error("Rr...bBB").contains("one headquarters"));
        assert!(error("R....bB").contains("1 to 3 soldiers"));
        assert!(error("Rrrrr.bB").contains("1 to 3 soldiers"));
        assert_eq!(parse("Rr#bB\n").unwrap().field.free.iter().count(), 4);
    }
}
