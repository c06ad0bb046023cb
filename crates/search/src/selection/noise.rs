//! Root noise, so that self-play tries what the network would not.

use rand::RngExt;
use rand_distr::{Distribution, Gamma};

/// A draw from the symmetric Dirichlet distribution with `count` parts: they add up to 1.
///
/// The usual way, gamma variates divided by their sum, underflows to all zeros for small `alpha`. Here the logarithms
/// are kept: a gamma variate of `alpha` is one of `alpha + 1` times U^(1/alpha).
pub fn dirichlet(alpha: f32, count: usize, random: &mut impl RngExt) -> Vec<f32> {
    let alpha = f64::from(alpha.clamp(1e-4, 1e4));
    // The shape is positive and finite, so this cannot fail.
    let Ok(gamma) = Gamma::new(alpha + 1.0, 1.0) else { return vec![1.0 / count as f32; count] };
    let mut logarithm = || {
        let uniform: f64 = 1.0 - random.random::<f64>(); // never 0
        gamma.sample(random).ln() + uniform.ln() / alpha
    };
    let logarithms: Vec<f64> = (0..count).map(|_| logarithm()).collect();
    let largest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logarithms.iter().map(|l| (l - largest).exp()).sum();
    logarithms.iter().map(|l| ((l - largest).exp() / sum) as f32).collect()
}

/// `(1 - share) P + share noise` for every prior.
pub fn mix_noise(priors: &mut [f32], noise: &[f32], share: f32) {
    for (prior, noise) in priors.iter_mut().zip(noise) {
        *prior = (1.0 - share) * *prior + share * noise;
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    #[test]
    fn parts_have_the_mean_and_variance_of_the_distribution_even_for_small_alpha() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        for (alpha, count) in [(0.01f32, 5usize), (0.03, 30), (0.3, 20), (1.0, 7), (10.0, 4)] {
            let draws = 20_000;
            let (mut sum, mut squares) = (0.0f64, 0.0f64);
            for _ in 0..draws {
                let parts = dirichlet(alpha, count, &mut random);
                assert!((parts.iter().sum::<f32>() - 1.0).abs() < 1e-4);
                assert!(parts.iter().all(|part| part.is_finite() && *part >= 0.0));
                sum += f64::from(parts[0]);
                squares += f64::from(parts[0]).powi(2);
            }
            let (mean, n) = (sum / f64::from(draws), count as f64);
            let variance = squares / f64::from(draws) - mean * mean;
            let expected = (1.0 / n) * (1.0 - 1.0 / n) / (n * f64::from(alpha) + 1.0);
            assert!((mean - 1.0 / n).abs() < 0.012, "alpha {alpha}: mean {mean}");
            assert!((variance / expected - 1.0).abs() < 0.1, "alpha {alpha}: variance {variance}, not {expected}");
        }
    }

    #[test]
    fn noise_keeps_the_sum() {
        let mut priors = [0.7, 0.2, 0.1];
        mix_noise(&mut priors, &[0.0, 0.0, 1.0], 0.25);
        assert_eq!(priors, [0.525, 0.15, 0.325]);
    }
}
