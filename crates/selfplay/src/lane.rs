//! A lane: one thread that plays many games at once.

use std::time::Instant;

use alfil_game::FullGame;
use alfil_search::tree::{Leaf, apply};
use alfil_search::{Evaluator, EvaluatorError};

use crate::game_in_progress::{Activity, FinishedGame, GameInProgress};
use crate::{Counts, GameRecord, LaneContext};

/// Plays games with one evaluator: all games gather a position each, the batch is evaluated, all games apply.
pub struct Lane<G: FullGame> {
    context: LaneContext<G>,
    evaluator: Box<dyn Evaluator<G>>,
    games: Vec<GameInProgress<G>>,
    counts: Counts,
}

impl<G: FullGame> Lane<G> {
    /// A lane whose first games begin now. All lanes of a session have equal contexts.
    pub fn new(context: LaneContext<G>, evaluator: Box<dyn Evaluator<G>>) -> Lane<G> {
        let games = (0..context.settings.at_once.max(1)).map(|_| GameInProgress::new(&context)).collect();
        Lane { context, evaluator, games, counts: Counts::default() }
    }

    /// Whether there is a game under way, or one that may begin later.
    pub fn is_busy(&self) -> bool {
        self.games.iter().any(|game| game.activity != Activity::Over)
    }

    /// Whether there is no game under way, but one may begin later: a step does nothing until it is allowed to.
    pub fn is_waiting(&self) -> bool {
        self.is_busy() && self.games.iter().all(|game| game.activity != Activity::Playing)
    }

    /// One batch: every game goes on by a position. Games that end are handed over, and others begin. After an error the games
    /// under way cannot go on.
    pub fn step(&mut self, take: &mut dyn FnMut(GameRecord)) -> Result<(), EvaluatorError> {
        let began = Instant::now();
        let Lane { context, evaluator, games, counts } = self;
        let mut leaves: Vec<(usize, Leaf)> = Vec::with_capacity(games.len());
        for (number, game) in games.iter_mut().enumerate() {
            let mut tell = |ended: FinishedGame| {
                counts.add(&ended);
                take(ended.record);
            };
            if let Some(leaf) = game.gather(context, &mut tell) {
                evaluator.add(&game.scratch.game, &game.scratch.moves);
                leaves.push((number, leaf));
            }
        }
        if leaves.is_empty() {
            counts.time += began.elapsed();
            return Ok(());
        }
        let asked = Instant::now();
        counts.evaluations += leaves.len() as u64;
        counts.batches += 1;
        let mut leaves = leaves.into_iter();
        // The time between the answers is ours, and small beside the evaluator's.
        evaluator.run(&mut |_, evaluation| {
            if let Some((number, leaf)) = leaves.next() {
                apply(games[number].tree(), leaf, &evaluation);
            }
        })?;
        counts.evaluating += asked.elapsed();
        counts.time += began.elapsed();
        Ok(())
    }

    /// What has been done since the lane began.
    pub fn counts(&self) -> Counts {
        let moves = self.games.iter().map(|game| game.moves).sum();
        Counts { moves, cache_hits: self.evaluator.cache_counts().hits, ..self.counts }
    }
}
