//! Perfect play.

use alfil_game::{Judgement, Mover, Oracle, References, Score, Wdl};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::interruptible::interruptible;
use super::{Choice, Label, LabelSettings, MoveScore, Opinion, Played, Player, PlayerError};

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

impl<G: References> OraclePlayer<G> {
    /// The best moves of a position, which are all worth the same.
    fn best(&mut self, game: &G, stop: &dyn Fn() -> bool) -> Result<Vec<(G::Move, Judgement)>, PlayerError> {
        let oracle = self.oracle.as_mut().ok_or(PlayerError::NoMove)?;
        let mut judged = interruptible(stop, move |flag| oracle.judge_moves_unless(game, flag))?;
        let best = judged.iter().map(|(_, judgement)| *judgement).max_by(Judgement::preference);
        let best = best.ok_or(PlayerError::NoMove)?;
        judged.retain(|(_, other)| other.preference(&best).is_eq());
        Ok(judged)
    }
}

impl<G: References> Player<G> for OraclePlayer<G> {
    fn new_game(&mut self, seed: u64) -> Result<(), PlayerError> {
        self.random = Xoshiro256PlusPlus::seed_from_u64(seed);
        Ok(())
    }

    fn choose(&mut self, game: &Played<G>, stop: &dyn Fn() -> bool) -> Result<Choice<G::Move>, PlayerError> {
        let best = self.best(game.now(), stop)?;
        let (m, judgement) = best[self.random.random_range(0..best.len())];
        let score = match judgement.score.0 {
            Score::WIN => MoveScore::Win(judgement.plies),
            Score::LOSS => MoveScore::Loss(judgement.plies),
            score => MoveScore::from_value(2.0 * score.points() - 1.0),
        };
        Ok(Choice { m, opinion: Some(Opinion { score, depth: judgement.plies }) })
    }

    /// All best moves share the policy.
    fn label(
        &mut self,
        game: &Played<G>,
        _: &LabelSettings,
        stop: &dyn Fn() -> bool,
    ) -> Result<Label<G::Move>, PlayerError> {
        let best = self.best(game.now(), stop)?;
        let (share, score) = (1.0 / best.len() as f32, best[0].1.score.0);
        let policy = best.into_iter().map(|(m, _)| (m, share)).collect();
        Ok(Label { wdl: Mover(Wdl::from_score(score)), policy })
    }
}
