//! The slope of a curve whose points are uncertain.

use super::cholesky::Cholesky;
use super::normal::TWO_SIDED_95;

/// A straight line through uncertain points, with the 95 % interval of its slope.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// The change of y for one unit of x.
    pub slope: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end of its interval.
    pub high: f64,
    /// The weighted mean of the points, through which the line goes.
    pub mean: (f64, f64),
}

impl Slope {
    /// The line `y = α + β x` of generalised least squares (Aitken 1936): the one with the smallest
    /// `χ² = (y - α - β x)ᵀ C⁻¹ (y - α - β x)`, where C has the covariances of the points' y, row by row. Where the points
    /// are independent, C is diagonal and this is least squares with the weights `1 / variance`.
    ///
    /// The interval is β ± 1.96 σ with `σ² = 1 / ((x - x̄)ᵀ C⁻¹ (x - x̄))`. If the points lie further from the line than C
    /// explains, because the truth is not a line, σ² is multiplied by `χ² / (n - 2)` (Birge 1932). With few points that
    /// factor is itself uncertain: where the scatter is large, 5 points cover the slope less than 95 % of the time.
    ///
    /// `None` if there are fewer than two different x, or numbers that are not finite.
    ///
    /// ```
    /// use alfil_arena::stats::Slope;
    ///
    /// // Equal weights: the slope is Σ (x - x̄)(y - ȳ) / Σ (x - x̄)² = 4 / 2, and σ² = 9 / 2.
    /// let points = [(1.0, 10.0), (2.0, 12.0), (3.0, 14.0)];
    /// let found = Slope::of(&points, &[[9.0, 0.0, 0.0], [0.0, 9.0, 0.0], [0.0, 0.0, 9.0]]).unwrap();
    /// assert!((found.slope - 2.0).abs() < 1e-12 && (found.high - 2.0 - 1.96 * 4.5f64.sqrt()).abs() < 1e-3);
    /// ```
    pub fn of(points: &[(f64, f64)], covariances: &[impl AsRef<[f64]>]) -> Option<Slope> {
        let size = points.len();
        let matrix: Vec<f64> = covariances.iter().flat_map(|row| row.as_ref().iter().copied()).collect();
        let numbers = points.iter().flat_map(|(x, y)| [x, y]).chain(&matrix);
        let is_finite = numbers.copied().all(f64::is_finite);
        if matrix.len() != size * size || !is_finite || points.windows(2).all(|two| two[0].0 == two[1].0) {
            return None;
        }
        let covariances = Cholesky::new(size, matrix);
        // aᵀ C⁻¹ b
        let product = |a: &[f64], b: &[f64]| {
            let mut solved = b.to_vec();
            covariances.solve(&mut solved);
            a.iter().zip(&solved).map(|(a, b)| a * b).sum::<f64>()
        };
        let (x, y): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
        let ones = vec![1.0; size];
        let weight = product(&ones, &ones);
        let mean = (product(&ones, &x) / weight, product(&ones, &y) / weight);
        let x: Vec<f64> = x.iter().map(|x| x - mean.0).collect();
        let spread = product(&x, &x);
        let slope = product(&x, &y) / spread;
        let rest: Vec<f64> = x.iter().zip(&y).map(|(x, y)| y - mean.1 - slope * x).collect();
        let scatter = if size > 2 { (product(&rest, &rest) / (size - 2) as f64).max(1.0) } else { 1.0 };
        let half = TWO_SIDED_95 * (scatter / spread).sqrt();
        let found = Slope { slope, low: slope - half, high: slope + half, mean };
        [slope, half, mean.0, mean.1].into_iter().all(f64::is_finite).then_some(found)
    }

    /// The line's y at x.
    pub fn at(&self, x: f64) -> f64 {
        self.mean.1 + self.slope * (x - self.mean.0)
    }
}
