//! A player of a contest, of which each thread makes its own.

use std::sync::Arc;

use alfil_game::Game;
use alfil_nn::{FileError, OpenError};
use alfil_search::evaluators::Kind;

use super::{LineError, Player, PlayerError, TreePlayer, TreeSettings};

/// A player of a contest.
#[derive(Clone)]
pub struct Entrant<G: Game> {
    /// For people.
    pub name: String,
    /// What tells the player from all others, now and in later runs: its settings, and the contents of its network.
    pub identity: String,
    /// Threads that one player keeps busy.
    pub threads: u32,
    make: Arc<dyn Fn() -> Box<dyn Player<G>> + Send + Sync>,
}

impl<G: Game> Entrant<G> {
    /// `make` is called once by every thread of a contest.
    pub fn new(
        name: impl Into<String>,
        identity: impl Into<String>,
        make: impl Fn() -> Box<dyn Player<G>> + Send + Sync + 'static,
    ) -> Entrant<G> {
        Entrant { name: name.into(), identity: identity.into(), threads: 1, make: Arc::new(make) }
    }

    /// A tree search with an evaluator of this kind. Only a network for another game can fail.
    pub fn tree(
        name: impl Into<String>,
        identity: impl Into<String>,
        kind: &Kind,
        settings: TreeSettings,
    ) -> Result<Entrant<G>, FileError> {
        let evaluators = Arc::new(kind.maker::<G>()?);
        let make = move || -> Box<dyn Player<G>> { Box::new(TreePlayer::new(Arc::clone(&evaluators), settings)) };
        Ok(Entrant { threads: settings.threads.max(1), ..Entrant::new(name, identity, make) })
    }

    /// A player for one thread.
    pub fn player(&self) -> Box<dyn Player<G>> {
        (self.make)()
    }
}

/// Why a line does not lead to a player.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The line itself is wrong.
    #[error(transparent)]
    Line(#[from] LineError),
    /// The game has no exact solver.
    #[error("the oracle does not play {0}: it has no exact solver")]
    NoOracle(&'static str),
    /// The network cannot be used.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The network is for another game.
    #[error("cannot use the network {path}: {why}")]
    Network {
        /// Its file.
        path: String,
        /// What is wrong.
        why: FileError,
    },
    /// The file could be opened but not read.
    #[error("cannot read {path}: {why}")]
    Read {
        /// The file.
        path: String,
        /// What is wrong.
        why: std::io::Error,
    },
    /// The external engine cannot be used.
    #[error("cannot use the engine '{command}': {why}")]
    Engine {
        /// As it was written.
        command: String,
        /// What is wrong.
        why: PlayerError,
    },
}
