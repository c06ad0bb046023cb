//! Measured numbers with their intervals.

use serde::{Deserialize, Serialize};

/// Standard errors on either side of a 95 % interval.
const WIDTH: f64 = 1.96;

/// A number that was measured on a sample, with its 95 % interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Measured {
    /// What was found on the sample.
    pub value: f64,
    /// The low end of the interval.
    pub low: f64,
    /// Its high end.
    pub high: f64,
    /// The size of the sample.
    pub count: u64,
}

impl Measured {
    /// A mean. `None` of an empty sample.
    pub fn mean(sample: &[f64]) -> Option<Measured> {
        let count = sample.len() as f64;
        let mean = sample.iter().sum::<f64>() / count;
        let variance = sample.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
        let half = WIDTH * (variance / count).sqrt();
        (!sample.is_empty()).then_some(Measured {
            value: mean,
            low: mean - half,
            high: mean + half,
            count: sample.len() as u64,
        })
    }

    /// The share of `part` in `count`, with Wilson's interval. `None` if `count` is 0.
    pub fn share(part: u64, count: u64) -> Option<Measured> {
        let (n, value) = (count as f64, part as f64 / count as f64);
        let z2 = WIDTH * WIDTH;
        let centre = (value + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = WIDTH / (1.0 + z2 / n) * (value * (1.0 - value) / n + z2 / (4.0 * n * n)).sqrt();
        let [low, high] = [centre - half, centre + half].map(|end| end.clamp(0.0, 1.0));
        (count > 0).then_some(Measured { value, low, high, count })
    }

    /// Pearson's correlation, with Fisher's interval. `None` if either number is always the same.
    pub fn correlation(points: &[(f64, f64)]) -> Option<Measured> {
        let count = points.len() as f64;
        let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / count;
        let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / count;
        let sum =
            |term: &dyn Fn(f64, f64) -> f64| points.iter().map(|(x, y)| term(x - mean_x, y - mean_y)).sum::<f64>();
        let (xx, yy, xy) = (sum(&|x, _| x * x), sum(&|_, y| y * y), sum(&|x, y| x * y));
        if points.len() < 4 || xx <= f64::EPSILON * count || yy <= f64::EPSILON * count {
            return None;
        }
        let value = (xy / (xx * yy).sqrt()).clamp(-1.0, 1.0);
        let half = WIDTH / (count - 3.0).sqrt();
        // The largest number whose atanh is finite bounds the rest.
        let z = value.clamp(-1.0 + 1e-12, 1.0 - 1e-12).atanh();
        Some(Measured { value, low: (z - half).tanh(), high: (z + half).tanh(), count: points.len() as u64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_near(found: Option<Measured>, expected: [f64; 3]) -> bool {
        let found = found.unwrap();
        [found.value, found.low, found.high]
            .iter()
            .zip(expected)
            .all(|(found, expected)| (found - expected).abs() < 1e-3)
    }

    #[test]
    fn intervals_are_those_of_textbooks() {
        // Mean 5, sample deviation 2.138, standard error 0.756.
        let sample = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        assert!(is_near(Measured::mean(&sample), [5.0, 3.518, 6.482]));
        // Wilson's interval for 10 of 100 and for 0 of 20.
        assert!(is_near(Measured::share(10, 100), [0.1, 0.0552, 0.1744]));
        assert!(is_near(Measured::share(0, 20), [0.0, 0.0, 0.1611]));
        let points = [(1.0, 2.0), (2.0, 1.0), (3.0, 4.0), (4.0, 3.0), (5.0, 6.0), (6.0, 5.0)];
        assert!(is_near(Measured::correlation(&points), [0.8286, 0.0519, 0.9807]));
        let mirrored = points.map(|(x, y)| (x, -y));
        assert!(is_near(Measured::correlation(&mirrored), [-0.8286, -0.9807, -0.0519]));
    }

    #[test]
    fn what_cannot_be_measured_is_none() {
        assert_eq!((Measured::mean(&[]), Measured::share(0, 0), Measured::correlation(&[])), (None, None, None));
        assert_eq!(Measured::correlation(&[(1.0, 0.0), (1.0, 1.0), (1.0, 2.0), (1.0, 3.0)]), None);
        let line = Measured::correlation(&[(0.0, 0.0), (1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]).unwrap();
        assert!(line.value == 1.0 && line.low.is_finite() && line.high.is_finite(), "{line:?}");
    }
}
