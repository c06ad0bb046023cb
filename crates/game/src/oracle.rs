//! Exact results of positions.

use std::cmp::Ordering;
use std::sync::atomic::AtomicBool;

use crate::{Game, Mover, Score, Swap};

/// The result of perfect play.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// The mover's points at the end.
    pub score: Mover<Score>,
    /// Plies to the end, if the winner hurries and the loser delays.
    pub plies: u32,
}

impl Judgement {
    /// Orders by what the mover prefers: more points, then a sooner win or a later loss.
    pub fn preference(&self, other: &Judgement) -> Ordering {
        let points = self.score.0.points();
        points.total_cmp(&other.score.0.points()).then_with(|| {
            let sooner = other.plies.cmp(&self.plies);
            match points.total_cmp(&Score::DRAW.points()) {
                Ordering::Greater => sooner,
                Ordering::Less => sooner.reverse(),
                Ordering::Equal => Ordering::Equal,
            }
        })
    }
}

/// Knows the result of every position of `G`.
pub trait Oracle<G: Game>: Send {
    /// The exact result of a game that is not over.
    fn judge(&mut self, game: &G) -> Judgement;

    /// The same, unless `stop` is set before it is known.
    fn judge_unless(&mut self, game: &G, stop: &AtomicBool) -> Option<Judgement> {
        let _ = stop;
        Some(self.judge(game))
    }

    /// The ply from which a judgement takes milliseconds. Before it, one may take minutes.
    fn quick_from(&self) -> u32 {
        0
    }

    /// The exact result of each legal move, for the side that makes it, in the order of generation.
    fn judge_moves(&mut self, game: &G) -> Vec<(G::Move, Judgement)> {
        self.judge_moves_unless(game, &AtomicBool::new(false)).unwrap_or_default()
    }

    /// The same, unless `stop` is set before all of it is known.
    fn judge_moves_unless(&mut self, game: &G, stop: &AtomicBool) -> Option<Vec<(G::Move, Judgement)>> {
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        let mut judge_move = |m| {
            let mut after = game.clone();
            after.play(m);
            let Judgement { score, plies } = match after.outcome() {
                Some(outcome) => Judgement { score: outcome.score.to_mover(after.side()), plies: 0 },
                None => self.judge_unless(&after, stop)?,
            };
            let score = if after.side() == game.side() { score } else { Mover(score.0.swap()) };
            Some((m, Judgement { score, plies: plies + 1 }))
        };
        moves.into_iter().map(&mut judge_move).collect()
    }
}
