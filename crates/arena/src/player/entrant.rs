//! A player of a contest, of which each thread makes its own.

use std::sync::Arc;

use alfil_game::{FullGame, Game};
use alfil_nn::FileError;
use alfil_search::Evaluator;
use alfil_search::evaluators::{Kind, Maker, Pool};

use super::{Player, TreePlayer, TreeSettings};

/// Positions of all games that a network judges at once, at most.
const LARGEST_BATCH: usize = 256;

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

    /// A tree search whose games share these evaluators, of which there is at least one: more games than evaluators make
    /// larger batches.
    pub fn pooled(
        name: impl Into<String>,
        identity: impl Into<String>,
        evaluators: Vec<Box<dyn Evaluator<G>>>,
        settings: TreeSettings,
    ) -> Entrant<G> {
        let pool = Pool::new(evaluators, LARGEST_BATCH);
        Entrant::searching(name, identity, Box::new(move |_| Box::new(pool.client())), settings)
    }

    fn searching(
        name: impl Into<String>,
        identity: impl Into<String>,
        maker: Maker<G>,
        settings: TreeSettings,
    ) -> Entrant<G> {
        let maker = Arc::new(maker);
        let make = move || -> Box<dyn Player<G>> { Box::new(TreePlayer::new(Arc::clone(&maker), settings)) };
        Entrant { threads: settings.threads.max(1), ..Entrant::new(name, identity, make) }
    }

    /// A player for one thread.
    pub fn player(&self) -> Box<dyn Player<G>> {
        (self.make)()
    }
}

impl<G: FullGame> Entrant<G> {
    /// A tree search with an evaluator of this kind. Only a network for another game can fail.
    pub fn tree(
        name: impl Into<String>,
        identity: impl Into<String>,
        kind: &Kind,
        settings: TreeSettings,
    ) -> Result<Entrant<G>, FileError> {
        let maker = kind.maker::<G>()?;
        if let Kind::Network(_) = kind {
            let cores = alfil_core::cores();
            return Ok(Entrant::pooled(name, identity, (0..cores as u64).map(maker).collect(), settings));
        }
        Ok(Entrant::searching(name, identity, maker, settings))
    }
}
