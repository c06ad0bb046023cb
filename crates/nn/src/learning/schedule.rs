//! The learning rate over time.

use alfil_core::settings::Findings;
use alfil_core::{choices, settings};

choices! {
    /// How the learning rate changes.
    pub enum Decay {
        /// It stays the same.
        Constant = "constant",
        /// It falls along half a cosine.
        Cosine = "cosine",
        /// It is lowered at certain steps, as AlphaZero did.
        Steps = "steps",
    }
}

settings! {
    /// The learning rate at each step.
    ///
    /// ```
    /// use alfil_nn::learning::{Decay, Schedule};
    ///
    /// let (rate_steps, rate_factors) = (vec![100], vec![0.1]);
    /// let schedule =
    ///     Schedule { rate: 0.2, warm_up: 10, decay: Decay::Steps, rate_steps, rate_factors, ..Schedule::default() };
    /// assert!((schedule.at(0) - 0.02).abs() < 1e-12);
    /// assert!((schedule.at(9) - 0.2).abs() < 1e-12);
    /// assert!((schedule.at(100) - 0.02).abs() < 1e-12);
    /// ```
    pub struct Schedule {
        /// The full learning rate.
        pub rate: f64 = 0.002, in 1e-9..=100.0;
        /// Steps over which it rises to the full rate.
        pub warm_up: u64 = 100;
        /// How it changes: constant, cosine (falls to last_rate times itself within decay_steps, or within the planned
        /// hours) or steps (rate_factors from rate_steps on).
        pub decay: Decay = Decay::Constant;
        /// cosine: the step at which the fall ends.
        pub decay_steps: u64 = 0;
        /// cosine: the hours that the run is planned to take, over which the rate falls instead of decay_steps; all steps of
        /// a generation have the rate of the time when it began. If this and decay_steps are 0, a new run takes them from
        /// --for.
        pub planned: f64 = 0.0, in 0.0..=1_000_000.0;
        /// cosine: the share of the full rate that is left then.
        pub last_rate: f64 = 0.1, in 0.0..=1.0;
        /// steps: the steps at which the rate changes.
        pub rate_steps: Vec<u64> = Vec::new();
        /// steps: the factor of the full rate from each of those steps on.
        pub rate_factors: Vec<f64> = Vec::new(), in 0.0..=1000.0;
    }
    check Schedule::check;
}

impl Schedule {
    /// The rate of a step, counted from 0. Where the rate falls over hours it is that of the beginning: see
    /// [`after`](Schedule::after).
    pub fn at(&self, step: u64) -> f64 {
        let warm_up = if step < self.warm_up { (step + 1) as f64 / self.warm_up as f64 } else { 1.0 };
        let decay = match self.decay {
            Decay::Constant => 1.0,
            Decay::Steps => {
                let begun = self.rate_steps.iter().zip(&self.rate_factors).filter(|(from, _)| **from <= step);
                begun.max_by_key(|(from, _)| **from).map_or(1.0, |(_, factor)| *factor)
            }
            Decay::Cosine if self.planned > 0.0 => 1.0,
            Decay::Cosine => self.cosine(step as f64 / self.decay_steps.max(1) as f64),
        };
        self.rate * warm_up * decay
    }

    /// The schedule of a generation that begins after this many hours of a run: where the rate falls over hours, it stays
    /// at what it has come to by then.
    pub fn after(&self, hours: f64) -> Schedule {
        match self.decay {
            Decay::Cosine if self.planned > 0.0 => {
                Schedule { rate: self.rate * self.cosine(hours / self.planned), decay: Decay::Constant, ..self.clone() }
            }
            _ => self.clone(),
        }
    }

    /// Whether the rate falls over the length of a run, of which nothing is said.
    pub fn lacks_plan(&self) -> bool {
        self.decay == Decay::Cosine && self.decay_steps == 0 && self.planned == 0.0
    }

    /// What is left of the full rate after this share of the fall.
    fn cosine(&self, share: f64) -> f64 {
        let last = self.last_rate;
        last + (1.0 - last) * (1.0 + (share.min(1.0) * std::f64::consts::PI).cos()) / 2.0
    }

    fn check(&self, found: &mut Findings) {
        if self.decay == Decay::Steps && self.rate_steps.len() != self.rate_factors.len() {
            found.error("rate_factors", "must be as many as rate_steps");
        }
        if self.lacks_plan() {
            found.error("decay_steps", "or planned must be more than 0 for a cosine");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cosine_falls_from_the_full_rate_to_the_last_and_stays_there() {
        let schedule = Schedule {
            rate: 2.0,
            warm_up: 0,
            decay: Decay::Cosine,
            decay_steps: 100,
            last_rate: 0.25,
            ..Schedule::default()
        };
        assert_eq!(schedule.at(0), 2.0);
        assert!((schedule.at(50) - 1.25).abs() < 1e-12);
        assert!((schedule.at(100) - 0.5).abs() < 1e-12);
        assert_eq!(schedule.at(100), schedule.at(100_000));
        assert!((1..100).all(|step| schedule.at(step) < schedule.at(step - 1)));
    }

    #[test]
    fn the_cosine_may_fall_over_the_planned_hours() {
        let by_time = Schedule { rate: 2.0, warm_up: 4, decay: Decay::Cosine, planned: 24.0, ..Schedule::default() };
        let by_steps = Schedule { decay_steps: 24, planned: 0.0, warm_up: 0, ..by_time.clone() };
        for hours in [0, 6, 12, 24, 100] {
            let generation = by_time.after(hours as f64);
            assert_eq!(generation.at(1_000), by_steps.at(hours), "{hours}");
            assert_eq!(generation.at(1), by_steps.at(hours) / 2.0, "it rises as ever");
            assert_eq!(by_steps.after(hours as f64), by_steps);
        }
        assert_eq!(by_time.at(1_000), 2.0);
        assert!(!by_time.lacks_plan() && Schedule { planned: 0.0, ..by_time }.lacks_plan());
    }

    #[test]
    fn the_latest_stage_counts_whatever_their_order() {
        let (rate_steps, rate_factors) = (vec![300, 100, 500], vec![0.01, 0.1, 0.001]);
        let schedule =
            Schedule { rate: 1.0, warm_up: 0, decay: Decay::Steps, rate_steps, rate_factors, ..Schedule::default() };
        assert_eq!(
            [0, 99, 100, 299, 300, 500, 9_999].map(|step| schedule.at(step)),
            [1.0, 1.0, 0.1, 0.1, 0.01, 0.001, 0.001]
        );
    }
}
