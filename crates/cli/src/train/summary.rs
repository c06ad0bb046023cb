//! A generation in one line, and its rating, if there is one, in another.

use alfil_nn::learning::{Loss, Losses};
use alfil_train::run::Metrics;

use crate::time::clock;

pub const HEADING: &str = " gen    time  games plies  W/D/L %   policy      value       gate";

/// Losses are of training and of held-out games; what was not measured is a dash.
pub fn summary(metrics: &Metrics) -> String {
    let Metrics { generation, seconds, selfplay, learning, gate, promoted, rating } = metrics;
    let share = |count: u64| 100.0 * count as f64 / selfplay.games.max(1) as f64;
    let [won, drawn, lost] = selfplay.results.map(share);
    let loss = |loss: Loss| {
        let text = |losses: Option<Losses>| losses.map_or("-".to_owned(), |losses| format!("{:.3}", losses[loss]));
        [learning.training, learning.held_out].map(text)
    };
    let ([policy, held_policy], [value, held_value]) = (loss(Loss::Policy), loss(Loss::Value));
    let gate = gate.map_or(String::new(), |gate| {
        let [won, drawn, lost] = gate.results;
        format!("+{won}={drawn}-{lost}")
    });
    let verdict = if *promoted { "new" } else { "-" };
    let rating = rating.as_ref().map_or(String::new(), |rating| {
        let exam = rating
            .exam
            .map_or(String::new(), |exam| format!(", exam {:.1}/{:.1} %", 100.0 * exam.search, 100.0 * exam.policy));
        format!("\n     rating {:.0} ({:.0} to {:.0}){exam}", rating.elo, rating.low, rating.high)
    });
    format!(
        "{generation:>4} {:>7} {:>6} {:>5.1} {won:>3.0}/{drawn:.0}/{lost:<3.0} {policy:>5}/{held_policy:<5} {value:>5}/{held_value:<5} {gate:<12} {verdict}{rating}",
        clock(*seconds),
        selfplay.games,
        selfplay.length,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_measured_is_a_dash() {
        let mut metrics = Metrics { generation: 3, ..Metrics::default() };
        metrics.learning.training = Some(Losses { policy: 1.25, value: 0.5, ..Losses::default() });
        assert!(summary(&metrics).contains(" 1.250/-     0.500/- "), "{}", summary(&metrics));
        assert!(HEADING.len() <= 80 && summary(&metrics).len() <= 80, "{}", summary(&metrics));
        metrics.learning.held_out = metrics.learning.training.take();
        assert!(summary(&metrics).contains("     -/1.250     -/0.500 "), "{}", summary(&metrics));
    }
}
