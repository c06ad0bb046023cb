//! The classical player.

use alfil_game::{Estimates, Knowledge};
use alfil_search::classical::{AlphaBeta, AlphaBetaSettings, Found, GameNode};

use super::{Choice, Judged, Label, LabelSettings, MoveScore, Opinion, Played, Player, PlayerError};

/// Alpha-beta to a fixed depth with the game's handcrafted evaluation. Deterministic.
pub struct AlphaBetaPlayer<G: Estimates> {
    depth: u32,
    knowledge: Knowledge,
    settings: AlphaBetaSettings,
    searcher: AlphaBeta<GameNode<G>>,
}

impl<G: Estimates> AlphaBetaPlayer<G> {
    /// Searches `depth` plies, at least one, then with `quiescence` only captures until the position is quiet, and
    /// evaluates with this much knowledge.
    pub fn new(depth: u32, knowledge: Knowledge, quiescence: bool) -> AlphaBetaPlayer<G> {
        let settings = AlphaBetaSettings { quiescence, ..AlphaBetaSettings::default() };
        AlphaBetaPlayer { depth: depth.max(1), knowledge, settings, searcher: AlphaBeta::new(settings) }
    }

    fn search(&mut self, game: &Played<G>, stop: &dyn Fn() -> bool) -> Result<Found<G::Move>, PlayerError> {
        let node = GameNode { game: game.now().clone(), knowledge: self.knowledge };
        self.searcher.search_until(&node, self.depth, stop).ok_or(PlayerError::Stopped)
    }
}

impl<G: Estimates> Player<G> for AlphaBetaPlayer<G> {
    fn new_game(&mut self, _: u64) -> Result<(), PlayerError> {
        // What it remembers of earlier games can change its choice: games must not depend on their order.
        self.searcher = AlphaBeta::new(self.settings);
        Ok(())
    }

    fn choose(&mut self, game: &Played<G>, stop: &dyn Fn() -> bool) -> Result<Choice<G::Move>, PlayerError> {
        let found = self.search(game, stop)?;
        let m = found.line.first().copied().ok_or(PlayerError::NoMove)?;
        let score = MoveScore::from_classical(found.value).in_turns(game.now(), found.line);
        Ok(Choice { m, opinion: Some(Opinion { score, depth: self.depth }) })
    }

    fn judge(&mut self, game: &Played<G>, stop: &dyn Fn() -> bool) -> Result<Judged<G::Move>, PlayerError> {
        let found = self.search(game, stop)?;
        if found.line.is_empty() {
            return Err(PlayerError::NoMove);
        }
        let score = MoveScore::from_classical(found.value).in_turns(game.now(), found.line.iter().copied());
        Ok(Judged { score, line: found.line })
    }

    /// For a policy of several moves, each is searched for itself.
    fn label(
        &mut self,
        game: &Played<G>,
        settings: &LabelSettings,
        stop: &dyn Fn() -> bool,
    ) -> Result<Label<G::Move>, PlayerError> {
        if settings.lines == 1 {
            return self.choose(game, stop)?.into_label();
        }
        let mut moves = Vec::new();
        game.now().legal_moves(&mut moves);
        let mut judged: Vec<(G::Move, MoveScore)> = Vec::with_capacity(moves.len());
        for m in moves {
            let mut after = game.now().clone();
            after.play(m);
            let moves_again = after.side() == game.now().side();
            let node = GameNode { game: after, knowledge: self.knowledge };
            let found = self.searcher.search_until(&node, self.depth - 1, stop).ok_or(PlayerError::Stopped)?;
            let score = MoveScore::from_classical(found.value);
            judged.push((m, if moves_again { score } else { score.before() }));
        }
        judged.sort_by(|(_, a), (_, b)| b.pawns().total_cmp(&a.pawns()));
        let (_, best) = judged.first().ok_or(PlayerError::NoMove)?;
        Label::soft(best.wdl(), judged, settings)
    }
}
