//! How far 16-bit numbers may change what a network says.

use std::sync::Arc;

use super::{Algorithm, Choice, Engine, Model, Numbers};
use crate::batch::{Batch, Outputs};
use crate::device::EncodedNetwork;

/// How far outputs are from others for the same positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deviation {
    /// The mean difference of values, which are from -1 to 1.
    pub value: f64,
    /// The mean Kullback-Leibler divergence of priors, in nats.
    pub policy: f64,
}

/// The most that is accepted; docs/decisions/0014-engine-that-adapts.md has what was measured.
pub const TOLERANCE: Deviation = Deviation { value: 0.015, policy: 0.002 };

/// Positions that are compared, and the seed of the games that they are from.
const POSITIONS: usize = 32;
const SEED: u64 = 14;

impl Deviation {
    /// Of `outputs` from those that are exact.
    pub fn of(outputs: &Outputs, exact: &Outputs) -> Deviation {
        let positions = exact.values.len();
        let difference = |position: usize| f64::from((outputs.values[position] - exact.values[position]).abs());
        let divergence = |position: usize| {
            let terms = exact.priors(position).iter().zip(outputs.priors(position));
            // No prior is 0 except by underflow.
            let logarithm = |prior: f32| f64::from(prior).max(1e-30).ln();
            terms.map(|(&p, &q)| f64::from(p) * (logarithm(p) - logarithm(q))).sum::<f64>()
        };
        let mean = |of: &dyn Fn(usize) -> f64| (0..positions).map(of).sum::<f64>() / positions.max(1) as f64;
        Deviation { value: mean(&difference), policy: mean(&divergence) }
    }

    /// Whether no part of it is more than the limit's. Numbers that are none are.
    pub fn is_within(&self, limit: &Deviation) -> bool {
        self.value <= limit.value && self.policy <= limit.policy
    }
}

/// Positions with exact outputs, to test others against.
pub(super) struct Test {
    batch: Batch,
    exact: Outputs,
}

impl Test {
    /// `exact` computes the network with 32-bit numbers.
    pub fn new(network: &EncodedNetwork<'_>, exact: Arc<Model>) -> Test {
        let batch = network.random_positions(POSITIONS, SEED);
        let mut outputs = Outputs::default();
        Engine::new(exact).evaluate(&batch, &mut outputs);
        Test { batch, exact: outputs }
    }

    /// The algorithms of a model that are not within the tolerance for the network.
    pub fn failures(&self, model: &Arc<Model>) -> Vec<Algorithm> {
        let mut engine = Engine::new(Arc::clone(model));
        let mut outputs = Outputs::default();
        let mut fails = |algorithm: &Algorithm| {
            if algorithm.numbers == Numbers::Single {
                return false;
            }
            engine.evaluate_as(Choice { algorithm: *algorithm, group: 1 }, &self.batch, &mut outputs);
            !Deviation::of(&outputs, &self.exact).is_within(&TOLERANCE)
        };
        model.towers.iter().map(|(algorithm, _)| *algorithm).filter(|algorithm| fails(algorithm)).collect()
    }
}
