//! Random play.

use alfil_game::Game;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Choice, Played, Player, PlayerError};

/// Plays a random legal move.
pub struct RandomPlayer<G: Game> {
    random: Xoshiro256PlusPlus,
    moves: Vec<G::Move>,
}

impl<G: Game> Default for RandomPlayer<G> {
    fn default() -> RandomPlayer<G> {
        RandomPlayer { random: Xoshiro256PlusPlus::seed_from_u64(0), moves: Vec::new() }
    }
}

impl<G: Game> Player<G> for RandomPlayer<G> {
    fn new_game(&mut self, seed: u64) -> Result<(), PlayerError> {
        self.random = Xoshiro256PlusPlus::seed_from_u64(seed);
        Ok(())
    }

    fn choose(&mut self, game: &Played<G>, _: &dyn Fn() -> bool) -> Result<Choice<G::Move>, PlayerError> {
        game.now().legal_moves(&mut self.moves);
        if self.moves.is_empty() {
            return Err(PlayerError::NoMove);
        }
        Ok(Choice { m: self.moves[self.random.random_range(0..self.moves.len())], opinion: None })
    }
}
