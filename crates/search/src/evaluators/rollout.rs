//! Random games to the end: plain Monte Carlo.

use alfil_game::{Game, Mover, Score, Wdl};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Answers;
use crate::{Evaluation, Evaluator, EvaluatorError};

/// The average result of random games from the position, as its mover sees it. All moves count as equally good.
pub struct Rollout<G: Game> {
    /// Games per position.
    count: u32,
    random: Xoshiro256PlusPlus,
    moves: Vec<G::Move>,
    answers: Answers,
}

impl<G: Game> Rollout<G> {
    /// `count` games per position, at least one.
    pub fn new(count: u32, seed: u64) -> Rollout<G> {
        let random = Xoshiro256PlusPlus::seed_from_u64(seed);
        Rollout { count: count.max(1), random, moves: Vec::new(), answers: Answers::default() }
    }

    fn play_out(&mut self, mut game: G) -> Mover<Score> {
        let side = game.side();
        loop {
            if let Some(outcome) = game.legal_moves(&mut self.moves) {
                return outcome.score.to_mover(side);
            }
            game.play(self.moves[self.random.random_range(0..self.moves.len())]);
        }
    }
}

impl<G: Game> Evaluator<G> for Rollout<G> {
    fn add(&mut self, game: &G, moves: &[G::Move]) {
        let mut mean = Wdl { win: 0.0, draw: 0.0, loss: 0.0 };
        for _ in 0..self.count {
            let Mover(result) = self.play_out(game.clone());
            let Wdl { win, draw, loss } = Wdl::from_score(result);
            mean.win += win / self.count as f32;
            mean.draw += draw / self.count as f32;
            mean.loss += loss / self.count as f32;
        }
        self.answers.push(std::iter::repeat_n(1.0 / moves.len() as f32, moves.len()), Mover(mean));
    }

    fn len(&self) -> usize {
        self.answers.len()
    }

    fn run(&mut self, take: &mut dyn FnMut(usize, Evaluation<'_>)) -> Result<(), EvaluatorError> {
        self.answers.hand_over(take)
    }
}
