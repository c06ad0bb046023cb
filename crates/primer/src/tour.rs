//! A knight's tour: to every square of a board, and to none twice.
//!
//! Warnsdorff's rule (1823) always goes to the square from which the fewest squares can be reached that have not been visited. Where
//! several are equal, the one farthest from the centre comes first (Roth's rule), or a random one in later attempts; a dead end is
//! taken back, as far as the steps of an attempt last.

use std::cmp::Reverse;

use alfil_core::seed::derive;
use alfil_core::svg::Colour;

use crate::board::{Board, Square};
use crate::random::Random;

const JUMPS: [(isize, isize); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// The first attempt has this many steps, and the others have as many per square.
const FIRST: u64 = 2_000_000;
const STEPS_PER_SQUARE: u64 = 20;

/// Attempts after the first: each breaks ties at random.
const ATTEMPTS: u64 = 200;

/// Matrices that are wider are not for the terminal.
const TERMINAL: usize = 80;

/// Euler's open tour of 1759, whose rows and columns have the sum 260 and their halves 130: the last rank first.
const EULER: [[usize; 8]; 8] = [
    [1, 48, 31, 50, 33, 16, 63, 18],
    [30, 51, 46, 3, 62, 19, 14, 35],
    [47, 2, 49, 32, 15, 34, 17, 64],
    [52, 29, 4, 45, 20, 61, 36, 13],
    [5, 44, 25, 56, 9, 40, 21, 60],
    [28, 53, 8, 41, 24, 57, 12, 37],
    [43, 6, 55, 26, 39, 10, 59, 22],
    [54, 27, 42, 7, 58, 23, 38, 11],
];

/// A tour that has been checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tour {
    board: Board,
    squares: Vec<Square>,
}

/// Why there is no tour.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TourError {
    /// It was proven.
    #[error("no tour of {files}x{ranks} begins on {from}")]
    None {
        /// The board's width.
        files: usize,
        /// The board's height.
        ranks: usize,
        /// The first square.
        from: Square,
    },
    /// It is not known.
    #[error("found no tour of {files}x{ranks} that begins on {from}, after {ATTEMPTS} attempts: there may be one")]
    Unknown {
        /// The board's width.
        files: usize,
        /// The board's height.
        ranks: usize,
        /// The first square.
        from: Square,
    },
    /// Two squares that follow each other are no knight's move apart, or a square is missing.
    #[error("it is not a tour: {0}")]
    Broken(String),
}

/// What a tour's numbers add up to, if every row and column of a square board has the same sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sums {
    /// Of each row and column.
    pub whole: usize,
    /// Of each half of one, if these are equal as well.
    pub half: Option<usize>,
}

impl Tour {
    /// Finds a tour that begins on `from`.
    pub fn find(board: Board, from: Square) -> Result<Tour, TourError> {
        let (files, ranks) = (board.files, board.ranks);
        // Colours alternate: on an odd board one more square has the colour of the corners.
        if board.len() % 2 == 1 && (from.file + from.rank) % 2 == 1 {
            return Err(TourError::None { files, ranks, from });
        }
        match Walk::new(board, from, None).find(FIRST) {
            Some(squares) => return Tour::check(board, squares),
            None if Walk::new(board, from, None).exhausts(FIRST) => {
                return Err(TourError::None { files, ranks, from });
            }
            None => {}
        }
        let steps = STEPS_PER_SQUARE * board.len() as u64;
        let attempt = |attempt| Walk::new(board, from, Some(Random::new(derive(1, &[attempt])))).find(steps);
        let squares = (0..ATTEMPTS).find_map(attempt).ok_or(TourError::Unknown { files, ranks, from })?;
        Tour::check(board, squares)
    }

    /// Euler's tour.
    pub fn euler() -> Result<Tour, TourError> {
        let order = |square: Square| EULER[7 - square.rank][square.file];
        let mut squares: Vec<Square> = (0..64).map(|index| Board::CHESS.at(index)).collect();
        squares.sort_by_key(|square| order(*square));
        Tour::check(Board::CHESS, squares)
    }

    fn check(board: Board, squares: Vec<Square>) -> Result<Tour, TourError> {
        let mut seen = vec![false; board.len()];
        squares.iter().for_each(|square| seen[board.index(*square)] = true);
        if squares.len() != board.len() || seen.contains(&false) {
            return Err(TourError::Broken(format!("it has {} of {} squares", squares.len(), board.len())));
        }
        match squares.windows(2).find(|pair| !is_jump(pair[0], pair[1])) {
            Some(pair) => Err(TourError::Broken(format!("{} to {} is no knight's move", pair[0], pair[1]))),
            None => Ok(Tour { board, squares }),
        }
    }

    /// The squares in order.
    pub fn squares(&self) -> &[Square] {
        &self.squares
    }

    /// Whether the first square is a knight's move from the last.
    pub fn is_closed(&self) -> bool {
        matches!(self.squares[..], [first, .., last] if is_jump(first, last))
    }

    /// When each square is visited, from 1.
    fn numbers(&self) -> Vec<usize> {
        let mut numbers = vec![0; self.board.len()];
        self.squares.iter().zip(1..).for_each(|(square, number)| numbers[self.board.index(*square)] = number);
        numbers
    }

    /// The sums, if all rows and columns have the same one.
    pub fn sums(&self) -> Option<Sums> {
        let (side, numbers) = (self.board.files, self.numbers());
        if self.board.ranks != side {
            return None;
        }
        let number = |file, rank| numbers[self.board.index(Square { file, rank })];
        let lines: Vec<Vec<usize>> = (0..side)
            .flat_map(|line| {
                [(0..side).map(|at| number(at, line)).collect(), (0..side).map(|at| number(line, at)).collect()]
            })
            .collect();
        let whole = lines[0].iter().sum();
        let halves =
            || lines.iter().flat_map(|line| line.chunks(side.div_ceil(2)).map(|half| half.iter().sum::<usize>()));
        let even = side.is_multiple_of(2) && halves().all(|half| 2 * half == whole);
        let same = lines.iter().all(|line| line.iter().sum::<usize>() == whole);
        same.then(|| Sums { whole, half: even.then_some(whole / 2) })
    }

    /// The board with the numbers of the squares, if it fits into a terminal.
    pub fn text(&self) -> Option<String> {
        let width = self.board.len().to_string().len() + 1;
        let numbers = self.numbers();
        (self.board.files * width + 4 <= TERMINAL)
            .then(|| self.board.text(|square| numbers[self.board.index(square)].to_string()))
    }

    /// The way as a line, whose colour changes from the first square to the last.
    pub fn svg(&self) -> String {
        let (mut picture, drawn) = self.board.picture(24.0, self.board.files.max(self.board.ranks) <= 20);
        let parts = Colour::COUNT - 1;
        for part in 0..parts {
            // The parts share their ends, so that the line has no gaps.
            let end = |part: usize| part * (self.squares.len() - 1) / parts;
            let squares = &self.squares[end(part)..=end(part + 1)];
            picture.line(&format!("line {}", Colour(part).class()), squares.iter().map(|square| drawn.centre(*square)));
        }
        let ends = [self.squares.first(), self.squares.last()];
        for square in ends.into_iter().flatten() {
            picture.dot("ink", drawn.centre(*square), (drawn.side / 6.0).max(2.0), &square.to_string());
        }
        let Board { files, ranks } = self.board;
        picture.text("", drawn.below(), &format!("a knight's tour of {files}x{ranks}"));
        picture.finish()
    }
}

fn is_jump(one: Square, other: Square) -> bool {
    let apart = (one.file.abs_diff(other.file), one.rank.abs_diff(other.rank));
    apart == (1, 2) || apart == (2, 1)
}

/// A search in progress.
struct Walk {
    board: Board,
    visited: Vec<bool>,
    squares: Vec<Square>,
    /// By visited square: where the knight can still go from there, the best choice last.
    choices: Vec<Vec<Square>>,
    ties: Option<Random>,
}

impl Walk {
    fn new(board: Board, from: Square, ties: Option<Random>) -> Walk {
        let mut walk =
            Walk { visited: vec![false; board.len()], squares: Vec::new(), choices: Vec::new(), board, ties };
        walk.go(from);
        walk
    }

    fn go(&mut self, to: Square) {
        self.visited[self.board.index(to)] = true;
        self.squares.push(to);
        let choices = self.ranked();
        self.choices.push(choices);
    }

    /// Free squares that a knight reaches from one.
    fn free(&self, from: Square) -> impl Iterator<Item = Square> {
        let to = JUMPS.into_iter().filter_map(move |jump| self.board.step(from, jump));
        to.filter(|square| !self.visited[self.board.index(*square)])
    }

    /// How many free squares can be reached from a square.
    fn degree(&self, square: Square) -> usize {
        self.free(square).count()
    }

    /// The free squares that can be reached from the last one, the best choice last.
    fn ranked(&mut self) -> Vec<Square> {
        let Some(here) = self.squares.last().copied() else { return Vec::new() };
        let mut ties = self.ties.take();
        let last_but_one = self.squares.len() + 1 == self.board.len();
        let free: Vec<(usize, Square)> = self.free(here).map(|square| (self.degree(square), square)).collect();
        // A square from which there is no way on can only be the last one.
        let mut ranked: Vec<_> = free
            .into_iter()
            .filter(|(degree, _)| *degree > 0 || last_but_one)
            .map(|(degree, square)| {
                let order = match &mut ties {
                    Some(random) => random.below(1 << 20),
                    None => from_centre(self.board, square),
                };
                (degree, Reverse(order), square)
            })
            .collect();
        self.ties = ties;
        // Stable: what is equal stays in the order of the jumps, of which the first is tried first.
        ranked.sort_by_key(|(degree, order, _)| (*degree, *order));
        ranked.into_iter().rev().map(|(_, _, square)| square).collect()
    }

    /// Goes on until there is a tour, no choice is left, or the steps are used up. Whether there is a tour, if that is known.
    fn go_on(&mut self, steps: u64) -> Option<bool> {
        for _ in 0..steps {
            if self.squares.len() == self.board.len() {
                return Some(true);
            }
            let Some(choices) = self.choices.last_mut() else { return Some(false) };
            match choices.pop() {
                Some(next) => self.go(next),
                None => {
                    self.choices.pop();
                    if let Some(back) = self.squares.pop() {
                        self.visited[self.board.index(back)] = false;
                    }
                }
            }
        }
        None
    }

    fn find(mut self, steps: u64) -> Option<Vec<Square>> {
        (self.go_on(steps) == Some(true)).then_some(self.squares)
    }

    fn exhausts(mut self, steps: u64) -> bool {
        self.go_on(steps) == Some(false)
    }
}

/// Twice the distance from the centre, squared.
fn from_centre(board: Board, square: Square) -> usize {
    let away = |at: usize, size: usize| (2 * at + 1).abs_diff(size).pow(2);
    away(square.file, board.files) + away(square.rank, board.ranks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(text: &str) -> Board {
        Board::read(text).unwrap()
    }

    fn find(size: &str, from: &str) -> Result<Tour, TourError> {
        Tour::find(board(size), board(size).square(from).unwrap())
    }

    #[test]
    fn euler_s_tour_is_semi_magic() {
        let tour = Tour::euler().unwrap();
        assert_eq!(tour.sums(), Some(Sums { whole: 260, half: Some(130) }));
        assert!(!tour.is_closed());
        let text = tour.text().unwrap();
        assert!(text.starts_with("8   1 48 31 50 33 16 63 18\n"), "{text}");
        assert_eq!(find("8x8", "a1").unwrap().sums(), None);
    }

    /// All tours that only ever go to a square of the smallest degree.
    fn every_choice(walk: &mut Walk, tours: &mut Vec<Vec<Square>>, dead_ends: &mut u32) {
        let here = *walk.squares.last().unwrap();
        let free: Vec<Square> = walk.free(here).collect();
        if walk.squares.len() == walk.board.len() {
            return tours.push(walk.squares.clone());
        }
        let smallest = free.iter().map(|square| walk.degree(*square)).min();
        *dead_ends += u32::from(free.is_empty());
        for to in free {
            if Some(walk.degree(to)) == smallest {
                walk.visited[walk.board.index(to)] = true;
                walk.squares.push(to);
                every_choice(walk, tours, dead_ends);
                walk.squares.pop();
                walk.visited[walk.board.index(to)] = false;
            }
        }
    }

    /// The book's worked example: 5x5 from a1.
    #[test]
    fn the_rule_never_fails_on_five_by_five() {
        let five = board("5x5");
        let (mut tours, mut dead_ends) = (Vec::new(), 0);
        every_choice(&mut Walk::new(five, five.square("a1").unwrap(), None), &mut tours, &mut dead_ends);
        let ends_in = |name: &str| tours.iter().filter(|tour| tour.last() == five.square(name).ok().as_ref()).count();
        assert_eq!((tours.len(), ends_in("c3"), dead_ends), (32, 16, 0));
        let names = "a1 b3 a5 c4 e5 d3 e1 c2 d4 e2 c1 a2 b4 d5 e3 d1 b2 a4 c5 e4 d2 b1 a3 b5 c3";
        let books: Vec<Square> = names.split(' ').map(|name| five.square(name).unwrap()).collect();
        assert!(tours.contains(&books));
        let found = find("5x5", "a1").unwrap();
        assert!(tours.contains(&found.squares), "{:?}", found.text());
        // From b3 the corner a5, from which one square is left, comes before c5 and d4, from which there are three.
        let mut walk = Walk::new(five, five.square("a1").unwrap(), None);
        walk.go(five.square("b3").unwrap());
        assert_eq!(["a5", "c5", "d4"].map(|name| walk.degree(five.square(name).unwrap())), [1, 3, 3]);
        assert_eq!(walk.choices.last().unwrap().last(), five.square("a5").ok().as_ref());
    }

    #[test]
    fn large_and_narrow_boards_have_tours() {
        for (size, from) in [
            ("130x130", "a1"),
            ("100x100", "a1"),
            ("64x64", "c7"),
            ("50x50", "a1"),
            ("20x20", "e5"),
            ("3x10", "a1"),
            ("1x1", "a1"),
        ] {
            let tour = find(size, from).unwrap();
            assert_eq!(
                (tour.squares.len(), tour.squares[0].to_string()),
                (board(size).len(), from.to_owned()),
                "{size}"
            );
        }
    }

    #[test]
    fn every_square_of_a_chessboard_can_be_the_first() {
        for index in 0..64 {
            let from = Board::CHESS.at(index);
            assert_eq!(Tour::find(Board::CHESS, from).unwrap().squares[0], from);
        }
    }

    #[test]
    fn it_is_proven_that_small_boards_have_none() {
        for (size, from) in
            [("3x3", "a1"), ("4x4", "a1"), ("4x4", "b2"), ("3x5", "a1"), ("2x9", "a1"), ("5x5", "a2"), ("5x5", "b3")]
        {
            // b3 of 5x5 has the colour of a2, of which there are fewer squares.
            let found = find(size, from);
            assert!(matches!(found, Err(TourError::None { .. })), "{size} {from}: {found:?}");
        }
    }

    #[test]
    fn what_is_no_tour_is_refused() {
        let squares = |names: &str| names.split(' ').map(|name| Board::CHESS.square(name).unwrap()).collect();
        let three = Board { files: 1, ranks: 2 };
        let error = |squares| Tour::check(three, squares).unwrap_err().to_string();
        assert_eq!(error(squares("a1 a2")), "it is not a tour: a1 to a2 is no knight's move");
        assert_eq!(error(squares("a1")), "it is not a tour: it has 1 of 2 squares");
    }

    #[test]
    fn the_picture_goes_through_every_square() {
        let picture = find("6x6", "a1").unwrap().svg();
        // Five parts of 36 squares share four ends.
        let points: usize = picture
            .split("class=\"line")
            .skip(1)
            .map(|part| part.split('"').nth(2).unwrap().matches(['M', 'L']).count())
            .sum();
        assert_eq!(points, 40);
    }
}
