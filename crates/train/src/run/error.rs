//! Why a run cannot go on.

use std::path::{Path, PathBuf};

use alfil_arena::contest::StateError;
use alfil_arena::player::BuildError;
use alfil_game::ReferenceError;
use alfil_nn::learning::LearnError;
use alfil_nn::{ArchitectureError, FileError};
use alfil_selfplay::replay::ReplayError;
use alfil_selfplay::{ChunkError, StartsError};

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
    /// A lane of self-play has panicked, and said why.
    #[error("self-play has failed; nothing that was finished is lost, and the same command goes on")]
    Games,
    /// Endgame tables that cannot be used.
    #[error("selfplay.adjudicate_syzygy cannot be used: {0}")]
    Tables(#[from] ReferenceError),
    /// A match.
    #[error(transparent)]
    Match(#[from] StateError),
    /// A player of the rating pool.
    #[error(transparent)]
    Player(#[from] BuildError),
    /// The device that games are played on.
    #[error("{0}")]
    Device(String),
}

impl RunError {
    pub(crate) fn io(action: &'static str, path: &Path, why: std::io::Error) -> RunError {
        RunError::Io { action, path: path.to_owned(), why }
    }
}
