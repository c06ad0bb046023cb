//! Play by the policy alone.

use alfil_game::Game;
use alfil_search::{Backend, Evaluator};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Choice, Played, Player, PlayerError};

/// Plays moves as often as the evaluator's policy says, without search. A network that has learnt to predict the moves of people
/// plays like them.
pub struct PolicyPlayer<G: Game> {
    evaluator: Box<dyn Evaluator<G>>,
    /// Above 0; 1 leaves the policy as it is, less plays likely moves more often.
    temperature: f32,
    random: Xoshiro256PlusPlus,
    moves: Vec<G::Move>,
}

impl<G: Game> PolicyPlayer<G> {
    /// A player with an evaluator of this backend.
    pub fn new(backend: &dyn Backend<G>, temperature: f32) -> Result<PolicyPlayer<G>, PlayerError> {
        let random = Xoshiro256PlusPlus::seed_from_u64(0);
        let temperature = temperature.max(f32::MIN_POSITIVE);
        Ok(PolicyPlayer { evaluator: backend.evaluator(0)?, temperature, random, moves: Vec::new() })
    }
}

impl<G: Game> Player<G> for PolicyPlayer<G> {
    fn new_game(&mut self, seed: u64) -> Result<(), PlayerError> {
        self.random = Xoshiro256PlusPlus::seed_from_u64(seed);
        Ok(())
    }

    fn choose(&mut self, game: &Played<G>, _: &dyn Fn() -> bool) -> Result<Choice<G::Move>, PlayerError> {
        let PolicyPlayer { evaluator, temperature, random, moves } = self;
        game.now().legal_moves(moves);
        let mut weights: Vec<f32> = Vec::new();
        if !moves.is_empty() {
            evaluator.add(game.now(), moves);
            // Relative to the most likely move, so that no power is 0 for all of them.
            evaluator.run(&mut |_, evaluation| {
                let most = evaluation.priors.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
                weights = evaluation.priors.iter().map(|prior| (prior / most).powf(1.0 / *temperature)).collect();
            })?;
        }
        let mut left = random.random::<f32>() * weights.iter().sum::<f32>();
        let drawn = weights.iter().position(|weight| {
            left -= weight;
            left < 0.0
        });
        let index = drawn.unwrap_or(weights.len().saturating_sub(1));
        let m = moves.get(index).copied().ok_or(PlayerError::NoMove)?;
        Ok(Choice { m, opinion: None })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use alfil_game::connect4::Connect4;
    use alfil_nn::{Bundled, Cpu};
    use alfil_search::evaluators::Kind;

    use super::*;

    /// How often the player chooses each move where the first player is about to win at 4, and the second is to move.
    fn choices(temperature: f32) -> [u32; 8] {
        let network = Bundled::named("connect4").unwrap().network().unwrap();
        let backend = Kind::Network(Arc::new(network)).backend::<Connect4>(&Cpu).unwrap();
        let mut player = PolicyPlayer::new(&*backend, temperature).unwrap();
        let mut game = Connect4::new(&Default::default());
        for text in ["1", "7", "2", "7", "3"] {
            let m = game.parse_move(text).unwrap();
            game.play(m);
        }
        let played = Played::new(game.clone());
        let mut counts = [0; 8];
        for seed in 0..400 {
            player.new_game(seed).unwrap();
            let choice = player.choose(&played, &|| false).unwrap();
            let name = game.move_text(choice.m);
            counts[name.parse::<usize>().unwrap()] += 1;
        }
        counts
    }

    #[test]
    fn likely_moves_are_played_more_often_the_lower_the_temperature() {
        let (cold, hot) = (choices(0.01), choices(2.0));
        // The network knows that 4 is the only move, and holds others for possible.
        assert_eq!(cold[4], 400, "{cold:?}");
        assert!(hot[4] > 200 && hot[4] < 400, "{hot:?}");
    }
}
