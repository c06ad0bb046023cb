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
pub use kind::{Kind, Maker, cached, cached_moves, maker_on};
pub use network::{Inference, NetworkEvaluator};
pub use pool::{Pool, Pooled};
pub use rollout::Rollout;
pub use tempered::Tempered;
pub use uniform::Uniform;

use crate::Evaluation;

/// Answers collected one by one, for evaluators that have no batch of their own.
#[derive(Default)]
struct Answers {
    priors: Vec<f32>,
    /// Where each answer's priors end.
    ends: Vec<usize>,
    wdl: Vec<[f32; 3]>,
}

impl Answers {
    fn push(&mut self, priors: impl IntoIterator<Item = f32>, wdl: [f32; 3]) {
        self.priors.extend(priors);
        self.ends.push(self.priors.len());
        self.wdl.push(wdl);
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn hand_over(&mut self, take: &mut dyn FnMut(usize, Evaluation<'_>)) {
        let mut start = 0;
        for (number, (&end, &wdl)) in self.ends.iter().zip(&self.wdl).enumerate() {
            take(number, Evaluation { priors: &self.priors[start..end], wdl, moves_left: None });
            start = end;
        }
        self.priors.clear();
        self.ends.clear();
        self.wdl.clear();
    }
}

/// Win, draw and loss for an expected result from -1 to 1 of which nothing else is known.
fn wdl_of(value: f32) -> [f32; 3] {
    [value.max(0.0), 1.0 - value.abs(), (-value).max(0.0)]
}
