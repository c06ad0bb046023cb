//! Expected values against results.

use alfil_core::numbers::{count, number};
use alfil_core::svg::{Axis, Unit};

use super::figure::{figure, nothing, picture, plot};

/// The radius of the largest dot.
const LARGEST: f64 = 16.0;

/// Dots for ranges of the expected value: the number of positions, the mean expected value and the mean result. A well
/// calibrated network has them on the diagonal.
pub fn calibration(title: &str, note: &str, ranges: &[[f64; 3]]) -> String {
    let counts = |range: &&[f64; 3]| range[0] > 0.0 && range.iter().all(|number| number.is_finite());
    let ranges: Vec<&[f64; 3]> = ranges.iter().filter(counts).collect();
    let most = ranges.iter().map(|range| range[0]).fold(0.0, f64::max);
    if ranges.is_empty() {
        return nothing(title, "Nothing has been measured yet.");
    }
    let axis = Axis::between(-1.0, 1.0, 0.5);
    let plot = plot(axis, axis, 320.0, 0.0);
    let mut picture = picture(&plot, title, "expected result", Unit::Number);
    picture.line("level", [(plot.left, plot.bottom), (plot.right, plot.top)]);
    for [positions, expected, happened] in ranges {
        let text = format!(
            "expected {}, result {}\n{} positions",
            number(*expected),
            number(*happened),
            count(*positions as u64)
        );
        let radius = (LARGEST * (positions / most).sqrt()).max(2.0);
        picture.dot("dot c1", plot.at(*expected, *happened), radius, &text);
    }
    figure(title, note, &[], &picture.finish())
}
