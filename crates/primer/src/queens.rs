//! Queens that do not attack each other, some of which are already on the board.
//!
//! A board with n columns is a list of n rows: the book writes `[4,1,3,5,-1]` for queens on a4, b1, c3 and d5, and none yet on
//! the e file. The search fills the columns from left to right, each with the lowest row that is safe, and goes back to the last
//! column with another choice where there is none.

use std::collections::BTreeSet;
use std::fmt;

use alfil_core::wording::shorten;

use crate::board::{Board, Square};

/// The largest board. All solutions are kept: 14,200 of them for 12 queens.
pub const LARGEST: usize = 12;

/// A board with at most one queen per column.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Queens {
    /// By column: the row of its queen, from 0.
    rows: Vec<Option<usize>>,
}

/// Why a text is not a board of queens.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueensError {
    /// Not a row.
    #[error("'{text}' is not a row: write 1 to {size}, or -1 for a column without a queen")]
    Row {
        /// What was written.
        text: String,
        /// How many rows there are.
        size: usize,
    },
    /// No columns, or too many.
    #[error("there are {0} columns, and there can be 1 to {LARGEST}")]
    Size(usize),
    /// Two of the queens that are there attack each other.
    #[error("the queens on {0} and {1} attack each other")]
    Attack(Square, Square),
}

/// What a search has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solutions {
    /// The boards on the way to the first solution, from the one that was given; or all boards if there is no solution.
    pub steps: Vec<Queens>,
    /// All solutions, in the order in which they are found.
    pub all: Vec<Queens>,
}

impl Queens {
    /// A board without queens.
    pub fn empty(size: usize) -> Result<Queens, QueensError> {
        Queens::new(vec![None; size])
    }

    /// Reads `-1,3,-1,-1,2`, with or without brackets.
    pub fn read(text: &str) -> Result<Queens, QueensError> {
        let inner = text.trim().trim_start_matches('[').trim_end_matches(']');
        let words: Vec<&str> = inner.split(',').map(str::trim).collect();
        let size = words.len();
        let row = |word: &&str| match word.parse::<i64>() {
            Ok(-1) => Ok(None),
            Ok(row) if (1..=size as i64).contains(&row) => Ok(Some(row as usize - 1)),
            _ => Err(QueensError::Row { text: shorten(word), size }),
        };
        Queens::new(words.iter().map(row).collect::<Result<_, _>>()?)
    }

    fn new(rows: Vec<Option<usize>>) -> Result<Queens, QueensError> {
        if !(1..=LARGEST).contains(&rows.len()) {
            return Err(QueensError::Size(rows.len()));
        }
        let queens = Queens { rows };
        match queens.attack() {
            Some((one, other)) => Err(QueensError::Attack(one, other)),
            None => Ok(queens),
        }
    }

    /// The board's width and height.
    pub fn size(&self) -> usize {
        self.rows.len()
    }

    fn queens(&self) -> impl Iterator<Item = Square> {
        self.rows.iter().enumerate().filter_map(|(file, row)| Some(Square { file, rank: (*row)? }))
    }

    /// Two queens that attack each other: on the same row, or as many columns apart as rows.
    fn attack(&self) -> Option<(Square, Square)> {
        let pairs = self.queens().flat_map(|one| self.queens().map(move |other| (one, other)));
        let mut pairs = pairs.filter(|(one, other)| one.file < other.file);
        pairs.find(|(one, other)| {
            let apart = one.rank.abs_diff(other.rank);
            apart == 0 || apart == one.file.abs_diff(other.file)
        })
    }

    /// Finds all ways to complete the board.
    pub fn solve(&self) -> Solutions {
        let mut solutions = Solutions { steps: vec![self.clone()], all: Vec::new() };
        self.clone().fill(0, &mut solutions);
        solutions
    }

    fn fill(&mut self, from: usize, solutions: &mut Solutions) {
        let Some(column) = (from..self.size()).find(|column| self.rows[*column].is_none()) else {
            return solutions.all.push(self.clone());
        };
        for row in 0..self.size() {
            self.rows[column] = Some(row);
            if self.attack().is_none() {
                if solutions.all.is_empty() {
                    solutions.steps.push(self.clone());
                }
                self.fill(column + 1, solutions);
            }
        }
        self.rows[column] = None;
    }

    /// The eight boards that rotations and reflections make of a full one.
    fn symmetric(&self) -> Vec<Queens> {
        let last = self.size() - 1;
        let turn = |queens: &Queens| {
            let mut rows = vec![None; last + 1];
            queens.queens().for_each(|square| rows[last - square.rank] = Some(square.file));
            Queens { rows }
        };
        let mirror = |queens: &Queens| Queens { rows: queens.rows.iter().rev().copied().collect() };
        let turned = std::iter::successors(Some(self.clone()), |queens| Some(turn(queens))).take(4);
        turned.flat_map(|queens| [mirror(&queens), queens]).collect()
    }

    /// The board as text.
    pub fn text(&self) -> String {
        self.board().text(|square| if self.rows[square.file] == Some(square.rank) { "Q" } else { "." }.to_owned())
    }

    /// The board as a picture.
    pub fn svg(&self) -> String {
        let (mut picture, drawn) = self.board().picture(24.0, true);
        for square in self.queens() {
            let ((left, top), (right, _)) = drawn.corners(square);
            let side = right - left;
            // A crown: points from left to right, then the band below.
            let crown = [(0.2, 0.35), (0.33, 0.6), (0.4, 0.25), (0.5, 0.58), (0.6, 0.25), (0.67, 0.6), (0.8, 0.35)];
            let edge = crown.into_iter().chain([(0.72, 0.8), (0.28, 0.8)]);
            picture.area("c1", edge.map(|(x, y)| (left + x * side, top + y * side)));
        }
        picture.text("ink", drawn.below(), &self.to_string());
        picture.finish()
    }

    fn board(&self) -> Board {
        Board { files: self.size(), ranks: self.size() }
    }
}

impl Solutions {
    /// How many of the solutions are different when rotations and reflections of each other count as one.
    pub fn distinct(&self) -> usize {
        let representative = |queens: &Queens| queens.symmetric().into_iter().min();
        self.all.iter().filter_map(representative).collect::<BTreeSet<Queens>>().len()
    }
}

/// As the book writes it: `[-1,3,-1,-1,2]`
impl fmt::Display for Queens {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let row = |row: &Option<usize>| row.map_or_else(|| "-1".to_owned(), |row| (row + 1).to_string());
        write!(f, "[{}]", self.rows.iter().map(row).collect::<Vec<_>>().join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solve(text: &str) -> Vec<String> {
        Queens::read(text).unwrap().solve().all.iter().map(Queens::to_string).collect()
    }

    #[test]
    fn the_book_s_boards_are_completed_step_by_step() {
        let solutions = Queens::read("[-1,3,-1,-1,2]").unwrap().solve();
        let steps: Vec<String> = solutions.steps.iter().map(Queens::to_string).collect();
        let expected =
            ["[-1,3,-1,-1,2]", "[1,3,-1,-1,2]", "[1,3,5,-1,2]", "[5,3,-1,-1,2]", "[5,3,1,-1,2]", "[5,3,1,4,2]"];
        assert_eq!(steps, expected);
        assert_eq!(solve("-1,3,-1,-1,2"), ["[5,3,1,4,2]"]);
        assert_eq!(solve("4,1,3,5,-1"), ["[4,1,3,5,2]"]);
        assert_eq!(solve("-1,-1,-1,-1"), ["[2,4,1,3]", "[3,1,4,2]"]);
    }

    /// The numbers of solutions, and of those that are distinct (the On-Line Encyclopedia of Integer Sequences, A000170 and
    /// A002562).
    #[test]
    fn all_solutions_are_found() {
        let all = [1, 0, 0, 2, 10, 4, 40, 92, 352, 724];
        let distinct = [1, 0, 0, 1, 2, 1, 6, 12, 46, 92];
        for (number, (all, distinct)) in all.into_iter().zip(distinct).enumerate() {
            let solutions = Queens::empty(number + 1).unwrap().solve();
            assert_eq!((solutions.all.len(), solutions.distinct()), (all, distinct), "{} queens", number + 1);
        }
    }

    #[test]
    fn mistakes_are_named() {
        let complaint = |text| Queens::read(text).unwrap_err().to_string();
        assert_eq!(complaint("1,x"), "'x' is not a row: write 1 to 2, or -1 for a column without a queen");
        assert!(complaint("0,-1").contains("'0' is not a row"));
        assert_eq!(complaint("1,-1,3"), "the queens on a1 and c3 attack each other");
        assert_eq!(complaint("2,-1,2"), "the queens on a2 and c2 attack each other");
        assert!(complaint(&"-1,".repeat(12)).contains("''"));
        assert_eq!(Queens::empty(13).unwrap_err().to_string(), "there are 13 columns, and there can be 1 to 12");
    }

    #[test]
    fn a_solution_can_be_looked_at() {
        let queens = Queens::read("2,4,1,3").unwrap();
        assert_eq!(queens.text(), "4  . Q . .\n3  . . . Q\n2  Q . . .\n1  . . Q .\n   a b c d\n");
        assert_eq!(queens.svg().matches("<path class=\"c1\"").count(), 4);
    }
}
