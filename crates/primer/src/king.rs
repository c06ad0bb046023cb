//! How many shortest ways a king has to each square: dynamic programming.
//!
//! There is one way to the square where it stands. To any other square x the ways are those to its neighbours that are one move
//! nearer, added: `f(x) = Σ f(c)`. Each value is computed once, from near to far; without keeping them there would be 3ⁿ sums for
//! n moves.

use crate::board::{Board, Square};

/// The numbers of shortest ways from a square.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KingWays {
    from: Square,
    ways: Vec<u64>,
}

/// A king's moves to one square: the larger distance of the two directions.
pub fn distance(one: Square, other: Square) -> usize {
    one.file.abs_diff(other.file).max(one.rank.abs_diff(other.rank))
}

impl KingWays {
    /// Counts on a chessboard.
    pub fn from(from: Square) -> KingWays {
        let board = Board::CHESS;
        let mut ways = KingWays { from, ways: vec![0; board.len()] };
        ways.ways[board.index(from)] = 1;
        for far in 1..board.files {
            for square in (0..board.len()).map(|index| board.at(index)).filter(|square| distance(from, *square) == far)
            {
                ways.ways[board.index(square)] = ways.nearer(square).map(|near| ways.to(near)).sum();
            }
        }
        ways
    }

    /// How many ways lead to a square.
    pub fn to(&self, square: Square) -> u64 {
        self.ways[Board::CHESS.index(square)]
    }

    /// The squares from which the last move of a shortest way to `square` is made.
    pub fn nearer(&self, square: Square) -> impl Iterator<Item = Square> {
        let directions = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)];
        let neighbours = directions.into_iter().filter_map(move |step| Board::CHESS.step(square, step));
        neighbours.filter(move |near| distance(self.from, *near) + 1 == distance(self.from, square))
    }

    /// The board as text, K where the king stands.
    pub fn text(&self) -> String {
        let cell = |square| if square == self.from { "K".to_owned() } else { self.to(square).to_string() };
        Board::CHESS.text(cell)
    }

    /// The board as a heat map.
    pub fn svg(&self) -> String {
        let (mut picture, drawn) = Board::CHESS.picture(24.0, false);
        let most = self.ways.iter().copied().max().unwrap_or(1) as f64;
        for square in (0..self.ways.len()).map(|index| Board::CHESS.at(index)) {
            let ways = self.to(square);
            // The numbers grow by powers.
            let heat = (9.0 * (ways as f64).ln() / most.ln().max(1.0)).round();
            let (corner, opposite) = drawn.corners(square);
            let title = format!("{square}: {ways} ways of {} moves", distance(self.from, square));
            picture.bar(&format!("heat c2 h{heat:.0}"), corner, opposite, &title);
            let (x, y) = drawn.centre(square);
            let text = if square == self.from { "K".to_owned() } else { ways.to_string() };
            picture.text("middle ink", (x, y + 5.0), &text);
        }
        picture.text("", drawn.below(), &format!("shortest ways of a king from {} to each square", self.from));
        picture.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(name: &str) -> Square {
        Board::CHESS.square(name).unwrap()
    }

    /// Figure 1.25 of the book, ranks from 8 to 1.
    #[test]
    fn the_ways_from_e5_are_those_of_the_book() {
        let expected = [
            [4, 1, 3, 6, 7, 6, 3, 1],
            [10, 3, 1, 2, 3, 2, 1, 3],
            [16, 6, 2, 1, 1, 1, 2, 6],
            [19, 7, 3, 1, 1, 1, 3, 7],
            [16, 6, 2, 1, 1, 1, 2, 6],
            [10, 3, 1, 2, 3, 2, 1, 3],
            [4, 1, 3, 6, 7, 6, 3, 1],
            [1, 4, 10, 16, 19, 16, 10, 4],
        ];
        let ways = KingWays::from(square("e5"));
        for (row, expected) in expected.iter().enumerate() {
            for (file, expected) in expected.iter().enumerate() {
                assert_eq!(ways.to(Square { file, rank: 7 - row }), *expected);
            }
        }
        let last: Vec<(String, u64)> =
            ways.nearer(square("d1")).map(|near| (near.to_string(), ways.to(near))).collect();
        assert_eq!(last, [("c2", 3), ("d2", 6), ("e2", 7)].map(|(name, ways)| (name.to_owned(), ways)));
        assert!(ways.text().contains("\n5  19  7  3  1  K  1  3  7\n"), "{}", ways.text());
    }

    /// Counts ways by walking all of them.
    fn walk(from: Square, to: Square) -> u64 {
        if from == to {
            return 1;
        }
        let ways = KingWays::from(from);
        ways.nearer(to).map(|near| walk(from, near)).sum()
    }

    #[test]
    fn every_square_has_as_many_ways_as_there_are_walks() {
        for from in ["a1", "d4", "h3"].map(square) {
            let ways = KingWays::from(from);
            for to in (0..64).map(|index| Board::CHESS.at(index)).filter(|to| distance(from, *to) <= 4) {
                assert_eq!(ways.to(to), walk(from, to), "{from} {to}");
            }
        }
        // Along an edge of an endless board, the ways of n moves are the Motzkin numbers.
        let along =
            ["b1", "c1", "d1", "e1", "f1", "g1", "h1"].map(|name| KingWays::from(square("a1")).to(square(name)));
        assert_eq!(along, [1, 2, 4, 9, 21, 51, 127]);
    }

    #[test]
    fn the_picture_has_every_number() {
        let picture = KingWays::from(square("e5")).svg();
        assert_eq!(picture.matches("<rect class=\"heat").count(), 64);
        assert!(picture.contains("d1: 16 ways of 4 moves") && !picture.contains("NaN"));
    }
}
