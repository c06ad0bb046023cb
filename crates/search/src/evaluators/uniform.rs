//! An evaluator without knowledge.

use alfil_game::{Game, Mover, Wdl};

use super::Answers;
use crate::{Evaluation, Evaluator, EvaluatorError};

/// Treats all moves as equally good and all positions as even: what a search can do by itself.
#[derive(Default)]
pub struct Uniform {
    answers: Answers,
}

impl<G: Game> Evaluator<G> for Uniform {
    fn add(&mut self, _: &G, moves: &[G::Move]) {
        self.answers.push(std::iter::repeat_n(1.0 / moves.len() as f32, moves.len()), Mover(Wdl::DRAW));
    }

    fn len(&self) -> usize {
        self.answers.len()
    }

    fn run(&mut self, take: &mut dyn FnMut(usize, Evaluation<'_>)) -> Result<(), EvaluatorError> {
        self.answers.hand_over(take)
    }
}
