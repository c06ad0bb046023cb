//! The kinds of evaluators.

mod cache;
mod handcrafted;
mod kind;
mod network;
mod pool;
mod rollout;
mod tempered;
mod uniform;

pub use cache::{Cache, CacheCounts, CacheMemory};
pub use handcrafted::Handcrafted;
pub use kind::{BackendError, Kind, cached, cached_moves};
pub use network::NetworkBackend;
pub use pool::Pool;
pub use rollout::Rollout;
pub use tempered::Tempered;
pub use uniform::Uniform;

use alfil_game::{Mover, Wdl};
use alfil_nn::EvaluatorError;

use crate::Evaluation;

/// Answers collected one by one, for evaluators that have no batch of their own.
#[derive(Default)]
struct Answers {
    priors: Vec<f32>,
    /// Where each answer's priors end.
    ends: Vec<usize>,
    wdl: Vec<Mover<Wdl>>,
}

impl Answers {
    fn push(&mut self, priors: impl IntoIterator<Item = f32>, wdl: Mover<Wdl>) {
        self.priors.extend(priors);
        self.ends.push(self.priors.len());
        self.wdl.push(wdl);
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn hand_over(&mut self, take: &mut dyn FnMut(usize, Evaluation<'_>)) -> Result<(), EvaluatorError> {
        let mut start = 0;
        for (number, (&end, &wdl)) in self.ends.iter().zip(&self.wdl).enumerate() {
            take(number, Evaluation { priors: &self.priors[start..end], wdl, moves_left: None });
            start = end;
        }
        self.priors.clear();
        self.ends.clear();
        self.wdl.clear();
        Ok(())
    }
}
