//! A player of a contest, of which each thread makes its own.

use std::sync::Arc;

use alfil_game::{FullGame, Game};
use alfil_nn::Device;
use alfil_search::evaluators::{BackendError, Kind, Pool};
use alfil_search::{Backend, EvaluatorError};

use super::{Player, TreePlayer, TreeSettings};

/// A player of a contest.
#[derive(Clone)]
pub struct Entrant<G: Game> {
    /// The name that people see.
    pub name: String,
    /// What identifies the player, now and in later runs: its settings, and the contents of its network.
    pub identity: String,
    /// Threads that one player keeps busy.
    pub threads: u32,
    make: Arc<MakePlayer<G>>,
}

type MakePlayer<G> = dyn Fn() -> Result<Box<dyn Player<G>>, EvaluatorError> + Send + Sync;

impl<G: Game> Entrant<G> {
    /// `make` is called once by every thread of a contest.
    pub fn new(
        name: impl Into<String>,
        identity: impl Into<String>,
        make: impl Fn() -> Box<dyn Player<G>> + Send + Sync + 'static,
    ) -> Entrant<G> {
        Entrant { name: name.into(), identity: identity.into(), threads: 1, make: Arc::new(move || Ok(make())) }
    }

    /// The same for players that keep several threads busy and may not be possible on this machine.
    pub(super) fn fallible(
        name: impl Into<String>,
        identity: impl Into<String>,
        threads: u32,
        make: impl Fn() -> Result<Box<dyn Player<G>>, EvaluatorError> + Send + Sync + 'static,
    ) -> Entrant<G> {
        Entrant { name: name.into(), identity: identity.into(), threads, make: Arc::new(make) }
    }

    /// A tree search whose games share this many evaluators: more games than evaluators make larger batches.
    pub fn pooled(
        name: impl Into<String>,
        identity: impl Into<String>,
        backend: &dyn Backend<G>,
        evaluators: usize,
        settings: TreeSettings,
    ) -> Result<Entrant<G>, EvaluatorError> {
        let pool = Pool::new(backend, evaluators)?;
        Ok(Entrant::searching(name, identity, Arc::new(pool), settings))
    }

    fn searching(
        name: impl Into<String>,
        identity: impl Into<String>,
        backend: Arc<dyn Backend<G>>,
        settings: TreeSettings,
    ) -> Entrant<G> {
        let make = move || -> Result<Box<dyn Player<G>>, EvaluatorError> {
            Ok(Box::new(TreePlayer::new(Arc::clone(&backend), settings)?))
        };
        let (name, identity, threads) = (name.into(), identity.into(), settings.threads.max(1));
        Entrant { name, identity, threads, make: Arc::new(make) }
    }

    /// The same entrant with something around its players. `identity` says what.
    pub(super) fn wrapped(
        self,
        identity: &str,
        wrap: impl Fn(Box<dyn Player<G>>) -> Box<dyn Player<G>> + Send + Sync + 'static,
    ) -> Entrant<G> {
        let make = self.make;
        Entrant { identity: self.identity + identity, make: Arc::new(move || Ok(wrap(make()?))), ..self }
    }

    /// A player for one thread.
    pub fn player(&self) -> Result<Box<dyn Player<G>>, EvaluatorError> {
        (self.make)()
    }
}

impl<G: FullGame> Entrant<G> {
    /// A tree search with an evaluator of this kind; networks run on `device`.
    pub fn tree(
        name: impl Into<String>,
        identity: impl Into<String>,
        kind: &Kind,
        device: &dyn Device,
        settings: TreeSettings,
    ) -> Result<Entrant<G>, BackendError> {
        let backend = kind.backend::<G>(device)?;
        if let Kind::Network(_) = kind {
            return Ok(Entrant::pooled(name, identity, &*backend, alfil_core::cores(), settings)?);
        }
        Ok(Entrant::searching(name, identity, backend, settings))
    }
}
