//! The contract between a search and what evaluates its leaves.

use alfil_game::{Game, Mover, Wdl};
use alfil_nn::EvaluatorError;

use crate::evaluators::CacheCounts;

/// An evaluator's answer for a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation<'a> {
    /// How promising each move is, in the order in which the moves were given. They add up to 1.
    pub priors: &'a [f32],
    /// Probabilities that the mover wins, draws and loses.
    pub wdl: Mover<Wdl>,
    /// Expected plies to the end, if the evaluator predicts them.
    pub moves_left: Option<f32>,
}

impl Evaluation<'_> {
    /// The expected result from -1 to 1.
    pub fn value(&self) -> f32 {
        self.wdl.0.value()
    }
}

/// Evaluates positions in batches.
///
/// Positions are added one by one, with their legal moves, and evaluated together by [`run`](Evaluator::run). Only what
/// the evaluator needs is copied: a network takes the planes, the cache a key. A search never knows which evaluator it
/// has.
pub trait Evaluator<G: Game>: Send {
    /// Adds a position that is not over, with its legal moves.
    fn add(&mut self, game: &G, moves: &[G::Move]);

    /// Positions added since the last run.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Lookups and hits of its cache; zeros if it has none.
    fn cache_counts(&self) -> CacheCounts {
        CacheCounts::default()
    }

    /// Evaluates the positions added, passes each answer with its number to `take`, in order, and starts a new batch.
    /// After an error some of the answers are missing, and the batch is dropped.
    fn run(&mut self, take: &mut dyn FnMut(usize, Evaluation<'_>)) -> Result<(), EvaluatorError>;
}

impl<G: Game, V: Evaluator<G> + ?Sized> Evaluator<G> for Box<V> {
    fn add(&mut self, game: &G, moves: &[G::Move]) {
        (**self).add(game, moves);
    }

    fn len(&self) -> usize {
        (**self).len()
    }

    fn cache_counts(&self) -> CacheCounts {
        (**self).cache_counts()
    }

    fn run(&mut self, take: &mut dyn FnMut(usize, Evaluation<'_>)) -> Result<(), EvaluatorError> {
        (**self).run(take)
    }
}
