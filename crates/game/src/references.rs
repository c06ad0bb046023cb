//! Knowledge from outside the search: exact solvers, endgame tables and opening books.

use std::io;
use std::path::Path;

use crate::book::{CountedBook, Counts};
use crate::{Game, Mover, Oracle, Outcome, Score};

/// Sources of a game that know better than any search. Most games have none.
pub trait References: Game {
    /// The name of the game's endgame tables, if it has any.
    const TABLEBASE: Option<&'static str> = None;

    /// A solver that gives the exact result of every position, where the game is small enough to have one.
    fn oracle() -> Option<Box<dyn Oracle<Self>>> {
        None
    }

    /// Opens the endgame tables in `folders`, separated as in a search path.
    fn tablebase(folders: &str) -> Result<Box<dyn Tablebase<Self>>, ReferenceError> {
        let _ = folders;
        Err(ReferenceError::NoTablebase(Self::NAME))
    }

    /// Opens an opening book: one of [ours](crate::book), or of another format that the game knows.
    fn book(path: &Path) -> Result<Box<dyn Book<Self>>, ReferenceError> {
        Ok(Box::new(CountedBook::open::<Self>(path)?))
    }

    /// The key and the code by which a Polyglot book knows a legal move; none except in chess.
    fn polyglot_entry(&self, m: Self::Move) -> Option<(u64, u16)> {
        let _ = m;
        None
    }
}

/// Knows the result of positions with few pieces.
pub trait Tablebase<G: Game>: Send + Sync {
    /// How many files there are.
    fn files(&self) -> usize;

    /// How the game would end, where the tables know it for certain.
    fn outcome(&self, game: &G) -> Option<Outcome>;

    /// The move that keeps the best result and makes the most progress towards it, and that result.
    fn best_move(&self, game: &G) -> Option<(G::Move, Mover<Score>)>;
}

/// Knows moves for the beginning of games.
pub trait Book<G: Game>: Send + Sync {
    /// The legal moves that the book has for a position.
    fn moves(&self, game: &G) -> io::Result<Vec<BookMove<G::Move>>>;

    /// One of these moves, drawn by weight; none if all weigh nothing. `below` gives a random number smaller than its argument.
    fn probe(&self, game: &G, below: &mut dyn FnMut(u32) -> u32) -> io::Result<Option<G::Move>> {
        let moves = self.moves(game)?;
        let total = moves.iter().fold(0u32, |sum, found| sum.saturating_add(found.weight));
        let mut left = if total == 0 { return Ok(None) } else { below(total) };
        for BookMove { m, weight, .. } in moves {
            match left.checked_sub(weight) {
                Some(rest) => left = rest,
                None => return Ok(Some(m)),
            }
        }
        Ok(None)
    }
}

/// A move that a book has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove<M> {
    /// The move.
    pub m: M,
    /// How often it is played, beside the others; 0 is never.
    pub weight: u32,
    /// How games went on after it, where the book says so.
    pub counts: Option<Counts>,
}

/// Why tables or a book cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ReferenceError {
    /// The game has no endgame tables.
    #[error("{0} has no endgame tables")]
    NoTablebase(&'static str),
    /// The book is for another game.
    #[error("it is a book of {game}, and the game is {wanted}")]
    OtherGame {
        /// The game of the book.
        game: String,
        /// The game that was asked for.
        wanted: &'static str,
    },
    /// The folders hold no tables.
    #[error("there are no {kind} tables in {folders}")]
    Empty {
        /// What they are called.
        kind: &'static str,
        /// Where they were looked for.
        folders: String,
    },
    /// The file or folder cannot be read.
    #[error("cannot read {path}: {why}")]
    Read {
        /// Which one.
        path: String,
        /// Why not.
        why: io::Error,
    },
    /// The file is not a book.
    #[error("it is not a {kind} book: {why}")]
    Malformed {
        /// What books are called.
        kind: &'static str,
        /// What is wrong with it.
        why: &'static str,
    },
}
