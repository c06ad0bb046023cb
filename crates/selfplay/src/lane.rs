//! A lane: one thread that plays many games at once.

use std::sync::Arc;
use std::time::Instant;

use alfil_game::FullGame;
use alfil_search::tree::{Leaf, apply};
use alfil_search::{Evaluator, EvaluatorError};

use crate::referee::Referee;
use crate::seat::{Activity, FinishedGame, LaneContext, Seat};
use crate::{Counts, GameRecord, Judge, SelfplaySettings, Tickets};

/// Plays games with one evaluator: all games gather a position each, the batch is evaluated, all games apply.
pub struct Lane<G: FullGame> {
    context: LaneContext<G>,
    evaluator: Box<dyn Evaluator<G>>,
    seats: Vec<Seat<G>>,
    referee: Referee<G>,
    counts: Counts,
}

impl<G: FullGame> Lane<G> {
    /// A lane whose first games begin now; every game takes a ticket. `listed` are the [positions](crate::Starts::listed) that the
    /// settings let games begin from. All lanes of a run have the same `seed`: a game follows
    /// from the settings, the rules, the seed and its number, whatever is played beside it, as long as the evaluator answers the same
    /// position in the same way. Random rollouts do not, nor does a cache where the network sees a position's history.
    pub fn new(
        settings: SelfplaySettings,
        listed: Vec<String>,
        rules: G::Rules,
        evaluator: Box<dyn Evaluator<G>>,
        tickets: Arc<Tickets>,
        seed: u64,
    ) -> Lane<G> {
        let context = LaneContext { settings, listed, rules, tickets, seed };
        let seats = (0..context.settings.at_once.max(1)).map(|_| Seat::new(&context)).collect();
        let referee = Referee::new(&context.settings.adjudication);
        Lane { context, evaluator, seats, referee, counts: Counts::default() }
    }

    /// Ends games as this judge knows they will.
    pub fn with_judge(mut self, judge: Judge<G>) -> Lane<G> {
        self.referee.judge = Some(judge);
        self
    }

    /// Whether there is a game under way, or one that may begin later.
    pub fn is_busy(&self) -> bool {
        self.seats.iter().any(|seat| seat.activity != Activity::Over)
    }

    /// Whether there is no game under way, but one may begin later: a step does nothing until it is allowed to.
    pub fn is_waiting(&self) -> bool {
        self.is_busy() && self.seats.iter().all(|seat| seat.activity != Activity::Playing)
    }

    /// One batch: every game goes on by a position. Games that end are handed over, and others begin. After an error the games
    /// under way cannot go on.
    pub fn step(&mut self, take: &mut dyn FnMut(GameRecord)) -> Result<(), EvaluatorError> {
        let began = Instant::now();
        let Lane { context, evaluator, seats, referee, counts } = self;
        let mut leaves: Vec<(usize, Leaf)> = Vec::with_capacity(seats.len());
        for (number, seat) in seats.iter_mut().enumerate() {
            let mut tell = |ended: FinishedGame| {
                counts.add(&ended);
                take(ended.record);
            };
            if let Some(leaf) = seat.gather(context, referee, &mut tell) {
                evaluator.add(&seat.scratch.game, &seat.scratch.moves);
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
                apply(seats[number].tree(), leaf, &evaluation);
            }
        })?;
        counts.evaluating += asked.elapsed();
        counts.time += began.elapsed();
        Ok(())
    }

    /// What has been done since the lane began.
    pub fn counts(&self) -> Counts {
        let moves = self.seats.iter().map(|seat| seat.moves).sum();
        Counts { moves, cache_hits: self.evaluator.cache_counts().hits, ..self.counts }
    }
}
