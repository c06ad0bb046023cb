//! Backends make evaluators.

use std::sync::Arc;

use alfil_game::Game;
use alfil_nn::{BatchSizes, EvaluatorError};

use crate::Evaluator;
use crate::evaluators::{Cache, CacheMemory, Tempered};

/// Makes evaluators, one for each thread that needs one.
pub trait Backend<G: Game>: Send + Sync {
    /// An evaluator. `seed` is for those that use random numbers.
    fn evaluator(&self, seed: u64) -> Result<Box<dyn Evaluator<G>>, EvaluatorError>;

    /// How many positions its evaluators take per batch.
    fn batch_sizes(&self) -> BatchSizes {
        BatchSizes::default()
    }
}

/// The same evaluators with their priors at `temperature`: above 0, and unchanged at 1.
pub fn tempered<G: Game>(inner: Arc<dyn Backend<G>>, temperature: f32) -> Arc<dyn Backend<G>> {
    if temperature == 1.0 { inner } else { Arc::new(TemperedBackend { inner, temperature }) }
}

struct TemperedBackend<G: Game> {
    inner: Arc<dyn Backend<G>>,
    temperature: f32,
}

impl<G: Game> Backend<G> for TemperedBackend<G> {
    fn evaluator(&self, seed: u64) -> Result<Box<dyn Evaluator<G>>, EvaluatorError> {
        Ok(Box::new(Tempered::new(self.inner.evaluator(seed)?, self.temperature)))
    }

    fn batch_sizes(&self) -> BatchSizes {
        self.inner.batch_sizes()
    }
}

/// The same evaluators with a shared cache.
pub fn with_memory<G: Game>(inner: Arc<dyn Backend<G>>, memory: Arc<CacheMemory>) -> Arc<dyn Backend<G>> {
    Arc::new(CachedBackend { inner, memory })
}

struct CachedBackend<G: Game> {
    inner: Arc<dyn Backend<G>>,
    memory: Arc<CacheMemory>,
}

impl<G: Game> Backend<G> for CachedBackend<G> {
    fn evaluator(&self, seed: u64) -> Result<Box<dyn Evaluator<G>>, EvaluatorError> {
        Ok(Box::new(Cache::new(self.inner.evaluator(seed)?, Arc::clone(&self.memory))))
    }

    fn batch_sizes(&self) -> BatchSizes {
        self.inner.batch_sizes()
    }
}
