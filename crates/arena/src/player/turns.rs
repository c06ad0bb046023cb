//! The classical player for games in which a turn is several moves.

use std::collections::VecDeque;

use alfil_game::{Estimates, Turns};
use alfil_search::classical::{AlphaBeta, AlphaBetaSettings, TurnNode};

use super::{Choice, MoveScore, Opinion, Played, Player, PlayerError};

/// Plain alpha-beta over whole turns to a fixed depth. Searches once per turn and then plays what it has planned.
/// Deterministic.
pub struct TurnsPlayer<G: Turns + Estimates> {
    depth: u32,
    actions: usize,
    searcher: AlphaBeta<TurnNode<G>>,
    plan: Option<Plan<G>>,
}

/// The rest of a turn.
struct Plan<G: Turns + Estimates> {
    /// The position that its next move is for.
    from: G,
    moves: VecDeque<G::Move>,
    opinion: Opinion,
}

impl<G: Turns + Estimates> TurnsPlayer<G> {
    /// Searches `depth` turns, at least one, made of `actions` moves of each piece.
    pub fn new(depth: u32, actions: usize) -> TurnsPlayer<G> {
        TurnsPlayer { depth: depth.max(1), actions, searcher: AlphaBeta::new(AlphaBetaSettings::PLAIN), plan: None }
    }

    fn search(&mut self, game: &G, stop: &dyn Fn() -> bool) -> Result<Plan<G>, PlayerError> {
        let node = TurnNode { game: game.clone(), actions: self.actions };
        let found = self.searcher.search_until(&node, self.depth, stop).ok_or(PlayerError::Stopped)?;
        let moves = found.line.first().map(|turn| turn.moves().collect()).unwrap_or_default();
        let opinion = Opinion { score: MoveScore::from_classical(found.value), depth: self.depth };
        Ok(Plan { from: game.clone(), moves, opinion })
    }
}

impl<G: Turns + Estimates> Player<G> for TurnsPlayer<G> {
    fn new_game(&mut self, _: u64) -> Result<(), PlayerError> {
        self.plan = None;
        Ok(())
    }

    fn choose(&mut self, game: &Played<G>, stop: &dyn Fn() -> bool) -> Result<Choice<G::Move>, PlayerError> {
        let now = game.now();
        let fits = |plan: &Plan<G>| !plan.moves.is_empty() && plan.from.same_position(now);
        let mut plan = match self.plan.take().filter(fits) {
            Some(plan) => plan,
            None => self.search(now, stop)?,
        };
        let m = plan.moves.pop_front().ok_or(PlayerError::NoMove)?;
        let opinion = Some(plan.opinion);
        plan.from.play(m);
        self.plan = Some(plan);
        Ok(Choice { m, opinion })
    }
}
