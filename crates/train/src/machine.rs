//! What a run computes with.

use std::sync::Arc;

use alfil_game::Encoding;
use alfil_nn::learning::{LearnError, Learner, LearningSettings};
use alfil_nn::{Architecture, Device, Network};
use alfil_search::Backend;
use alfil_search::evaluators::{NetworkBackend, cached};

use crate::run::RunError;

/// Makes the learner of a run: architecture, name of the encoding, settings, seed.
pub type MakeLearner =
    dyn Fn(&Architecture, &str, LearningSettings, u64) -> Result<Box<dyn Learner>, LearnError> + Send + Sync;

/// What a run computes with.
#[derive(Clone)]
pub struct Machine {
    /// Makes the learner.
    pub learner: Arc<MakeLearner>,
    /// Computes networks in play.
    pub device: Arc<dyn Device>,
    /// Threads that play.
    pub lanes: usize,
    /// Whether games go on while the network is trained and tried.
    pub overlap: bool,
    /// Memory of evaluations, in bytes.
    pub cache: usize,
}

impl Machine {
    /// Evaluators of a network.
    pub fn plain_backend<E: Encoding>(&self, network: &Network) -> Result<Arc<dyn Backend<E::Game>>, RunError> {
        Ok(Arc::new(NetworkBackend::<E>::new(network, &*self.device)?))
    }

    /// Evaluators of a network for self-play, which remember what they were asked.
    pub fn backend<E: Encoding>(&self, network: &Network) -> Result<Arc<dyn Backend<E::Game>>, RunError> {
        let backend = self.plain_backend::<E>(network)?;
        Ok(if self.cache == 0 { backend } else { cached(backend, self.cache) })
    }
}
