//! Perfect play.

use alfil_game::{Judgement, Oracle, References, Score};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Choice, MoveScore, Opinion, Played, Player, PlayerError};

/// Plays a random one of the best moves by an exact solver. Early in a large game a move may take minutes.
pub struct OraclePlayer<G: References> {
    oracle: Option<Box<dyn Oracle<G>>>,
    random: Xoshiro256PlusPlus,
}

impl<G: References> Default for OraclePlayer<G> {
    /// With the game's own solver; if there is none, the player finds no move.
    fn default() -> OraclePlayer<G> {
        OraclePlayer { oracle: G::oracle(), random: Xoshiro256PlusPlus::seed_from_u64(0) }
    }
}

impl<G: References> Player<G> for OraclePlayer<G> {
    fn new_game(&mut self, seed: u64) -> Result<(), PlayerError> {
        self.random = Xoshiro256PlusPlus::seed_from_u64(seed);
        Ok(())
    }

    fn choose(&mut self, game: &Played<G>, _: &dyn Fn() -> bool) -> Result<Choice<G::Move>, PlayerError> {
        let judged = self.oracle.as_mut().ok_or(PlayerError::NoMove)?.judge_moves(game.now());
        let best = judged.iter().map(|(_, judgement)| *judgement).max_by(Judgement::preference);
        let best = best.ok_or(PlayerError::NoMove)?;
        let equals: Vec<_> = judged.iter().filter(|(_, other)| other.preference(&best).is_eq()).collect();
        let (m, judgement) = equals[self.random.random_range(0..equals.len())];
        let score = match judgement.score.0 {
            Score::WIN => MoveScore::Win(judgement.plies),
            Score::LOSS => MoveScore::Loss(judgement.plies),
            score => MoveScore::from_value(2.0 * score.points() - 1.0),
        };
        Ok(Choice { m: *m, opinion: Some(Opinion { score, depth: judgement.plies }) })
    }
}
