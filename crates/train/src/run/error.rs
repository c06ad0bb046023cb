//! Why a run cannot begin or continue.

use std::path::{Path, PathBuf};

use alfil_arena::contest::{ContestError, StateError};
use alfil_arena::player::BuildError;
use alfil_nn::learning::LearnError;
use alfil_nn::{ArchitectureError, FileError, OpenError};
use alfil_search::EvaluatorError;
use alfil_search::evaluators::BackendError;
use alfil_selfplay::replay::{DatasetError, ReplayError};
use alfil_selfplay::{ChunkError, ContextError, SessionError};

use crate::config::ConfigError;

/// Why a run cannot begin with a network.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// It cannot be read.
    #[error("{}", .0.why())]
    Open(#[from] OpenError),
    /// It is of another encoding.
    #[error(transparent)]
    Encoding(#[from] FileError),
    /// It is of another shape.
    #[error(transparent)]
    Architecture(#[from] ArchitectureError),
}

/// Why a run cannot begin or continue. What was finished is on the disk: the same command resumes from there.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A file operation failed.
    #[error("cannot {action} {path}: {why}")]
    Io {
        /// What was attempted, as a verb.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: std::io::Error,
    },
    /// Another process is working on the run.
    #[error("another process is working on the run {0}: wait for it, or stop it")]
    Locked(PathBuf),
    /// A file of the run is damaged.
    #[error("{path} is damaged: {why}")]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The run was begun with another value of a key that cannot be changed.
    #[error("the run {run} has {key} = {old}, not {new}: choose another name with --run, or set it back")]
    Changed {
        /// The run.
        run: PathBuf,
        /// Which key.
        key: String,
        /// Its value in the run.
        old: String,
        /// Its value in the configuration.
        new: String,
    },
    /// The folders of games that the run learns from are no longer what they were.
    #[error("the run {run} learns from other games: {why}; restore them, or choose another name with --run")]
    Folders {
        /// The run.
        run: PathBuf,
        /// What differs.
        why: String,
    },
    /// A file of the run has a later version.
    #[error(
        "{path} was written by a newer alfil, in version {found} of its format, and this one knows {known}: update it"
    )]
    Newer {
        /// Which file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The latest version that can be read.
        known: u32,
    },
    /// A checkpoint is whole, but not one of this run.
    #[error("cannot resume from {path}: {why}; without that file, the checkpoint before it is used")]
    Checkpoint {
        /// Which one.
        path: PathBuf,
        /// What is wrong.
        why: LearnError,
    },
    /// There is no checkpoint to resume from.
    #[error("{0} has no checkpoint that training can resume from: restore one from a copy, or begin another run")]
    NoCheckpoint(PathBuf),
    /// A stage that cannot be.
    #[error("stage {number}: {why}")]
    Stage {
        /// Which one, from 1.
        number: usize,
        /// What is wrong.
        why: Box<RunError>,
    },
    /// A configuration that cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A shape that no network has.
    #[error(transparent)]
    Architecture(#[from] ArchitectureError),
    /// A network that a run cannot begin with.
    #[error("cannot begin with the network {network}: {why}")]
    Start {
        /// Its file or name.
        network: String,
        /// What is wrong.
        why: StartError,
    },
    /// A network file that cannot be read or written.
    #[error(transparent)]
    Network(#[from] FileError),
    /// Training failed.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// A file of games that cannot be read or written.
    #[error(transparent)]
    Chunk(#[from] ChunkError),
    /// The replay window cannot be read or written.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// A folder of games cannot be learnt from.
    #[error("games.folders cannot be used: {0}")]
    Dataset(#[from] DatasetError),
    /// What the settings of self-play name cannot be used.
    #[error(transparent)]
    Selfplay(#[from] ContextError),
    /// The state of a match that cannot be used.
    #[error(transparent)]
    Match(#[from] StateError),
    /// A player of the rating pool that cannot be built.
    #[error(transparent)]
    Player(#[from] BuildError),
    /// An evaluator failed, or a thread panicked.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
    /// Other machines cannot play for the run.
    #[error("the fleet {0}")]
    Fleet(String),
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
            ContestError::Venue(why) => {
                why.downcast::<RunError>().map_or_else(|why| RunError::Fleet(why.to_string()), |why| *why)
            }
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
    /// The same, in a stage of the configuration; 0 is none.
    pub(crate) fn in_stage(self, number: usize) -> RunError {
        if number == 0 { self } else { RunError::Stage { number, why: Box::new(self) } }
    }

    pub(crate) fn io(action: &'static str, path: &Path, why: std::io::Error) -> RunError {
        RunError::Io { action, path: path.to_owned(), why }
    }
}
