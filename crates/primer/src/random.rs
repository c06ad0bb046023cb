//! Random numbers that follow from a seed.

use std::f64::consts::TAU;

use alfil_core::seed::mix;

/// A sequence of numbers: SplitMix64, whose mixing step is in [`alfil_core::seed`].
#[derive(Clone, Debug)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.state)
    }

    /// From 0 to less than 1.
    pub fn part(&mut self) -> f64 {
        // 53 bits are what a double holds.
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number smaller than `limit`, or 0.
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }

    /// A normal number (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.part()).ln()).sqrt();
        radius * (TAU * self.part()).cos()
    }

    /// A number from the beta distribution, for parameters of at least 1.
    pub fn beta(&mut self, a: f64, b: f64) -> f64 {
        let (x, y) = (self.gamma(a), self.gamma(b));
        x / (x + y)
    }

    /// A number from the gamma distribution of scale 1, for a shape of at least 1 (Marsaglia and Tsang 2000).
    fn gamma(&mut self, shape: f64) -> f64 {
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let v = (1.0 + c * x).powi(3);
            if v > 0.0 && (1.0 - self.part()).ln() < 0.5 * x * x + d * (1.0 - v + v.ln()) {
                return d * v;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean and variance of many draws.
    fn moments(mut draw: impl FnMut() -> f64) -> (f64, f64) {
        let draws: Vec<f64> = (0..100_000).map(|_| draw()).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        (mean, draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / draws.len() as f64)
    }

    #[test]
    fn draws_have_the_moments_of_their_distribution() {
        let near = |(mean, variance): (f64, f64), expected: (f64, f64)| {
            assert!((mean - expected.0).abs() < 0.02 && (variance - expected.1).abs() < 0.03, "{mean} {variance}");
        };
        let mut random = Random::new(1);
        near(moments(|| random.part()), (0.5, 1.0 / 12.0));
        near(moments(|| random.normal()), (0.0, 1.0));
        // a / (a + b) and ab / ((a + b)² (a + b + 1)).
        near(moments(|| random.beta(3.0, 5.0)), (0.375, 15.0 / (64.0 * 9.0)));
        near(moments(|| random.beta(1.0, 1.0)), (0.5, 1.0 / 12.0));
        near(moments(|| random.below(3) as f64), (1.0, 2.0 / 3.0));
    }
}
