//! Boards of any size: their squares, and how they are drawn.

use std::fmt;

use alfil_core::svg::Picture;

/// The largest width and height.
pub const LARGEST: usize = 200;

/// Files have letters up to here; on wider boards squares cannot be named.
const LETTERS: usize = 26;

/// Widths of pictures, in pixels, are near this one.
const WIDTH: f64 = 640.0;

/// Room for the labels of files and ranks, in pixels.
const MARGIN: f64 = 26.0;

/// A board of `files` times `ranks` squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    /// Squares from left to right.
    pub files: usize,
    /// Squares from the bottom up.
    pub ranks: usize,
}

/// A square of a board, both numbers from 0: a1 is (0, 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Square {
    /// From left to right.
    pub file: usize,
    /// From the bottom up.
    pub rank: usize,
}

/// A text that names no board or no square of one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoardError {
    /// Not a size.
    #[error("'{0}' is not a size of a board: write 8x8, with at most {LARGEST} squares each way")]
    Size(String),
    /// Not a square.
    #[error("'{name}' is not a square of a board of {files}x{ranks}: write a letter and a number, as in a1")]
    Square {
        /// What was written.
        name: String,
        /// The board's width.
        files: usize,
        /// The board's height.
        ranks: usize,
    },
}

impl Board {
    /// The usual one.
    pub const CHESS: Board = Board { files: 8, ranks: 8 };

    /// Reads `8x8`: files, then ranks.
    pub fn read(text: &str) -> Result<Board, BoardError> {
        let wrong = || BoardError::Size(alfil_core::wording::shorten(text));
        let (files, ranks) = text.split_once(['x', 'X']).ok_or_else(wrong)?;
        let number = |text: &str| text.trim().parse().ok().filter(|number| (1..=LARGEST).contains(number));
        Ok(Board { files: number(files).ok_or_else(wrong)?, ranks: number(ranks).ok_or_else(wrong)? })
    }

    /// Reads the name of a square: `e5`.
    pub fn square(&self, name: &str) -> Result<Square, BoardError> {
        let wrong =
            || BoardError::Square { name: alfil_core::wording::shorten(name), files: self.files, ranks: self.ranks };
        let letter = name.chars().next().filter(char::is_ascii_lowercase).ok_or_else(wrong)?;
        let file = usize::from(letter as u8 - b'a');
        let digits = &name.as_bytes()[1..];
        // Not a sign, nor zeros before the number.
        if !digits.first().is_some_and(|digit| (b'1'..=b'9').contains(digit)) {
            return Err(wrong());
        }
        let rank: usize = name[1..].parse().map_err(|_| wrong())?;
        (file < self.files && (1..=self.ranks).contains(&rank))
            .then(|| Square { file, rank: rank - 1 })
            .ok_or_else(wrong)
    }

    /// How many squares there are.
    pub fn len(&self) -> usize {
        self.files * self.ranks
    }

    /// Whether there are none, which no board that was read has.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of a square: rank by rank from a1.
    pub fn index(&self, square: Square) -> usize {
        square.rank * self.files + square.file
    }

    /// The square with that number.
    pub fn at(&self, index: usize) -> Square {
        Square { file: index % self.files, rank: index / self.files }
    }

    /// The square this many files to the right and ranks up, if the board has it.
    pub fn step(&self, from: Square, (right, up): (isize, isize)) -> Option<Square> {
        let file = from.file.checked_add_signed(right).filter(|file| *file < self.files)?;
        let rank = from.rank.checked_add_signed(up).filter(|rank| *rank < self.ranks)?;
        Some(Square { file, rank })
    }

    /// The board as rows of text, the last rank first, with the names of files and ranks where there is room.
    pub(crate) fn text(&self, cell: impl Fn(Square) -> String) -> String {
        let cells: Vec<String> = (0..self.len()).map(|index| cell(self.at(index))).collect();
        let width = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(1);
        let rank_width = self.ranks.to_string().len();
        let mut text = String::new();
        for rank in (0..self.ranks).rev() {
            text += &format!("{:>rank_width$} ", rank + 1);
            for file in 0..self.files {
                text += &format!(" {:>width$}", cells[self.index(Square { file, rank })]);
            }
            text.push('\n');
        }
        if self.files <= LETTERS {
            text += &" ".repeat(rank_width + 1);
            for file in 0..self.files {
                text += &format!(" {:>width$}", letter(file));
            }
            text.push('\n');
        }
        text
    }

    /// A picture of the empty board with `below` pixels of room under it, and where its squares are.
    pub(crate) fn picture(&self, below: f64, checkered: bool) -> (Picture, Drawn) {
        let side = (WIDTH / self.files.max(self.ranks) as f64).clamp(5.0, 64.0).floor();
        let drawn = Drawn { side, ranks: self.ranks };
        let (width, height) = (self.files as f64 * side, self.ranks as f64 * side);
        let mut picture = Picture::file(width + 2.0 * MARGIN, height + 2.0 * MARGIN + below);
        if checkered {
            for square in
                (0..self.len()).map(|index| self.at(index)).filter(|square| (square.file + square.rank) % 2 == 0)
            {
                let (corner, opposite) = drawn.corners(square);
                picture.bar("heat c6 h3", corner, opposite, "");
            }
        }
        let corners = [(0.0, 0.0), (width, 0.0), (width, height), (0.0, height), (0.0, 0.0)];
        picture.line("grid", corners.map(|(x, y)| (x + MARGIN, y + MARGIN)));
        // Labels of narrow squares would overlap.
        if side >= 18.0 && self.files <= LETTERS {
            for file in 0..self.files {
                let (x, _) = drawn.centre(Square { file, rank: 0 });
                picture.text("middle", (x, MARGIN + height + 17.0), &letter(file).to_string());
            }
            for rank in 0..self.ranks {
                let (_, y) = drawn.centre(Square { file: 0, rank });
                picture.text("end", (MARGIN - 6.0, y + 4.0), &(rank + 1).to_string());
            }
        }
        (picture, drawn)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.file {
            file if file < LETTERS => write!(f, "{}{}", letter(file), self.rank + 1),
            file => write!(f, "file {} rank {}", file + 1, self.rank + 1),
        }
    }
}

/// Where the squares of a picture are, in pixels.
pub(crate) struct Drawn {
    /// The side of a square.
    pub side: f64,
    ranks: usize,
}

impl Drawn {
    pub fn centre(&self, square: Square) -> (f64, f64) {
        let (x, y) = self.corners(square).0;
        (x + self.side / 2.0, y + self.side / 2.0)
    }

    /// The top left and the bottom right.
    pub fn corners(&self, square: Square) -> ((f64, f64), (f64, f64)) {
        let x = MARGIN + square.file as f64 * self.side;
        let y = MARGIN + (self.ranks - 1 - square.rank) as f64 * self.side;
        ((x, y), (x + self.side, y + self.side))
    }

    /// Just below the board, where its description may begin.
    pub fn below(&self) -> (f64, f64) {
        (MARGIN, 2.0 * MARGIN + self.ranks as f64 * self.side + 14.0)
    }
}

fn letter(file: usize) -> char {
    char::from(b'a' + file as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_have_names() {
        let board = Board::read("10x12").unwrap();
        for name in ["a1", "j12", "c7"] {
            assert_eq!(board.square(name).unwrap().to_string(), name);
        }
        for index in 0..board.len() {
            assert_eq!(board.index(board.at(index)), index);
        }
        for wrong in ["", "k1", "a0", "a13", "A1", "a", "1a", "é1", "a1x", "a+1 ", "a+1", "a01"] {
            assert!(board.square(wrong).is_err(), "{wrong}");
        }
        assert_eq!(board.step(board.square("a1").unwrap(), (-1, 2)), None);
        assert_eq!(board.step(board.square("i11").unwrap(), (1, 1)), board.square("j12").ok());
    }

    #[test]
    fn sizes_have_limits() {
        assert_eq!(Board::read("8x8"), Ok(Board::CHESS));
        for wrong in ["", "8", "0x8", "8x201", "8x8x8", "axb", "-1x3"] {
            assert!(Board::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn text_has_the_last_rank_first() {
        let board = Board { files: 2, ranks: 2 };
        assert_eq!(board.text(|square| square.to_string()), "2  a2 b2\n1  a1 b1\n    a  b\n");
    }
}
