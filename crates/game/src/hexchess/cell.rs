//! The cells of the board and their names.

use std::fmt;

use crate::Side;

/// Cells of the board.
pub(super) const COUNT: usize = 91;

/// Files of the board.
pub(super) const FILES: usize = 11;

/// The names of the files, from left to right: there is no j.
const LETTERS: [u8; FILES] = *b"abcdefghikl";

/// The number of the lowest cell of each file; the last entry is where a further file would begin.
const FIRST: [u8; FILES + 1] = [0, 6, 13, 21, 30, 40, 51, 61, 70, 78, 85, 91];

/// The file of each cell.
const FILE: [u8; COUNT] = file_of_each();

/// Steps from the middle of the board to its edge.
const RADIUS: i8 = 5;

/// A cell, numbered up each file and file by file: a1 is 0, a6 is 5, b1 is 6, l6 is 90.
///
/// In axial coordinates the middle of the board, f6, is (0, 0). The first one, q, counts files to the right; the second
/// one, r, counts steps up a file, and a step to the upper right leaves it as it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(u8);

impl Cell {
    /// All cells in the order of their numbers.
    pub(super) fn all() -> impl DoubleEndedIterator<Item = Cell> {
        (0..COUNT as u8).map(Cell)
    }

    /// The cell with this number, if there is one.
    pub(super) const fn new(number: usize) -> Option<Cell> {
        if number < COUNT { Some(Cell(number as u8)) } else { None }
    }

    /// The cell in the 0-based file and the 1-based rank, if there is one.
    pub(super) const fn on(file: usize, rank: usize) -> Option<Cell> {
        if file < FILES && rank >= 1 && rank <= file_length(file) {
            Some(Cell(FIRST[file] + rank as u8 - 1))
        } else {
            None
        }
    }

    /// The cell with these axial coordinates, if there is one.
    pub(super) const fn at(q: i8, r: i8) -> Option<Cell> {
        if q < -RADIUS || q > RADIUS {
            return None;
        }
        let rank = r - lowest(q) + 1;
        if rank < 1 { None } else { Cell::on((q + RADIUS) as usize, rank as usize) }
    }

    /// The cell's number.
    pub(super) const fn number(self) -> usize {
        self.0 as usize
    }

    /// The file, 0 to 10 from left to right.
    pub(super) const fn file(self) -> usize {
        FILE[self.0 as usize] as usize
    }

    /// The rank, from 1 at White's edge.
    pub(super) const fn rank(self) -> usize {
        (self.0 - FIRST[self.file()]) as usize + 1
    }

    /// Axial coordinates, each from -5 to 5.
    pub(super) const fn axial(self) -> (i8, i8) {
        let q = self.file() as i8 - RADIUS;
        (q, lowest(q) + self.rank() as i8 - 1)
    }

    /// The next cell of the file as `side` looks at it, if there is one.
    pub(super) const fn ahead(self, side: Side) -> Option<Cell> {
        let rank = self.rank();
        match side {
            Side::First => Cell::on(self.file(), rank + 1),
            Side::Second => Cell::on(self.file(), rank - 1),
        }
    }

    /// The cell mirrored top to bottom.
    pub(super) const fn up_down(self) -> Cell {
        let file = self.file();
        Cell(FIRST[file] + FIRST[file + 1] - 1 - self.0)
    }

    /// The cell mirrored left to right.
    pub(super) const fn left_right(self) -> Cell {
        let file = self.file();
        Cell(FIRST[FILES - 1 - file] + self.0 - FIRST[file])
    }

    /// The cell as `side` sees it: both have their pawns at the bottom and their queen on the left.
    pub(super) const fn seen_by(self, side: Side) -> Cell {
        match side {
            Side::First => self,
            Side::Second => self.up_down(),
        }
    }

    /// Which of the three colours the cell has. No two cells with a common edge have the same.
    pub(super) const fn colour(self) -> usize {
        let (q, r) = self.axial();
        (q - r).rem_euclid(3) as usize
    }

    /// Steps over edges to another cell.
    pub(super) fn distance(self, other: Cell) -> i32 {
        let ((q, r), (other_q, other_r)) = (self.axial(), other.axial());
        let (q, r) = (i32::from(q - other_q), i32::from(r - other_r));
        q.abs().max(r.abs()).max((q + r).abs())
    }

    /// The cell with this name, such as f10.
    pub(super) fn parse(name: &str) -> Option<Cell> {
        let mut letters = name.chars();
        let file = file_called(letters.next()?)?;
        Cell::on(file, rank_called(letters.as_str())?)
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", file_letter(self.file()), self.rank())
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

const fn file_of_each() -> [u8; COUNT] {
    let mut files = [0; COUNT];
    let mut cell = 0;
    while cell < COUNT {
        let before = if cell == 0 { 0 } else { files[cell - 1] };
        files[cell] = before + (cell == FIRST[before as usize + 1] as usize) as u8;
        cell += 1;
    }
    files
}

/// How many cells a file has.
pub(super) const fn file_length(file: usize) -> usize {
    (FIRST[file + 1] - FIRST[file]) as usize
}

/// The name of a file.
pub(super) fn file_letter(file: usize) -> char {
    char::from(LETTERS[file])
}

/// The file with this name.
pub(super) fn file_called(letter: char) -> Option<usize> {
    LETTERS.iter().position(|&known| char::from(known) == letter)
}

/// The rank with this name: a number without leading zeros, on the board in at least one file.
pub(super) fn rank_called(digits: &str) -> Option<usize> {
    let plain = digits.len() <= 2 && digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    digits.parse().ok().filter(|rank| plain && *rank <= FILES)
}

/// The second axial coordinate of a file's lowest cell.
const fn lowest(q: i8) -> i8 {
    if q < 0 { -RADIUS - q } else { -RADIUS }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_board_has_91_cells_in_files_of_6_to_11() {
        let lengths: Vec<usize> = (0..FILES).map(file_length).collect();
        assert_eq!(lengths, [6, 7, 8, 9, 10, 11, 10, 9, 8, 7, 6]);
        let on_board = |q: i8, r: i8| q.abs().max(r.abs()).max((q + r).abs()) <= RADIUS;
        for q in -12..=12 {
            for r in -12..=12 {
                assert_eq!(Cell::at(q, r).is_some(), on_board(q, r), "({q}, {r})");
                assert!(Cell::at(q, r).is_none_or(|cell| cell.axial() == (q, r)));
            }
        }
        assert_eq!(Cell::all().count(), 91);
        assert_eq!(Cell::parse("f6").unwrap().axial(), (0, 0));
    }

    #[test]
    fn names_read_back_and_nothing_else_is_a_name() {
        for cell in Cell::all() {
            assert_eq!(Cell::parse(&cell.to_string()), Some(cell));
        }
        for wrong in ["", "a", "a0", "a7", "j1", "l7", "f12", "f011", "f+1", "F6", "f6 ", "a99999999999999999999"] {
            assert_eq!(Cell::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn colours_are_balanced_and_neighbours_differ() {
        let mut counts = [0; 3];
        for cell in Cell::all() {
            counts[cell.colour()] += 1;
            let neighbours = Cell::all().filter(|other| other.distance(cell) == 1);
            assert!(neighbours.into_iter().all(|other| other.colour() != cell.colour()), "{cell}");
        }
        assert_eq!(counts[Cell::parse("f6").unwrap().colour()], 31);
        counts.sort_unstable();
        assert_eq!(counts, [30, 30, 31]);
    }

    #[test]
    fn mirrors_are_those_of_the_axial_coordinates() {
        for cell in Cell::all() {
            let (q, r) = cell.axial();
            assert_eq!(cell.up_down().axial(), (q, -q - r));
            assert_eq!(cell.left_right().axial(), (-q, r + q));
        }
    }
}
