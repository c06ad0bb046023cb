//! Shares with their intervals.

use serde::Serialize;

/// Standard errors of a 95 % interval.
const Z: f64 = 1.96;

/// How often something happens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Rate {
    /// How often it happened.
    pub count: u64,
    /// How often it could have.
    pub of: u64,
}

impl Rate {
    /// The share; 0 of nothing.
    pub fn share(self) -> f64 {
        self.count as f64 / self.of.max(1) as f64
    }

    /// Its 95 % interval (E. B. Wilson 1927); everything if there is nothing to count.
    pub fn interval(self) -> (f64, f64) {
        if self.of == 0 {
            return (0.0, 1.0);
        }
        let (n, p) = (self.of as f64, self.share());
        let scale = 1.0 + Z * Z / n;
        let middle = (p + Z * Z / (2.0 * n)) / scale;
        let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt() / scale;
        ((middle - half).max(0.0), (middle + half).min(1.0))
    }

    /// How many standard errors it is above another share, both taken as independent; 0 if there is too little to count. They are
    /// not quite: mistakes come in bunches, in bad games, and the player's own games may be in the corpus.
    pub fn above(self, base: Rate) -> f64 {
        let (n, m) = (self.of as f64, base.of as f64);
        if n == 0.0 || m == 0.0 {
            return 0.0;
        }
        let pooled = (self.count + base.count) as f64 / (n + m);
        let error = (pooled * (1.0 - pooled) * (1.0 / n + 1.0 / m)).sqrt();
        if error > 0.0 { (self.share() - base.share()) / error } else { 0.0 }
    }

    /// How many times as often it happens as `level` times the base; 0 if either has nothing to count.
    pub fn relative(self, base: Rate, level: f64) -> f64 {
        let expected = level * base.share();
        if expected > 0.0 { self.share() / expected } else { 0.0 }
    }

    /// How many standard errors the logarithm of [`relative`](Rate::relative) is from 0; 0 if there is too little to count. The level
    /// is taken as exact: it rests on all mistakes, the rates on a few of them.
    pub fn relatively_above(self, base: Rate, level: f64) -> f64 {
        if self.of == 0 || base.count == 0 || level <= 0.0 {
            return 0.0;
        }
        // Half a mistake more on either side, so that none at all is not infinitely few (J. B. S. Haldane 1956).
        let (count, expected) = (self.count as f64 + 0.5, level * base.share() * self.of as f64 + 0.5);
        let variance = |count: f64, of: u64| (1.0 / count - 1.0 / (of as f64 + 1.0)).max(0.0);
        let error = (variance(count, self.of) + variance(base.count as f64 + 0.5, base.of)).sqrt();
        if error > 0.0 { (count / expected).ln() / error } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_tables() {
        // Wilson's interval for 1 of 10, as statsmodels computes it.
        let (low, high) = Rate { count: 1, of: 10 }.interval();
        assert!((low - 0.017876).abs() < 1e-4 && (high - 0.404150).abs() < 1e-4, "{low} {high}");
        assert_eq!(Rate::default().interval(), (0.0, 1.0));
        let (low, high) = Rate { count: 0, of: 50 }.interval();
        assert!(low < 1e-9 && (high - 0.071348).abs() < 1e-4);
    }

    #[test]
    fn what_is_relative_to_a_level_does_not_depend_on_it() {
        let rate = |count, of| Rate { count, of };
        // Twice as many mistakes everywhere, and four times as many here.
        assert!((rate(400, 1000).relative(rate(1000, 10_000), 2.0) - 2.0).abs() < 1e-9);
        assert!(rate(400, 1000).relatively_above(rate(1000, 10_000), 2.0) > 10.0);
        assert!(rate(200, 1000).relatively_above(rate(1000, 10_000), 2.0).abs() < 0.1);
        assert!(rate(0, 1000).relatively_above(rate(1000, 10_000), 1.0) < -3.3);
        for nothing in [rate(0, 0).relative(rate(0, 0), 1.0), rate(0, 0).relatively_above(rate(1, 2), 1.0)] {
            assert_eq!(nothing, 0.0);
        }
        assert_eq!(
            (rate(1, 2).relatively_above(rate(0, 5), 1.0), rate(1, 2).relatively_above(rate(1, 2), 0.0)),
            (0.0, 0.0)
        );
    }

    #[test]
    fn differences_are_counted_in_standard_errors() {
        let rate = |count, of| Rate { count, of };
        assert_eq!(rate(5, 10).above(rate(50, 100)), 0.0);
        assert!((rate(60, 100).above(rate(500, 1000)) - 1.909).abs() < 0.01);
        assert!(rate(1, 100).above(rate(500, 1000)) < -8.0);
        assert_eq!((rate(0, 0).above(rate(1, 2)), rate(0, 5).above(rate(0, 5))), (0.0, 0.0));
    }
}
