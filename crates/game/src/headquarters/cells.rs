//! Cells of the grid, and sets of them as bits.

use std::fmt;
use std::ops::BitAnd;

/// Columns of the largest map.
pub(super) const WIDTH: usize = 15;

/// Rows of the largest map.
pub(super) const HEIGHT: usize = 10;

/// Cells of the largest map.
pub(super) const CELLS: usize = WIDTH * HEIGHT;

/// A cell, counted row by row from the bottom left of the largest map; written with a letter for its column and a number
/// for its row, as in `c2`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cell(u8);

impl Cell {
    pub fn new(x: usize, y: usize) -> Option<Cell> {
        (x < WIDTH && y < HEIGHT).then_some(Cell((y * WIDTH + x) as u8))
    }

    /// A cell that is known at compile time.
    pub const fn fixed(x: u8, y: u8) -> Cell {
        assert!((x as usize) < WIDTH && (y as usize) < HEIGHT);
        Cell(y * WIDTH as u8 + x)
    }

    /// The cell with this number, if there is one.
    pub fn at(index: usize) -> Option<Cell> {
        (index < CELLS).then_some(Cell(index as u8))
    }

    pub fn index(self) -> usize {
        self.0.into()
    }

    pub fn x(self) -> usize {
        self.index() % WIDTH
    }

    pub fn y(self) -> usize {
        self.index() / WIDTH
    }

    /// Steps between two cells where nothing is in the way.
    pub fn distance(self, other: Cell) -> i32 {
        (self.x().abs_diff(other.x()) + self.y().abs_diff(other.y())) as i32
    }

    /// The next cell in a direction, unless the grid ends there.
    pub fn neighbour(self, direction: Direction) -> Option<Cell> {
        let (x, y) = (self.x(), self.y());
        match direction {
            Direction::Up => Cell::new(x, y + 1),
            Direction::Right => Cell::new(x + 1, y),
            Direction::Down => Cell::new(x, y.checked_sub(1)?),
            Direction::Left => Cell::new(x.checked_sub(1)?, y),
        }
    }

    pub fn parse(text: &str) -> Option<Cell> {
        let mut chars = text.chars();
        let column = chars.next().filter(char::is_ascii_lowercase)?;
        let row = chars.as_str();
        let plain = row.len() <= 2 && !row.starts_with('0') && row.bytes().all(|byte| byte.is_ascii_digit());
        let y = row.parse::<usize>().ok().filter(|_| plain)?.checked_sub(1)?;
        Cell::new(usize::from(column as u8 - b'a'), y)
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", column_letter(self.x()), self.y() + 1)
    }
}

pub(super) fn column_letter(x: usize) -> char {
    char::from(b'a' + x as u8)
}

/// Where a neighbour lies. Each is half a turn from the one two further on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Up,
    Right,
    Down,
    Left,
}

impl Direction {
    pub const ALL: [Direction; 4] = [Direction::Up, Direction::Right, Direction::Down, Direction::Left];

    pub fn opposite(self) -> Direction {
        Direction::ALL[(self as usize + 2) % 4]
    }
}

/// A set of cells: a bit for each column, row by row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cells([u16; HEIGHT]);

impl Cells {
    /// All cells of a map without obstacles, up to the size of the largest.
    pub fn rectangle(width: u8, height: u8) -> Cells {
        let row = ((1u32 << width) - 1) as u16;
        Cells(std::array::from_fn(|y| if y < usize::from(height) { row } else { 0 }))
    }

    /// Only this one.
    pub fn of(cell: Cell) -> Cells {
        let mut cells = Cells::default();
        cells.insert(cell);
        cells
    }

    pub fn contains(&self, cell: Cell) -> bool {
        self.0[cell.y()] >> cell.x() & 1 == 1
    }

    pub fn insert(&mut self, cell: Cell) {
        self.0[cell.y()] |= 1 << cell.x();
    }

    pub fn remove(&mut self, cell: Cell) {
        self.0[cell.y()] &= !(1 << cell.x());
    }

    /// The cells that can be walked to in at most `steps` steps over the `free` ones.
    pub fn within(from: Cell, steps: u32, free: &Cells) -> Cells {
        (0..steps).fold(Cells::of(from), |reached, _| reached.grown() & *free)
    }

    /// The set with all neighbours of its cells. May reach beyond the last column: the result has to be cut to the map.
    fn grown(self) -> Cells {
        let mut grown = [0; HEIGHT];
        for (y, row) in grown.iter_mut().enumerate() {
            let here = self.0[y];
            let below = if y > 0 { self.0[y - 1] } else { 0 };
            let above = if y + 1 < HEIGHT { self.0[y + 1] } else { 0 };
            *row = here | here << 1 | here >> 1 | below | above;
        }
        Cells(grown)
    }

    /// Row by row from the bottom.
    pub fn iter(&self) -> impl Iterator<Item = Cell> {
        self.0.into_iter().enumerate().flat_map(|(y, row)| {
            let columns = std::iter::successors(Some(row), |row| Some(row & row.wrapping_sub(1)));
            let columns = columns.take_while(|row| *row != 0).map(|row| row.trailing_zeros() as usize);
            columns.filter_map(move |x| Cell::new(x, y))
        })
    }

    /// The rows' bits, for hashing.
    pub fn rows(&self) -> &[u16; HEIGHT] {
        &self.0
    }
}

impl BitAnd for Cells {
    type Output = Cells;

    fn bitand(self, other: Cells) -> Cells {
        Cells(std::array::from_fn(|y| self.0[y] & other.0[y]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_others_do_not() {
        for cell in (0..CELLS).filter_map(Cell::at) {
            assert_eq!(Cell::parse(&cell.to_string()), Some(cell));
        }
        for text in ["", "a", "a0", "a11", "p1", "A1", "a01", "a+1", "1a", "ä1", "a1 ", "a999999999999999999999"] {
            assert_eq!(Cell::parse(text), None, "{text}");
        }
    }

    #[test]
    fn without_obstacles_steps_are_distance() {
        let all = Cells::rectangle(15, 10);
        assert_eq!(all.iter().count(), 150);
        for from in (0..CELLS).filter_map(Cell::at) {
            let expected: Vec<Cell> = all.iter().filter(|to| from.distance(*to) <= 3).collect();
            assert_eq!(Cells::within(from, 3, &all).iter().collect::<Vec<_>>(), expected, "{from}");
        }
    }
}
