//! The normal distribution.

/// 95 % of a normal distribution lie within this many standard deviations of its mean.
pub(super) const TWO_SIDED_95: f64 = 1.959_963_984_540_054;

/// Φ(x), the share below x standard deviations, by the series `Φ(x) = 1/2 + φ(x) (x + x³/3 + x⁵/(3·5) + …)`.
pub(super) fn normal_below(x: f64) -> f64 {
    if x.abs() > 9.0 {
        return if x > 0.0 { 1.0 } else { 0.0 }; // to within 1e-18
    }
    let (mut term, mut sum, mut odd) = (x, x, 1.0);
    while term.abs() > 1e-17 * sum.abs() {
        odd += 2.0;
        term *= x * x / odd;
        sum += term;
    }
    let density = (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
    (0.5 + density * sum).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_match_the_tables() {
        // Abramowitz and Stegun, table 26.1.
        for (x, share) in [(0.0, 0.5), (0.5, 0.691_462_461_274), (1.0, 0.841_344_746_069), (3.0, 0.998_650_101_968)] {
            assert!((normal_below(x) - share).abs() < 1e-12, "{x}");
            assert!((normal_below(-x) - (1.0 - share)).abs() < 1e-12, "-{x}");
        }
        assert!((normal_below(TWO_SIDED_95) - 0.975).abs() < 1e-15);
        assert_eq!((normal_below(f64::NEG_INFINITY), normal_below(40.0)), (0.0, 1.0));
    }
}
