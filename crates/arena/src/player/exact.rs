//! Minimax and SSS* as players: what alpha-beta is compared with.

use alfil_game::{Estimates, Knowledge};
use alfil_search::EvaluatorError;
use alfil_search::classical::{GameNode, minimax, sss_within};

use super::{Choice, MoveScore, Opinion, Played, Player, PlayerError};

/// Vertices that SSS* may keep, of about a hundred bytes each: some hundreds of megabytes with the list of those that are open.
const MOST_VERTICES: usize = 2_000_000;

/// Which search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExactSearch {
    /// The definition: every position to a depth.
    Minimax,
    /// Stockman's best-first search, which finds the same value.
    Sss,
}

#[derive(Debug, thiserror::Error)]
#[error("depth={0} needs more than {MOST_VERTICES} vertices in this position: use a smaller depth")]
struct TooLarge(u32);

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
                ExactSearch::Sss => match sss_within(&node, self.depth - 1, MOST_VERTICES) {
                    Some((value, _)) => value,
                    None => return Err(EvaluatorError::on("sss", TooLarge(self.depth)).into()),
                },
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
    fn too_large_a_list_is_refused() {
        let middlegame = "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1";
        let game = Played::new(Chess::from_position(middlegame, &Default::default()).unwrap());
        let node = GameNode { game: game.now().clone(), knowledge: Knowledge::Full };
        let (value, _) = sss_within(&node, 2, MOST_VERTICES).unwrap();
        assert_eq!(value, minimax(&node, 2));
        assert_eq!(sss_within(&node, 2, 100), None);
    }

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
