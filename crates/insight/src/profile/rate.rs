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

    /// How many standard errors it is above another share, both taken as independent; 0 if there is too little to count.
    pub fn above(self, base: Rate) -> f64 {
        let (n, m) = (self.of as f64, base.of as f64);
        if n == 0.0 || m == 0.0 {
            return 0.0;
        }
        let pooled = (self.count + base.count) as f64 / (n + m);
        let error = (pooled * (1.0 - pooled) * (1.0 / n + 1.0 / m)).sqrt();
        if error > 0.0 { (self.share() - base.share()) / error } else { 0.0 }
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
    fn differences_are_counted_in_standard_errors() {
        let rate = |count, of| Rate { count, of };
        assert_eq!(rate(5, 10).above(rate(50, 100)), 0.0);
        assert!((rate(60, 100).above(rate(500, 1000)) - 1.909).abs() < 0.01);
        assert!(rate(1, 100).above(rate(500, 1000)) < -8.0);
        assert_eq!((rate(0, 0).above(rate(1, 2)), rate(0, 5).above(rate(0, 5))), (0.0, 0.0));
    }
}
