//! Counts of what self-play has done.

use std::time::Duration;

use alfil_game::Score;

use crate::game_in_progress::FinishedGame;
use crate::{End, GameRecord, Ply};

/// What a lane, or several, have done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// Games that have ended.
    pub games: u64,
    /// Positions of those games.
    pub positions: u64,
    /// Moves, those of games under way included.
    pub moves: u64,
    /// Games that the first player won, drew and lost.
    pub results: [u64; 3],
    /// Games that ended by resignation.
    pub resigned: u64,
    /// Games that were ended because their result was clear.
    pub adjudicated: u64,
    /// Games that a side won by the rules.
    pub won_by_rules: u64,
    /// Games that were played to the end although a side would have resigned.
    pub played_through: u64,
    /// Those of them that this side did not lose.
    pub false_resignations: u64,
    /// Positions with a policy to learn.
    pub policies: u64,
    /// The sum of the entropies of those policies, in nats.
    pub policy_entropy: f64,
    /// Positions that were evaluated, including those from a cache.
    pub evaluations: u64,
    /// Batches in which they were evaluated.
    pub batches: u64,
    /// Evaluations that came from a cache.
    pub cache_hits: u64,
    /// Time spent in the evaluator.
    pub evaluating: Duration,
    /// Total time.
    pub time: Duration,
}

impl Counts {
    /// What several lanes have done together. Their times add up.
    pub fn sum(lanes: impl IntoIterator<Item = Counts>) -> Counts {
        lanes.into_iter().fold(Counts::default(), |all, lane| Counts {
            games: all.games + lane.games,
            positions: all.positions + lane.positions,
            moves: all.moves + lane.moves,
            results: [0, 1, 2].map(|result| all.results[result] + lane.results[result]),
            resigned: all.resigned + lane.resigned,
            adjudicated: all.adjudicated + lane.adjudicated,
            won_by_rules: all.won_by_rules + lane.won_by_rules,
            played_through: all.played_through + lane.played_through,
            false_resignations: all.false_resignations + lane.false_resignations,
            policies: all.policies + lane.policies,
            policy_entropy: all.policy_entropy + lane.policy_entropy,
            evaluations: all.evaluations + lane.evaluations,
            batches: all.batches + lane.batches,
            cache_hits: all.cache_hits + lane.cache_hits,
            evaluating: all.evaluating + lane.evaluating,
            time: all.time + lane.time,
        })
    }

    /// What has been done since an earlier moment.
    pub fn since(&self, earlier: &Counts) -> Counts {
        Counts {
            games: self.games - earlier.games,
            positions: self.positions - earlier.positions,
            moves: self.moves - earlier.moves,
            results: [0, 1, 2].map(|result| self.results[result] - earlier.results[result]),
            resigned: self.resigned - earlier.resigned,
            adjudicated: self.adjudicated - earlier.adjudicated,
            won_by_rules: self.won_by_rules - earlier.won_by_rules,
            played_through: self.played_through - earlier.played_through,
            false_resignations: self.false_resignations - earlier.false_resignations,
            policies: self.policies - earlier.policies,
            policy_entropy: self.policy_entropy - earlier.policy_entropy,
            evaluations: self.evaluations - earlier.evaluations,
            batches: self.batches - earlier.batches,
            cache_hits: self.cache_hits - earlier.cache_hits,
            evaluating: self.evaluating - earlier.evaluating,
            time: self.time - earlier.time,
        }
    }

    /// Plies per game.
    pub fn mean_length(&self) -> f64 {
        share(self.positions as f64, self.games as f64)
    }

    /// Positions per batch.
    pub fn mean_batch(&self) -> f64 {
        share(self.evaluations as f64, self.batches as f64)
    }

    /// The share of evaluations that came from a cache.
    pub fn cache_share(&self) -> f64 {
        share(self.cache_hits as f64, self.evaluations as f64)
    }

    /// The share of the time that went into the evaluator.
    pub fn evaluator_share(&self) -> f64 {
        share(self.evaluating.as_secs_f64(), self.time.as_secs_f64())
    }

    /// Among the games that were played to the end although a side would have resigned, the share in which that would
    /// have been wrong.
    pub fn false_resignation_share(&self) -> f64 {
        share(self.false_resignations as f64, self.played_through as f64)
    }

    /// The mean entropy of the policies to learn, in nats.
    pub fn mean_entropy(&self) -> f64 {
        share(self.policy_entropy, self.policies as f64)
    }

    pub(crate) fn add(&mut self, ended: &FinishedGame) {
        self.add_record(&ended.record);
        if let Some(wrong) = ended.false_resignation {
            self.played_through += 1;
            self.false_resignations += u64::from(wrong);
        }
    }

    /// Counts a game of which only the record is known.
    pub fn add_record(&mut self, record: &GameRecord) {
        self.games += 1;
        self.positions += record.plies.len() as u64;
        let points = record.score().0;
        let result = if points > Score::DRAW { 0 } else { 1 + usize::from(points < Score::DRAW) };
        self.results[result] += 1;
        self.resigned += u64::from(record.end == End::Resigned);
        self.adjudicated += u64::from(record.end == End::Adjudicated);
        self.won_by_rules += u64::from(record.end == End::Rules && points != Score::DRAW);
        for ply in record.plies.iter().filter(|ply| ply.has_policy()) {
            self.policies += 1;
            self.policy_entropy += entropy(ply);
        }
    }
}

/// 0 if `of` is 0.
fn share(part: f64, of: f64) -> f64 {
    if of > 0.0 { part / of } else { 0.0 }
}

fn entropy(ply: &Ply) -> f64 {
    -ply.shares().map(|share| f64::from(share) * f64::from(share).ln()).sum::<f64>()
}
