//! Why a run cannot go on.

use std::path::{Path, PathBuf};

use alfil_arena::contest::{ContestError, StateError};
use alfil_arena::player::BuildError;
use alfil_game::ReferenceError;
use alfil_nn::learning::LearnError;
use alfil_nn::{ArchitectureError, FileError};
use alfil_search::EvaluatorError;
use alfil_search::evaluators::BackendError;
use alfil_selfplay::replay::ReplayError;
use alfil_selfplay::{ChunkError, SessionError, StartsError};

use crate::config::ConfigError;

/// Why a run cannot begin or go on. What was finished is on the disk: the same command goes on from there.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The system says no.
    #[error("cannot {action} {path}: {why}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// With which file.
        path: PathBuf,
        /// What is wrong.
        why: std::io::Error,
    },
    /// Another process is at it.
    #[error("another process is working on the run {0}: wait for it, or stop it")]
    Locked(PathBuf),
    /// A file of the run makes no sense.
    #[error("{path} is damaged: {why}")]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The run was begun with something else that cannot be changed.
    #[error("the run {run} has {key} = {old}, not {new}: choose another name with --run, or set it back")]
    Changed {
        /// The run.
        run: PathBuf,
        /// Which key.
        key: String,
        /// What it was.
        old: String,
        /// What it would be.
        new: String,
    },
    /// No checkpoint can be gone on from.
    #[error("{0} has no checkpoint that training can go on from")]
    NoCheckpoint(PathBuf),
    /// A configuration that cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A shape that no network has.
    #[error(transparent)]
    Architecture(#[from] ArchitectureError),
    /// A network file.
    #[error(transparent)]
    Network(#[from] FileError),
    /// Training.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// Files of games.
    #[error(transparent)]
    Chunk(#[from] ChunkError),
    /// The window.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// Positions that games begin at.
    #[error(transparent)]
    Starts(#[from] StartsError),
    /// Endgame tables that cannot be used.
    #[error("selfplay.adjudicate_syzygy cannot be used: {0}")]
    Tables(#[from] ReferenceError),
    /// A match.
    #[error(transparent)]
    Match(#[from] StateError),
    /// A player of the rating pool.
    #[error(transparent)]
    Player(#[from] BuildError),
    /// What judges positions, or a thread that panicked.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
}

impl From<SessionError> for RunError {
    fn from(error: SessionError) -> RunError {
        match error {
            SessionError::Chunk(why) => why.into(),
            SessionError::Evaluator(why) => why.into(),
        }
    }
}

impl From<ContestError> for RunError {
    fn from(error: ContestError) -> RunError {
        match error {
            ContestError::State(why) => why.into(),
            ContestError::Evaluator(why) => why.into(),
        }
    }
}

impl From<BackendError> for RunError {
    fn from(error: BackendError) -> RunError {
        match error {
            BackendError::Network(why) => why.into(),
            BackendError::Evaluator(why) => why.into(),
        }
    }
}

impl RunError {
    pub(crate) fn io(action: &'static str, path: &Path, why: std::io::Error) -> RunError {
        RunError::Io { action, path: path.to_owned(), why }
    }
}
