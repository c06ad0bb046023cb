//! The likelihood of pair results, given only the mean score.

use super::Pairs;

/// What an empty count counts as, so that a result that has not come up yet is rare, not impossible: fishtest's value.
const EMPTY: f64 = 1e-3;

/// Means are kept this far from 0 and 1, where only one result is possible.
const MARGIN: f64 = 1e-9;

/// Pair results to be explained: the counts w_i, none of them 0, with their points x_i.
pub(super) struct Likelihood {
    results: Vec<(f64, f64)>,
}

impl Likelihood {
    pub(super) fn new(pairs: &Pairs) -> Likelihood {
        let weight = |count: u64| if count == 0 { EMPTY } else { count as f64 };
        let halves = pairs.counts.into_iter().zip(Pairs::POINTS).map(|(count, x)| (weight(count), x));
        // In most games quarter points cannot occur.
        let quarters = pairs.quarters.into_iter().zip(Pairs::QUARTER_POINTS).filter(|(count, _)| *count > 0);
        Likelihood { results: halves.chain(quarters.map(|(count, x)| (weight(count), x))).collect() }
    }

    /// The mean of the most likely distribution, which is that of the counts.
    pub(super) fn mean(&self) -> f64 {
        let sum: f64 = self.results.iter().map(|(weight, x)| weight * x).sum();
        sum / self.results.iter().map(|(weight, _)| weight).sum::<f64>()
    }

    /// `ln(max L(p) with mean μ / max L(p))` over all distributions p of the results: 0 at [`mean`](Self::mean),
    /// and falling on both sides of it.
    ///
    /// With a Lagrange multiplier t, the most likely distribution of mean μ is `p_i = w_i / (N (1 + t (x_i - μ)))`, so
    /// the logarithm is `-Σ w_i ln(1 + t (x_i - μ))`.
    pub(super) fn log_ratio(&self, mean: f64) -> f64 {
        let mean = mean.clamp(MARGIN, 1.0 - MARGIN);
        let t = self.multiplier(mean);
        let term = |(weight, x): &(f64, f64)| weight * (1.0 + t * (x - mean)).max(f64::MIN_POSITIVE).ln();
        -self.results.iter().map(term).sum::<f64>()
    }

    /// The t with `Σ w_i (x_i - μ) / (1 + t (x_i - μ)) = 0`. The sum falls from +∞ to -∞ between the poles of the
    /// lowest and the highest result, so there is exactly one. Newton's steps, with bisection where they would leave
    /// the bracket.
    fn multiplier(&self, mean: f64) -> f64 {
        let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
        let close = 1e-15 * (high - low);
        let mut t = 0.0;
        for _ in 0..200 {
            let (mut sum, mut slope) = (0.0, 0.0);
            for (weight, x) in &self.results {
                let share = (x - mean) / (1.0 + t * (x - mean));
                sum += weight * share;
                slope -= weight * share * share;
            }
            *(if sum > 0.0 { &mut low } else { &mut high }) = t;
            let newton = t - sum / slope;
            let next = if low < newton && newton < high { newton } else { 0.5 * (low + high) };
            if (next - t).abs() <= close {
                break;
            }
            t = next;
        }
        t
    }
}
