//! The learning rate over time.

use serde::{Deserialize, Serialize};

/// How fast is learnt at which step.
///
/// ```
/// use alfil_nn::learning::{Decay, Schedule, Stage};
///
/// let stages = Decay::Steps { stages: vec![Stage { from: 100, factor: 0.1 }] };
/// let schedule = Schedule { rate: 0.2, warm_up: 10, decay: stages };
/// assert!((schedule.at(0) - 0.02).abs() < 1e-12);
/// assert!((schedule.at(9) - 0.2).abs() < 1e-12);
/// assert!((schedule.at(100) - 0.02).abs() < 1e-12);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// The full learning rate.
    pub rate: f64,
    /// Steps over which it rises to that from nothing.
    pub warm_up: u64,
    /// What becomes of it.
    pub decay: Decay,
}

/// What becomes of the learning rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Decay {
    /// It stays.
    Constant,
    /// It is lowered at certain steps, as AlphaZero did.
    Steps {
        /// When and how much.
        stages: Vec<Stage>,
    },
    /// It falls along half a cosine.
    Cosine {
        /// The step at which it ends.
        steps: u64,
        /// The share of the full rate that it ends at.
        last: f64,
    },
}

/// A stage of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// Its first step.
    pub from: u64,
    /// The share of the full rate in it.
    pub factor: f64,
}

impl Schedule {
    /// The rate of a step, counted from 0.
    pub fn at(&self, step: u64) -> f64 {
        let warm_up = if step < self.warm_up { (step + 1) as f64 / self.warm_up as f64 } else { 1.0 };
        let decay = match &self.decay {
            Decay::Constant => 1.0,
            Decay::Steps { stages } => {
                let begun = stages.iter().filter(|stage| stage.from <= step);
                begun.max_by_key(|stage| stage.from).map_or(1.0, |stage| stage.factor)
            }
            Decay::Cosine { steps, last } => {
                let part = (step as f64 / (*steps).max(1) as f64).min(1.0);
                last + (1.0 - last) * (1.0 + (part * std::f64::consts::PI).cos()) / 2.0
            }
        };
        self.rate * warm_up * decay
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cosine_falls_from_the_full_rate_to_the_last_and_stays_there() {
        let schedule = Schedule { rate: 2.0, warm_up: 0, decay: Decay::Cosine { steps: 100, last: 0.25 } };
        assert_eq!(schedule.at(0), 2.0);
        assert!((schedule.at(50) - 1.25).abs() < 1e-12);
        assert!((schedule.at(100) - 0.5).abs() < 1e-12);
        assert_eq!(schedule.at(100), schedule.at(100_000));
        assert!((1..100).all(|step| schedule.at(step) < schedule.at(step - 1)));
    }

    #[test]
    fn the_latest_stage_counts_whatever_their_order() {
        let stage = |from, factor| Stage { from, factor };
        let decay = Decay::Steps { stages: vec![stage(300, 0.01), stage(100, 0.1), stage(500, 0.001)] };
        let schedule = Schedule { rate: 1.0, warm_up: 0, decay };
        assert_eq!(
            [0, 99, 100, 299, 300, 500, 9_999].map(|step| schedule.at(step)),
            [1.0, 1.0, 0.1, 0.1, 0.01, 0.001, 0.001]
        );
    }
}
