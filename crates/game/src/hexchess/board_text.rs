//! A board of hexagons for the terminal.
//!
//! Each cell is five characters wide and two lines high and shares its slanted sides with its neighbours; a file is half a
//! cell higher than the next one outwards. Rank numbers stand at the ends of their ranks, file letters under their files.

use std::fmt;

use super::board::letter;
use super::cell::{Cell, FILES, file_length, file_letter};
use super::position::Position;
use crate::Side;

/// Room for rank numbers on both sides.
const MARGIN: usize = 4;
/// From one file to the next.
const STEP: usize = 4;
const WIDTH: usize = MARGIN + FILES * STEP + 1 + MARGIN;
const HEIGHT: usize = 2 * FILES + 2;

/// Backgrounds by colour of the cell, from the 256 colours of terminals: clay, moss and slate, all of them light enough
/// for black letters and dark enough for white ones.
const BACKGROUNDS: [u8; 3] = [137, 65, 60];
/// Bold and bright for White, plain and black for Black.
const LETTERS: [&str; 2] = ["1;38;5;231", "22;38;5;16"];

/// The column of a cell's left corner and the upper one of its two lines.
fn place(cell: Cell) -> (usize, usize) {
    let (q, r) = cell.axial();
    // A step up a file is two lines, a file to the right one; the highest cell is ten lines above the middle.
    (MARGIN + cell.file() * STEP, (11 - 2 * r - q) as usize)
}

/// Characters that stand on the board and around it.
struct Canvas([[char; WIDTH]; HEIGHT]);

impl Canvas {
    /// An empty canvas with the names of files and ranks and the side to move. Where the upper edges of cells are drawn, the
    /// ranks at the upper edge of the board are named a line higher than their cells to make room for them.
    fn labelled(turn: Side, edges: bool) -> Canvas {
        let (up, aside) = if edges { (1, 0) } else { (0, 1) };
        let mut canvas = Canvas([[' '; WIDTH]; HEIGHT]);
        for file in 0..FILES {
            let ends = (Cell::on(file, 1), Cell::on(file, file_length(file)));
            if let (Some(lowest), Some(highest)) = ends {
                let (x, y) = place(lowest);
                canvas.write(x + 2, y + 2, &file_letter(file).to_string());
                // The outermost files have six ranks of their own; each of the others adds the one of its highest cell.
                let (x, y) = place(highest);
                let rank = highest.rank().to_string();
                if (1..=FILES / 2).contains(&file) {
                    canvas.write(x - rank.len() - aside, y - up, &rank);
                }
                if (FILES / 2..FILES - 1).contains(&file) {
                    canvas.write(x + 5 + aside, y - up, &rank);
                }
            }
        }
        for rank in 1..=file_length(0) {
            if let (Some(left), Some(right)) = (Cell::on(0, rank), Cell::on(FILES - 1, rank)) {
                let (x, y) = place(left);
                canvas.write(x - 2, y, &rank.to_string());
                canvas.write(place(right).0 + 6, y, &rank.to_string());
            }
        }
        let turn = match turn {
            Side::First => "White to move",
            Side::Second => "Black to move",
        };
        canvas.write(WIDTH - turn.len(), HEIGHT - 1, turn);
        canvas
    }

    fn write(&mut self, x: usize, y: usize, text: &str) {
        for (place, c) in self.0[y][x..].iter_mut().zip(text.chars()) {
            *place = c;
        }
    }
}

/// Draws the board with slashes and underscores.
pub(super) fn draw(position: &Position, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut canvas = Canvas::labelled(position.turn(), true);
    for cell in Cell::all() {
        let (x, y) = place(cell);
        // Empty cells show their colour as well.
        let piece = position.board().piece_at(cell);
        let inside = piece.map_or([' ', '.', ':'][cell.colour()], |(side, role)| letter(side, role));
        canvas.write(x + 1, y - 1, "___");
        canvas.write(x, y, &format!("/ {inside} \\"));
        canvas.write(x, y + 1, "\\___/");
    }
    for line in canvas.0 {
        writeln!(f, "{}", line.iter().collect::<String>().trim_end())?;
    }
    Ok(())
}

/// Draws the board in colours. Where the sides of cells slant, half-blocks give each cell its half of a character.
pub(super) fn coloured(position: &Position) -> String {
    let mut canvas = Canvas::labelled(position.turn(), false);
    let mut halves = [[None; WIDTH]; 2 * HEIGHT];
    let mut pieces = [[None; WIDTH]; HEIGHT];
    for cell in Cell::all() {
        let (x, y) = place(cell);
        let background = Some(BACKGROUNDS[cell.colour()]);
        for half in &mut halves[2 * y..2 * y + 4] {
            half[x + 1..x + 4].fill(background);
        }
        for half in &mut halves[2 * y + 1..2 * y + 3] {
            (half[x], half[x + 4]) = (background, background);
        }
        if let Some((side, role)) = position.board().piece_at(cell) {
            canvas.write(x + 2, y, &letter(Side::First, role).to_string());
            pieces[y][x + 2] = Some(side);
        }
    }
    let mut text = String::new();
    for (y, line) in canvas.0.iter().enumerate() {
        let (upper, lower) = (&halves[2 * y], &halves[2 * y + 1]);
        let used = (0..WIDTH).rev().find(|&x| line[x] != ' ' || upper[x].or(lower[x]).is_some());
        for x in 0..used.map_or(0, |last| last + 1) {
            text.push_str(&painted(line[x], pieces[y][x], upper[x], lower[x]));
        }
        text.push('\n');
    }
    text
}

/// A character in the colours of its piece and of its halves.
fn painted(c: char, piece: Option<Side>, upper: Option<u8>, lower: Option<u8>) -> String {
    let (style, c) = match (piece, upper, lower) {
        (Some(side), Some(upper), _) => (format!("{};48;5;{upper}", LETTERS[side as usize]), c),
        (_, Some(upper), Some(lower)) if upper == lower => (format!("48;5;{upper}"), c),
        (_, Some(upper), Some(lower)) => (format!("38;5;{upper};48;5;{lower}"), '▀'),
        (_, Some(upper), None) => (format!("38;5;{upper}"), '▀'),
        (_, None, Some(lower)) => (format!("38;5;{lower}"), '▄'),
        (_, None, None) => return c.to_string(),
    };
    format!("\x1b[{style}m{c}\x1b[0m")
}

#[cfg(test)]
mod tests {
    use crate::Game;
    use crate::hexchess::HexChess;
    use crate::pictures::Pictures;

    #[test]
    fn both_boards_fit_into_a_terminal_and_show_all_pieces() {
        let game = HexChess::new(&Default::default());
        let plain = game.to_string();
        println!("{plain}\n{}", game.coloured());
        assert!(plain.lines().all(|line| line.chars().count() <= 80) && plain.lines().count() <= 24);
        let placement = game.position();
        let pieces = placement.split(' ').next().unwrap();
        for piece in "pnbrqkPNBRQK".chars() {
            // The file letters b and k stand on the canvas as well.
            let labels = usize::from("bk".contains(piece));
            let count = |text: &str| text.chars().filter(|c| *c == piece).count();
            assert_eq!(count(plain.split("White to move").next().unwrap()), count(pieces) + labels, "{piece}");
        }
        // Without its colours, the coloured board is as wide.
        let mut bare = String::new();
        for part in game.coloured().split('\x1b') {
            bare.push_str(
                part.split_once('m').filter(|(code, _)| code.starts_with('[')).map_or(part, |(_, text)| text),
            );
        }
        assert!(bare.lines().all(|line| line.chars().count() <= 80) && bare.lines().count() <= 24);
    }
}
