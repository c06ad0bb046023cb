//! The numbers of self-play while it runs.

use alfil_selfplay::Counts;
use serde_json::{Value, json};

/// The work done, and its time.
pub struct Counters<'a> {
    pub counts: &'a Counts,
    pub seconds: f64,
    /// Games at once per lane: a full batch has as many positions.
    pub at_once: usize,
}

impl Counters<'_> {
    fn per_second(&self, count: u64) -> f64 {
        count as f64 / self.seconds.max(1e-9)
    }

    /// How full the batches were, from 0 to 1.
    pub fn fill(&self) -> f64 {
        self.counts.mean_batch() / self.at_once.max(1) as f64
    }

    /// Two lines that fit into a terminal.
    pub fn lines(&self) -> [String; 2] {
        let Counts { moves, evaluations, results: [won, drawn, lost], resigned, .. } = *self.counts;
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        let (positions, evaluations) = (rate(self.per_second(moves)), rate(self.per_second(evaluations)));
        let (fill, cached) = (percent(self.fill()), percent(self.counts.cache_share()));
        let (evaluator, plies) = (percent(self.counts.evaluator_share()), self.counts.mean_length());
        [
            format!("{positions} positions/s, {evaluations} evaluations/s, {evaluator} in the evaluator"),
            format!(
                "batches {fill} full, {cached} cached, {plies:.1} plies, +{won}={drawn}-{lost}, {resigned} resigned"
            ),
        ]
    }

    pub fn json(&self) -> Value {
        let counts = self.counts;
        json!({
            "games_per_second": self.per_second(counts.games), "positions_per_second": self.per_second(counts.moves),
            "evaluations_per_second": self.per_second(counts.evaluations), "batch": counts.mean_batch(),
            "batch_fill": self.fill(), "cache_hits": counts.cache_share(), "evaluator_share": counts.evaluator_share(),
            "length": counts.mean_length(), "results": counts.results, "resigned": counts.resigned,
        })
    }
}

/// A rate per second, with as many digits as matter.
pub fn rate(per_second: f64) -> String {
    match per_second {
        slow if slow < 10.0 => format!("{slow:.2}"),
        fast if fast < 100.0 => format!("{fast:.1}"),
        faster => format!("{faster:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn all_counters_are_shown_in_the_width_of_a_terminal() {
        let counts = Counts {
            games: 2_000,
            positions: 160_000,
            moves: 170_000,
            results: [900, 100, 1_000],
            resigned: 300,
            evaluations: 5_000_000,
            batches: 200_000,
            cache_hits: 1_500_000,
            evaluating: Duration::from_secs(90),
            time: Duration::from_secs(100),
            ..Counts::default()
        };
        let counters = Counters { counts: &counts, seconds: 100.0, at_once: 32 };
        let [speed, games] = counters.lines();
        assert_eq!(speed, "1700 positions/s, 50000 evaluations/s, 90 % in the evaluator");
        assert_eq!(games, "batches 78 % full, 30 % cached, 80.0 plies, +900=100-1000, 300 resigned");
        assert!(speed.len() <= 68 && games.len() <= 78);
        assert_eq!((&counters.json()["games_per_second"], &counters.json()["resigned"]), (&20.0.into(), &300.into()));
        let nothing = Counters { counts: &Counts::default(), seconds: 0.0, at_once: 32 };
        assert_eq!(nothing.lines()[1], "batches 0 % full, 0 % cached, 0.0 plies, +0=0-0, 0 resigned");
    }
}
