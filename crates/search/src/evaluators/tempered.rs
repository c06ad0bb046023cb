//! Priors made flatter or sharper.

use alfil_game::Game;

use super::CacheCounts;
use crate::{Evaluation, Evaluator, EvaluatorError};

/// An evaluator with the priors of another one at a temperature: `P^(1/T)`, adding up to 1 again. Above 1 they become
/// flatter.
pub struct Tempered<V> {
    inner: V,
    exponent: f32,
    priors: Vec<f32>,
}

impl<V> Tempered<V> {
    /// The priors of `inner` at this temperature, which is above 0.
    pub fn new(inner: V, temperature: f32) -> Tempered<V> {
        Tempered { inner, exponent: 1.0 / temperature.max(1e-3), priors: Vec::new() }
    }
}

impl<G: Game, V: Evaluator<G>> Evaluator<G> for Tempered<V> {
    fn add(&mut self, game: &G, moves: &[G::Move]) {
        self.inner.add(game, moves);
    }

    fn len(&self) -> usize {
        self.inner.len()
    }

    fn cache_counts(&self) -> CacheCounts {
        self.inner.cache_counts()
    }

    fn run(&mut self, take: &mut dyn FnMut(usize, Evaluation<'_>)) -> Result<(), EvaluatorError> {
        let Tempered { inner, exponent, priors } = self;
        inner.run(&mut |number, answer| {
            // Relative to the largest, so that low temperatures do not turn all of them to 0.
            let largest = answer.priors.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
            priors.clear();
            priors.extend(answer.priors.iter().map(|prior| (prior / largest).powf(*exponent)));
            let sum: f32 = priors.iter().sum();
            priors.iter_mut().for_each(|prior| *prior /= sum);
            take(number, Evaluation { priors, ..answer });
        })
    }
}
