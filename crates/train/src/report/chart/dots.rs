//! What was expected against what happened.

use std::fmt::Write;

use super::plot::{Plot, figure, nothing};
use super::{Axis, Unit};
use crate::report::text::{count, escape, number};

/// The radius of the largest dot.
const LARGEST: f64 = 16.0;

/// Dots for ranges of what was expected: how many positions, what is expected there on average, and what happened. A network
/// that knows what it knows has them on the diagonal.
pub fn calibration(title: &str, note: &str, ranges: &[[f64; 3]]) -> String {
    let counts = |range: &&[f64; 3]| range[0] > 0.0 && range.iter().all(|number| number.is_finite());
    let ranges: Vec<&[f64; 3]> = ranges.iter().filter(counts).collect();
    let most = ranges.iter().map(|range| range[0]).fold(0.0, f64::max);
    if ranges.is_empty() {
        return nothing(title, "Nothing has been measured yet.");
    }
    let axis = Axis::between(-1.0, 1.0, 0.5);
    let plot = Plot { x: axis, y: axis, height: 320.0, names: 0.0 };
    let mut inside = format!(
        "<path class=\"level\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>\n",
        plot.left(),
        plot.bottom(),
        plot.right(),
        plot.top()
    );
    for [positions, expected, happened] in ranges {
        let text = format!(
            "expected {}, happened {}\n{} positions",
            number(*expected),
            number(*happened),
            count(*positions as u64)
        );
        let _ = writeln!(
            inside,
            "<circle class=\"dot c1\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"{:.1}\"><title>{}</title></circle>",
            plot.x(*expected),
            plot.y(*happened),
            (LARGEST * (positions / most).sqrt()).max(2.0),
            escape(&text)
        );
    }
    figure(title, note, &[], &plot.svg(title, "expected result", Unit::Number, &inside))
}
