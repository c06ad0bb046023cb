//! What can go wrong.

use std::io;
use std::path::{Path, PathBuf};

use alfil_arena::StateError;
use alfil_arena::player::PlayerError;
use alfil_search::EvaluatorError;

/// Why games cannot be judged. What was finished is kept where there is a file for it.
#[derive(Debug, thiserror::Error)]
pub enum InsightError {
    /// A file cannot be read.
    #[error("cannot read {path}: {why}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {path}: {why}")]
    Write {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: io::Error,
    },
    /// A file of mistakes has a line that we cannot have written.
    #[error("line {line} of {path} is not a mistake: {why}")]
    Record {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// A file is not a model.
    #[error("cannot use the model {path}: {why}")]
    Model {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A network cannot make vectors.
    #[error("cannot use the network {name}: {why}")]
    Network {
        /// Its name or file.
        name: String,
        /// What is wrong.
        why: String,
    },
    /// The player who judges has failed twice at the same game.
    #[error("'{name}' failed in game {game}, and again after a new start: {why}")]
    Judge {
        /// Its name.
        name: String,
        /// The number of the game, counted from 1.
        game: u64,
        /// How it failed.
        why: PlayerError,
    },
    /// Its evaluator has failed, or a thread.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
    /// The file from which an interrupted command goes on cannot be used.
    #[error(transparent)]
    State(#[from] StateError),
    /// A result is there already.
    #[error("{0} exists already: name another file, or remove it first")]
    Exists(PathBuf),
    /// It was told to stop.
    #[error("stopped after {games} games: the same command goes on")]
    Stopped {
        /// Games that are finished.
        games: u64,
    },
}

impl InsightError {
    pub(crate) fn read(path: &Path) -> impl FnOnce(io::Error) -> InsightError {
        move |why| InsightError::Read { path: path.to_owned(), why }
    }

    pub(crate) fn write(path: &Path) -> impl FnOnce(io::Error) -> InsightError {
        move |why| InsightError::Write { path: path.to_owned(), why }
    }
}
