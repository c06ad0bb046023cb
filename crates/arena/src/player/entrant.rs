//! A player of a contest, of which each thread makes its own.

use std::sync::Arc;

use alfil_game::Game;
use alfil_nn::FileError;
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

    /// A tree search with an evaluator of this kind. Only a network for another game can fail.
    pub fn tree(
        name: impl Into<String>,
        identity: impl Into<String>,
        kind: &Kind,
        settings: TreeSettings,
    ) -> Result<Entrant<G>, FileError> {
        let maker = kind.maker::<G>()?;
        let evaluators: Arc<Maker<G>> = Arc::new(match kind {
            // Games of the same network share its evaluators, so that more games than cores make larger batches.
            Kind::Network(_) => {
                let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
                let pool = Pool::new((0..cores as u64).map(maker).collect(), LARGEST_BATCH);
                Box::new(move |_| Box::new(pool.client()))
            }
            _ => maker,
        });
        let make = move || -> Box<dyn Player<G>> { Box::new(TreePlayer::new(Arc::clone(&evaluators), settings)) };
        Ok(Entrant { threads: settings.threads.max(1), ..Entrant::new(name, identity, make) })
    }

    /// A player for one thread.
    pub fn player(&self) -> Box<dyn Player<G>> {
        (self.make)()
    }
}
