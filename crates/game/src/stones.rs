//! Text for games in which two players put stones on a rectangular grid.
//!
//! Rows from top to bottom, separated by '/', with `x` for the first player's stones, `o` for the second's and digits
//! for runs of empty cells; then a blank and the side to move: `7/7/7/7/3o3/3x3 x`.

use std::fmt::{self, Write};

use crate::Side;
use crate::diagram::{Diagram, Figure, Ground};

/// The position as text. `at` gives the stone in a row (0 at the bottom) and column.
pub(crate) fn write(rows: usize, columns: usize, at: impl Fn(usize, usize) -> Option<Side>, mover: Side) -> String {
    let mut text = String::new();
    for row in (0..rows).rev() {
        let mut empty = 0;
        for column in 0..columns {
            match at(row, column) {
                None => empty += 1,
                Some(side) => {
                    push_empty(&mut text, &mut empty);
                    text.push(letter(side));
                }
            }
        }
        push_empty(&mut text, &mut empty);
        text.push(if row == 0 { ' ' } else { '/' });
    }
    text.push(letter(mover));
    text
}

/// The cells, row by row from the bottom, and the mover; or what is wrong. The mover must have as many stones as the
/// opponent, or one fewer.
pub(crate) fn parse(text: &str, rows: usize, columns: usize) -> Result<(Vec<Option<Side>>, Side), String> {
    let form = || format!("it must be {rows} rows of {columns} cells (x, o, digits for empty), then x or o to move");
    let (board, mover) = text.trim().split_once(' ').ok_or_else(form)?;
    let mover = match mover.trim() {
        "x" => Side::First,
        "o" => Side::Second,
        _ => return Err(form()),
    };
    let lines: Vec<&str> = board.split('/').collect();
    if lines.len() != rows {
        return Err(form());
    }
    let mut cells = Vec::with_capacity(rows * columns);
    for line in lines.into_iter().rev() {
        let start = cells.len();
        for c in line.chars() {
            match (c, c.to_digit(10)) {
                ('x', _) => cells.push(Some(Side::First)),
                ('o', _) => cells.push(Some(Side::Second)),
                (_, Some(empty)) => cells.extend(std::iter::repeat_n(None, empty as usize)),
                _ => return Err(form()),
            }
            if cells.len() > start + columns {
                return Err(form());
            }
        }
        if cells.len() != start + columns {
            return Err(form());
        }
    }
    let stones = |side| cells.iter().filter(|cell| **cell == Some(side)).count();
    let (own, other) = (stones(mover), stones(!mover));
    if own != other && own + 1 != other {
        return Err(format!("{} is to move with {own} stones against {other}", letter(mover)));
    }
    Ok((cells, mover))
}

/// Draws the board for the terminal.
pub(crate) fn draw(
    f: &mut fmt::Formatter<'_>,
    rows: usize,
    columns: usize,
    at: impl Fn(usize, usize) -> Option<Side>,
) -> fmt::Result {
    for row in (0..rows).rev() {
        f.write_str(" |")?;
        for column in 0..columns {
            write!(f, " {}", at(row, column).map_or('.', letter))?;
        }
        f.write_str(" |\n")?;
    }
    Ok(())
}

/// The board as a picture. `columns` are the names of the columns, which may be empty.
pub(crate) fn diagram(rows: usize, columns: &[String], at: impl Fn(usize, usize) -> Option<Side>) -> Diagram {
    Diagram::squares(columns, &vec![String::new(); rows], |column, row| {
        (cell(row, column), Ground::Shade(0), at(row, column).map(|side| (side, Figure::Stone)))
    })
}

/// The name of a cell in the picture.
pub(crate) fn cell(row: usize, column: usize) -> String {
    format!("row {}, column {}", row + 1, column + 1)
}

pub(crate) fn letter(side: Side) -> char {
    match side {
        Side::First => 'x',
        Side::Second => 'o',
    }
}

fn push_empty(text: &mut String, empty: &mut u32) {
    if *empty > 0 {
        let _ = write!(text, "{empty}");
    }
    *empty = 0;
}
