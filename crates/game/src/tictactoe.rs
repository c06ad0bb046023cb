//! Tic-tac-toe: the smallest game, for tests and as the shortest example of both contracts.

use std::fmt;

use crate::diagram::Diagram;
use crate::{
    Encoding, Endings, Estimates, Examples, Game, Judgement, MoveError, Mover, Notation, Oracle, Outcome, Pictures,
    PositionError, References, Score, Side, Step, Symmetry, Turns, stones,
};

const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];
const FULL: u16 = 0o777;

/// A cell, 0 to 8 from the bottom left, row by row; written 1 to 9 as on a numeric keypad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(u8);

impl From<Cell> for u16 {
    fn from(cell: Cell) -> u16 {
        cell.0.into()
    }
}

impl TryFrom<u16> for Cell {
    type Error = MoveError;

    fn try_from(code: u16) -> Result<Cell, MoveError> {
        match u8::try_from(code) {
            Ok(cell) if cell < 9 => Ok(Cell(cell)),
            _ => Err(MoveError::Illegal(code.to_string())),
        }
    }
}

/// A game of tic-tac-toe.
#[derive(Clone, Debug)]
pub struct TicTacToe {
    mover: Side,
    own: u16,
    other: u16,
}

impl TicTacToe {
    fn at(&self, row: usize, column: usize) -> Option<Side> {
        let cell = 1 << (3 * row + column);
        match (self.own & cell, self.other & cell) {
            (0, 0) => None,
            (0, _) => Some(!self.mover),
            _ => Some(self.mover),
        }
    }
}

fn has_line(stones: u16) -> bool {
    LINES.iter().any(|line| stones & line == *line)
}

impl Game for TicTacToe {
    type Move = Cell;
    type Rules = ();

    const NAME: &'static str = "tictactoe";
    const TITLE: &'static str = "tic-tac-toe";
    const SIDES: [&'static str; 2] = ["x", "o"];

    fn new(_: &()) -> TicTacToe {
        TicTacToe { mover: Side::First, own: 0, other: 0 }
    }

    fn from_position(text: &str, _: &()) -> Result<TicTacToe, PositionError> {
        let wrong = |reason: String| PositionError::new::<TicTacToe>(text, reason);
        let (cells, mover) = stones::parse(text, 3, 3).map_err(wrong)?;
        let stones = |side| (0..9).filter(|&i| cells[i] == Some(side)).fold(0, |bits, i| bits | 1 << i);
        let game = TicTacToe { mover, own: stones(mover), other: stones(!mover) };
        if has_line(game.own) {
            return Err(wrong("the side to move has three in a row already".to_owned()));
        }
        Ok(game)
    }

    fn position(&self) -> String {
        stones::write(3, 3, |row, column| self.at(row, column), self.mover)
    }

    fn side(&self) -> Side {
        self.mover
    }

    fn ply(&self) -> u32 {
        (self.own | self.other).count_ones()
    }

    fn ply_cap(&self) -> u32 {
        9
    }

    fn generate(&self, moves: &mut Vec<Cell>) {
        moves.clear();
        if !has_line(self.other) {
            let empty = FULL ^ self.own ^ self.other;
            moves.extend((0..9).filter(|cell| empty >> cell & 1 == 1).map(Cell));
        }
    }

    fn verdict(&self, generated: &[Cell]) -> Option<Outcome> {
        if !generated.is_empty() {
            None
        } else if has_line(self.other) {
            Some(Outcome::win(!self.mover, "three in a row"))
        } else {
            Some(Outcome::draw("the board is full"))
        }
    }

    fn play(&mut self, m: Cell) {
        let own = self.own | 1 << m.0;
        *self = TicTacToe { mover: !self.mover, own: self.other, other: own };
    }

    fn key(&self) -> u64 {
        let name = u64::from(self.own) << 10 | u64::from(self.other) << 1 | u64::from(self.mover == Side::Second);
        (name + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn same_position(&self, other: &TicTacToe) -> bool {
        (self.mover, self.own, self.other) == (other.mover, other.own, other.other)
    }

    fn move_text(&self, m: Cell) -> String {
        (m.0 + 1).to_string()
    }

    fn parse_move(&self, text: &str) -> Result<Cell, MoveError> {
        match text.parse::<u8>() {
            Ok(number @ 1..=9) => {
                let mut moves = Vec::new();
                self.generate(&mut moves);
                let m = Cell(number - 1);
                if moves.contains(&m) { Ok(m) } else { Err(MoveError::Illegal(text.to_owned())) }
            }
            _ => Err(MoveError::Malformed { text: text.to_owned(), expected: "a cell from 1 to 9" }),
        }
    }
}

impl Notation for TicTacToe {
    const MOVE_WIDTH: Option<usize> = Some(1);
}

impl Estimates for TicTacToe {}

impl Pictures for TicTacToe {
    fn diagram(&self) -> Option<Diagram> {
        Some(stones::diagram(3, &[const { String::new() }; 3], |row, column| self.at(row, column)))
    }

    fn steps(&self, m: Cell) -> Vec<Step> {
        vec![Step::touch(stones::cell(usize::from(m.0 / 3), usize::from(m.0 % 3)))]
    }
}

impl Turns for TicTacToe {}

impl Endings for TicTacToe {}

impl References for TicTacToe {
    fn oracle() -> Option<Box<dyn Oracle<TicTacToe>>> {
        Some(Box::new(Exhaustive))
    }
}

impl Examples for TicTacToe {
    fn swapped(&self) -> Option<TicTacToe> {
        Some(TicTacToe { mover: !self.mover, ..*self })
    }
}

impl fmt::Display for TicTacToe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        stones::draw(f, 3, 3, |row, column| self.at(row, column))?;
        writeln!(f, "           {} to move, cells 1 to 9 as on a keypad", stones::letter(self.mover))
    }
}

/// Plays every game to its end.
struct Exhaustive;

impl Oracle<TicTacToe> for Exhaustive {
    fn judge(&mut self, game: &TicTacToe) -> Judgement {
        let judged = self.judge_moves(game).into_iter().map(|(_, judgement)| judgement);
        judged.max_by(Judgement::preference).unwrap_or(Judgement { score: Mover(Score::DRAW), plies: 0 })
    }
}

/// `tictactoe/stones`: a plane of the mover's stones and one of the opponent's; the policy index is the cell.
pub struct Stones;

impl Encoding for Stones {
    type Game = TicTacToe;

    const NAME: &'static str = "tictactoe/stones";
    const VERSION: u32 = 1;
    const PLANES: usize = 2;
    const HEIGHT: usize = 3;
    const WIDTH: usize = 3;
    const POLICY_PLANES: usize = 1;
    const POLICY_SIZE: usize = 9;
    const SYMMETRIES: &'static [Symmetry] = &[
        symmetry("left-right mirror", |cell| cell / 3 * 3 + 2 - cell % 3),
        symmetry("top-bottom mirror", |cell| (2 - cell / 3) * 3 + cell % 3),
        symmetry("half turn", |cell| 8 - cell),
        symmetry("diagonal mirror", |cell| cell % 3 * 3 + cell / 3),
        symmetry("other diagonal mirror", |cell| (2 - cell % 3) * 3 + 2 - cell / 3),
        symmetry("quarter turn", |cell| cell % 3 * 3 + 2 - cell / 3),
        symmetry("three quarter turn", |cell| (2 - cell % 3) * 3 + cell / 3),
    ];

    fn planes(game: &TicTacToe, planes: &mut [f32]) {
        for (plane, stones) in planes.chunks_exact_mut(9).zip([game.own, game.other]) {
            for (cell, value) in plane.iter_mut().enumerate() {
                *value = f32::from(stones >> cell & 1);
            }
        }
    }

    fn index(_: &TicTacToe, m: Cell) -> usize {
        m.0.into()
    }

    fn move_at(game: &TicTacToe, index: usize) -> Option<Cell> {
        let free = index < 9 && (game.own | game.other) >> index & 1 == 0 && !has_line(game.other);
        free.then_some(Cell(index as u8))
    }
}

const fn symmetry(name: &'static str, cell: fn(usize) -> usize) -> Symmetry {
    Symmetry { name, cell, index: cell }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn perfect_play_draws() {
        assert_eq!(Exhaustive.judge(&TicTacToe::new(&())).score, Mover(Score::DRAW));
    }
}
