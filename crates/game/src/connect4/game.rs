//! The rules of Connect Four.

use std::fmt;

use super::grid::{self, COLUMNS, ROWS};
use super::solver::Solver;
use crate::diagram::Diagram;
use crate::{
    Endings, Estimates, Examples, Game, MoveError, Notation, Oracle, Outcome, Pictures, PositionError, References,
    Side, Step, Turns, stones,
};

/// A column to drop a stone into, 0 to 6 from left to right; written 1 to 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Column(pub(super) u8);

impl From<Column> for u16 {
    fn from(column: Column) -> u16 {
        column.0.into()
    }
}

impl TryFrom<u16> for Column {
    type Error = MoveError;

    fn try_from(code: u16) -> Result<Column, MoveError> {
        match u8::try_from(code) {
            Ok(column) if usize::from(column) < COLUMNS => Ok(Column(column)),
            _ => Err(MoveError::Illegal(code.to_string())),
        }
    }
}

/// A game of Connect Four.
///
/// ```
/// use alfil_game::{Game, connect4::Connect4, play_line};
///
/// let mut game = Connect4::new(&());
/// play_line(&mut game, "4455667").unwrap();
/// assert_eq!(game.outcome().unwrap().reason, "four in a row");
/// ```
#[derive(Clone, Debug)]
pub struct Connect4 {
    mover: Side,
    own: u64,
    occupied: u64,
}

impl Connect4 {
    /// The mover's stones.
    pub(super) fn own(&self) -> u64 {
        self.own
    }

    /// All stones.
    pub(super) fn occupied(&self) -> u64 {
        self.occupied
    }

    fn at(&self, row: usize, column: usize) -> Option<Side> {
        let cell = grid::cell(row, column);
        if self.own & cell != 0 {
            Some(self.mover)
        } else if self.occupied & cell != 0 {
            Some(!self.mover)
        } else {
            None
        }
    }
}

impl Game for Connect4 {
    type Move = Column;
    type Rules = ();

    const NAME: &'static str = "connect4";
    const TITLE: &'static str = "Connect Four, six rows by seven columns";
    const SIDES: [&'static str; 2] = ["x", "o"];

    fn new(_: &()) -> Connect4 {
        Connect4 { mover: Side::First, own: 0, occupied: 0 }
    }

    fn from_position(text: &str, _: &()) -> Result<Connect4, PositionError> {
        let wrong = |reason: String| PositionError::new::<Connect4>(text, reason);
        let (cells, mover) = stones::parse(text, ROWS, COLUMNS).map_err(wrong)?;
        let mut game = Connect4 { mover, own: 0, occupied: 0 };
        for (i, cell) in cells.iter().enumerate() {
            let (row, column) = (i / COLUMNS, i % COLUMNS);
            if let Some(side) = cell {
                if row > 0 && cells[i - COLUMNS].is_none() {
                    return Err(wrong(format!("a stone in column {} hangs in the air", column + 1)));
                }
                game.occupied |= grid::cell(row, column);
                if *side == mover {
                    game.own |= grid::cell(row, column);
                }
            }
        }
        if grid::has_four(game.own) {
            return Err(wrong("the side to move has four in a row already".to_owned()));
        }
        Ok(game)
    }

    fn position(&self) -> String {
        stones::write(ROWS, COLUMNS, |row, column| self.at(row, column), self.mover)
    }

    fn side(&self) -> Side {
        self.mover
    }

    fn ply(&self) -> u32 {
        self.occupied.count_ones()
    }

    fn ply_cap(&self) -> u32 {
        (ROWS * COLUMNS) as u32
    }

    fn generate(&self, moves: &mut Vec<Column>) {
        moves.clear();
        if grid::has_four(self.own ^ self.occupied) {
            return;
        }
        let landing = grid::landing(self.occupied);
        moves.extend(
            (0..COLUMNS).filter(|&column| landing & grid::column(column) != 0).map(|column| Column(column as u8)),
        );
    }

    fn verdict(&self, generated: &[Column]) -> Option<Outcome> {
        if !generated.is_empty() {
            None
        } else if grid::has_four(self.own ^ self.occupied) {
            Some(Outcome::win(!self.mover, "four in a row"))
        } else {
            Some(Outcome::draw("the board is full"))
        }
    }

    fn play(&mut self, m: Column) {
        let cell = grid::landing(self.occupied) & grid::column(m.0.into());
        debug_assert!(cell != 0, "column {} is full", m.0 + 1);
        // The opponent's stones are the mover's of the next ply.
        self.own ^= self.occupied;
        self.occupied |= cell;
        self.mover = !self.mover;
    }

    fn key(&self) -> u64 {
        // own + occupied identifies a position; 49 bits leave room for the mover. The rest spreads the bits.
        let name = (self.own + self.occupied) << 1 | u64::from(self.mover == Side::Second);
        let mixed = (name ^ name >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ mixed >> 29
    }

    fn same_position(&self, other: &Connect4) -> bool {
        (self.mover, self.own, self.occupied) == (other.mover, other.own, other.occupied)
    }

    fn move_text(&self, m: Column) -> String {
        (m.0 + 1).to_string()
    }

    fn parse_move(&self, text: &str) -> Result<Column, MoveError> {
        let column = match text.parse::<usize>() {
            Ok(number @ 1..=COLUMNS) => number - 1,
            _ => return Err(MoveError::Malformed { text: text.to_owned(), expected: "a column from 1 to 7" }),
        };
        let mut moves = Vec::new();
        self.generate(&mut moves);
        let m = Column(column as u8);
        if moves.contains(&m) { Ok(m) } else { Err(MoveError::Illegal(text.to_owned())) }
    }
}

impl Notation for Connect4 {
    const MOVE_WIDTH: Option<usize> = Some(1);
}

impl Estimates for Connect4 {}

impl Pictures for Connect4 {
    fn diagram(&self) -> Option<Diagram> {
        let columns: Vec<String> = (1..=COLUMNS).map(|column| column.to_string()).collect();
        Some(stones::diagram(ROWS, &columns, |row, column| self.at(row, column)))
    }

    fn steps(&self, m: Column) -> Vec<Step> {
        let column = usize::from(m.0);
        let free = (0..ROWS).find(|row| self.at(*row, column).is_none()).unwrap_or(ROWS - 1);
        // The cell that the stone falls into, or any other of its column.
        let others = (0..ROWS).filter(|row| *row != free);
        vec![Step::Touch(std::iter::once(free).chain(others).map(|row| stones::cell(row, column)).collect())]
    }
}

impl Turns for Connect4 {}

impl Endings for Connect4 {}

impl References for Connect4 {
    fn oracle() -> Option<Box<dyn Oracle<Connect4>>> {
        Some(Box::new(Solver::default()))
    }
}

impl Examples for Connect4 {
    const TEST_POSITIONS: &'static [&'static str] =
        &["7/7/7/7/7/xoxo3 x", "xoxoxo1/oxoxox1/xoxoxo1/xoxoxo1/oxoxox1/xoxoxo1 o"];

    fn swapped(&self) -> Option<Connect4> {
        Some(Connect4 { mover: !self.mover, ..*self })
    }
}

impl fmt::Display for Connect4 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        stones::draw(f, ROWS, COLUMNS, |row, column| self.at(row, column))?;
        writeln!(f, "   1 2 3 4 5 6 7     {} to move", stones::letter(self.mover))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_positions_are_refused() {
        let error = |text| Connect4::from_position(text, &()).unwrap_err().to_string();
        assert!(error("7/7/7/7/7 x").contains("6 rows of 7 cells"));
        assert!(error("7/7/7/7/7/8 x").contains("6 rows of 7 cells"));
        assert!(error("7/7/7/7/7/99999999999999999999 x").contains("6 rows of 7 cells"));
        assert!(error("7/7/7/7/7/7 z").contains("6 rows of 7 cells"));
        assert!(error("7/7/7/7/x6/7 o").contains("hangs in the air"));
        assert!(error("7/7/7/7/7/xx5 o").contains("0 stones against 2"));
        assert!(error("7/7/7/7/oooo3/xxxx3 x").contains("four in a row already"));
    }
}
