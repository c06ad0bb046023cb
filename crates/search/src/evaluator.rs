//! The contract between a search and whatever judges its leaves.

use alfil_game::{Game, Mover, Wdl};
use alfil_nn::EvaluatorError;

use crate::evaluators::CacheCounts;

/// What an evaluator says about a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation<'a> {
    /// How promising each move is, in the order the moves were given. They add up to 1.
    pub priors: &'a [f32],
    /// Probabilities that the mover wins, draws and loses.
    pub wdl: Mover<Wdl>,
    /// Expected plies to the end, where the evaluator tells.
    pub moves_left: Option<f32>,
}

impl Evaluation<'_> {
    /// The expected result from -1 to 1.
    pub fn value(&self) -> f32 {
        self.wdl.0.value()
    }
}

/// Judges positions, many at once.
///
/// Positions are added one by one, with their legal moves, and judged together by [`run`](Evaluator::run). Nothing is
/// copied but what the evaluator needs: a network takes the planes, the cache a key. A search never knows which evaluator
/// it has.
pub trait Evaluator<G: Game>: Send {
    /// Adds a position that is not over, with its legal moves.
    fn add(&mut self, game: &G, moves: &[G::Move]);

    /// Positions added since the last run.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What has been asked and could be answered from memory, where there is any.
    fn cache_counts(&self) -> CacheCounts {
        CacheCounts::default()
    }

    /// Judges what was added, hands over each answer with its number, in order, and begins anew. After an error some of the
    /// answers are missing, and what was added is forgotten.
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
