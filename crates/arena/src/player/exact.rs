//! Minimax and SSS* as players: what alpha-beta is compared with.

use alfil_game::{Estimates, Knowledge};
use alfil_search::classical::{GameNode, minimax, sss};

use super::{Choice, MoveScore, Opinion, Played, Player, PlayerError};

/// Which search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExactSearch {
    /// The definition: every position to a depth.
    Minimax,
    /// Stockman's best-first search, which finds the same value.
    Sss,
}

/// Searches every move to a fixed depth and plays the best, the first of equals. Deterministic.
pub struct ExactPlayer {
    search: ExactSearch,
    depth: u32,
}

impl ExactPlayer {
    /// Searches `depth` plies, at least one.
    pub fn new(search: ExactSearch, depth: u32) -> ExactPlayer {
        ExactPlayer { search, depth: depth.max(1) }
    }
}

impl<G: Estimates> Player<G> for ExactPlayer {
    fn new_game(&mut self, _: u64) -> Result<(), PlayerError> {
        Ok(())
    }

    fn choose(&mut self, game: &Played<G>, stop: &dyn Fn() -> bool) -> Result<Choice<G::Move>, PlayerError> {
        let mut moves = Vec::new();
        game.now().legal_moves(&mut moves);
        let mut best: Option<(G::Move, MoveScore)> = None;
        for m in moves {
            if stop() {
                return Err(PlayerError::Stopped);
            }
            let mut after = game.now().clone();
            after.play(m);
            let moves_again = after.side() == game.now().side();
            let node = GameNode { game: after, knowledge: Knowledge::Full };
            let value = match self.search {
                ExactSearch::Minimax => minimax(&node, self.depth - 1),
                ExactSearch::Sss => sss(&node, self.depth - 1).0,
            };
            let score = MoveScore::from_classical(value);
            let score = if moves_again { score } else { score.before() };
            if best.is_none_or(|(_, best)| score.pawns() > best.pawns()) {
                best = Some((m, score));
            }
        }
        let (m, score) = best.ok_or(PlayerError::NoMove)?;
        Ok(Choice { m, opinion: Some(Opinion { score, depth: self.depth }) })
    }
}

#[cfg(test)]
mod tests {
    use alfil_game::Game;
    use alfil_game::chess::Chess;

    use super::*;

    #[test]
    fn both_find_the_same_and_the_mate() {
        for (position, best) in [
            ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", Some("a1a8")),
            ("r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4", None),
        ] {
            let game = Played::new(Chess::from_position(position, &Default::default()).unwrap());
            let choose = |search| ExactPlayer::new(search, 2).choose(&game, &|| false).unwrap();
            let choice: Choice<_> = choose(ExactSearch::Minimax);
            assert_eq!(choice, choose(ExactSearch::Sss));
            assert!(best.is_none_or(|best| game.now().move_text(choice.m) == best), "{choice:?}");
        }
    }
}
