//! Knowledge from outside the search: exact solvers, endgame tables and opening books.

use std::io;
use std::path::Path;

use crate::{Game, Mover, Oracle, Outcome, Score};

/// Sources of a game that know better than any search. Most games have none.
pub trait References: Game {
    /// The name of the game's endgame tables, if it has any.
    const TABLEBASE: Option<&'static str> = None;

    /// The name of the format of the game's opening books, if it has any.
    const BOOK: Option<&'static str> = None;

    /// A solver that gives the exact result of every position, where the game is small enough to have one.
    fn oracle() -> Option<Box<dyn Oracle<Self>>> {
        None
    }

    /// Opens the endgame tables in `folders`, separated as in a search path.
    fn tablebase(folders: &str) -> Result<Box<dyn Tablebase<Self>>, ReferenceError> {
        let _ = folders;
        Err(ReferenceError::NoTablebase(Self::NAME))
    }

    /// Opens an opening book.
    fn book(path: &Path) -> Result<Box<dyn Book<Self>>, ReferenceError> {
        let _ = path;
        Err(ReferenceError::NoBook(Self::NAME))
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
pub trait Book<G: Game>: Send {
    /// A move for the position, drawn by weight, if the book has one that is legal. `below` gives a random number smaller than
    /// its argument.
    fn probe(&mut self, game: &G, below: &mut dyn FnMut(u32) -> u32) -> io::Result<Option<G::Move>>;
}

/// Why tables or a book cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ReferenceError {
    /// The game has no endgame tables.
    #[error("{0} has no endgame tables")]
    NoTablebase(&'static str),
    /// The game has no opening books.
    #[error("{0} has no opening books")]
    NoBook(&'static str),
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
