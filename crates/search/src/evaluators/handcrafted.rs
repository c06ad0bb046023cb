//! The game's own evaluation.

use alfil_game::{Estimates, Knowledge, Mover, Wdl};

use super::Answers;
use crate::classical::{expected_result, worth};
use crate::{Evaluation, Evaluator, EvaluatorError};

/// A move whose estimate is this much better, in hundredths of a pawn, has e times the prior.
const PRIOR_SCALE: f32 = 100.0;

/// Estimates positions by [`Estimates::evaluate`], and moves by the estimate one ply later.
pub struct Handcrafted {
    knowledge: Knowledge,
    answers: Answers,
    logits: Vec<f32>,
}

impl Handcrafted {
    /// Takes into account what `knowledge` says.
    pub fn new(knowledge: Knowledge) -> Handcrafted {
        Handcrafted { knowledge, answers: Answers::default(), logits: Vec::new() }
    }

    /// The estimate after a move, for the side that makes it.
    fn after<G: Estimates>(&self, game: &G, m: G::Move) -> f32 {
        let mut after = game.clone();
        after.play(m);
        match after.outcome() {
            // A win outweighs every estimate.
            Some(outcome) => worth(outcome, game.side()) as f32,
            None => {
                let value = after.evaluate(self.knowledge) as f32;
                if after.side() == game.side() { value } else { -value }
            }
        }
    }
}

impl<G: Estimates> Evaluator<G> for Handcrafted {
    fn add(&mut self, game: &G, moves: &[G::Move]) {
        self.logits.clear();
        for &m in moves {
            let logit = self.after(game, m) / PRIOR_SCALE;
            self.logits.push(logit);
        }
        let largest = self.logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = self.logits.iter().map(|logit| (logit - largest).exp()).sum();
        let value = expected_result(game.evaluate(self.knowledge));
        let priors = self.logits.iter().map(|logit| (logit - largest).exp() / sum);
        self.answers.push(priors, Mover(Wdl::from_value(value)));
    }

    fn len(&self) -> usize {
        self.answers.len()
    }

    fn run(&mut self, take: &mut dyn FnMut(usize, Evaluation<'_>)) -> Result<(), EvaluatorError> {
        self.answers.hand_over(take)
    }
}
