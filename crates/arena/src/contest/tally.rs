//! Counting pairs in their order.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::{MatchEnd, MatchReport, Record};
use crate::stats::{Pairs, Sprt};

/// Pairs arrive in any order, since threads play at their own pace. They are counted from the first without a gap, so
/// that a decision depends neither on the threads nor on short games ending sooner.
pub(super) struct Tally {
    pub report: MatchReport,
    /// Pairs to play.
    target: u64,
    sprt: Option<Sprt>,
    waiting: BTreeMap<u64, [Record; 2]>,
}

impl Tally {
    pub fn new(report: MatchReport, target: u64, sprt: Option<Sprt>) -> Tally {
        let mut tally = Tally { report, target, sprt, waiting: BTreeMap::new() };
        tally.decide();
        tally
    }

    /// Takes a pair, and returns those that count now.
    pub fn add(&mut self, pair: [Record; 2]) -> Vec<[Record; 2]> {
        self.waiting.insert(pair[0].pair, pair);
        let mut counted = Vec::new();
        while self.report.ended.is_none()
            && let Some(pair) = self.waiting.remove(&self.report.pairs.pairs())
        {
            self.count(&pair);
            counted.push(pair);
        }
        counted
    }

    fn count(&mut self, pair: &[Record; 2]) {
        for record in pair {
            let is_shared = u64::from(0.0 < record.score && record.score < 1.0);
            match record.score.total_cmp(&0.5) {
                Ordering::Greater => {
                    self.report.wins += 1;
                    self.report.shared[0] += is_shared;
                }
                Ordering::Equal => self.report.draws += 1,
                Ordering::Less => {
                    self.report.losses += 1;
                    self.report.shared[1] += is_shared;
                }
            }
            if let Some(fault) = &record.fault {
                self.report.faults.push((self.report.games(), fault.clone()));
            }
        }
        self.report.pairs.add(pair[0].score(), pair[1].score());
        self.decide();
    }

    fn decide(&mut self) {
        self.report.sprt = self.sprt.map(|sprt| (sprt, sprt.state(&self.report.pairs)));
        if self.report.sprt.is_some_and(|(_, state)| state.decision.is_some()) {
            self.report.ended = Some(MatchEnd::Decided);
        } else if self.report.pairs.pairs() >= self.target {
            self.report.ended = Some(MatchEnd::Played);
        }
    }

    pub fn empty(a: &str, b: &str, game: &'static str) -> MatchReport {
        // A player against itself, for example, needs two names.
        let b = if a == b { format!("{b} (2)") } else { b.to_owned() };
        MatchReport {
            a: a.to_owned(),
            b,
            game,
            wins: 0,
            draws: 0,
            losses: 0,
            shared: [0; 2],
            pairs: Pairs::default(),
            sprt: None,
            faults: Vec::new(),
            resumed: 0,
            ended: None,
        }
    }
}
