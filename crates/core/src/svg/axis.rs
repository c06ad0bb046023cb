//! From numbers to places on an axis.

use crate::numbers::{LARGEST_WRITTEN_OUT, minus, number};

/// Numbers beyond this, in either direction, lie at the end of an axis. The differences of those within are finite.
const LARGEST: f64 = 1e300;

/// A range of numbers with round ticks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    low: f64,
    high: f64,
    step: f64,
}

/// How the numbers of an axis are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// As they are.
    Number,
    /// In percent.
    Share,
    /// In whole points.
    Elo,
}

impl Axis {
    /// Holds all of the numbers that are finite, from tick to tick, with at least `ticks` ticks.
    pub fn around(numbers: impl IntoIterator<Item = f64>, ticks: u32) -> Axis {
        let (low, high) = ends(numbers).unwrap_or((0.0, 1.0));
        // Equal numbers need some room around them.
        let room = if high - low > 1e-9 * high.abs().max(1e-3) { 0.0 } else { (high.abs() / 10.0).max(1e-3) };
        let (low, high) = (low - if low == 0.0 { 0.0 } else { room }, high + room);
        let step = round_step((high - low) / f64::from(ticks.max(1)));
        Axis { low: (low / step).floor() * step, high: (high / step).ceil() * step, step }
    }

    /// Just this range, from a low end to a higher one.
    pub const fn between(low: f64, high: f64, step: f64) -> Axis {
        Axis { low, high, step }
    }

    /// Whole numbers, with half of one to spare on both sides.
    pub fn whole(numbers: impl IntoIterator<Item = u32>) -> Axis {
        let (low, high) = ends(numbers.into_iter().map(f64::from)).unwrap_or((0.0, 1.0));
        Axis { low: low - 0.5, high: high + 0.5, step: round_step((high - low) / 3.9).max(1.0) }
    }

    /// Where a number lies: 0 at the low end, 1 at the high end. Those beyond the ends lie at the ends, NaN at the low
    /// end.
    pub fn part(&self, number: f64) -> f64 {
        let part = (number - self.low) / (self.high - self.low);
        if part.is_nan() { 0.0 } else { part.clamp(0.0, 1.0) }
    }

    /// Multiples of the step.
    pub fn ticks(&self) -> impl Iterator<Item = f64> {
        let step = self.step;
        // Less than a millionth of a step is rounding.
        let first = (self.low / step - 1e-6).ceil();
        let last = (self.high / step + 1e-6).floor();
        (0..=(last - first).max(0.0) as u32).map(move |index| (first + f64::from(index)) * step)
    }

    /// The text of a tick.
    pub fn label(&self, tick: f64, unit: Unit) -> String {
        // Not -0.
        let tick = if tick.abs() < self.step / 2.0 { 0.0 } else { tick };
        let digits = |step: f64| (-(step * 1.000_001).log10().floor()).clamp(0.0, 9.0) as usize;
        let largest = self.high.abs().max(self.low.abs());
        match unit {
            _ if tick == 0.0 && self.step >= 1.0 => "0".to_owned(),
            _ if largest >= LARGEST_WRITTEN_OUT => number(tick),
            // No share is so large, but a damaged file may say so.
            Unit::Share if largest >= 1e6 => number(tick),
            Unit::Share => format!("{:.*} %", digits(100.0 * self.step), 100.0 * tick),
            _ if largest >= 1e7 => format!("{}M", number(tick / 1e6)),
            _ if largest >= 1e4 => format!("{}k", number(tick / 1e3)),
            _ => minus(&format!("{tick:.*}", digits(self.step))),
        }
    }
}

/// The smallest and the largest of the finite numbers.
fn ends(numbers: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = numbers.into_iter().filter(|number| number.is_finite());
    let finite = finite.map(|number| number.clamp(-LARGEST, LARGEST));
    finite.map(|number| (number, number)).reduce(|(low, high), (number, _)| (low.min(number), high.max(number)))
}

/// The largest of 1, 2, 5 times a power of ten that is not larger than `most`.
fn round_step(most: f64) -> f64 {
    if most <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(most.log10().floor());
    let step = [5.0, 2.0].map(|times| times * power).into_iter().find(|step| *step <= most * 1.000_001);
    step.unwrap_or(power)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_lie_in_order_from_end_to_end() {
        let axis = Axis::around([0.0, 10.0], 4);
        assert_eq!([-1.0, 0.0, 5.0, 10.0, 1e300].map(|number| axis.part(number)), [0.0, 0.0, 0.5, 1.0, 1.0]);
        assert_eq!([f64::NAN, f64::NEG_INFINITY, f64::INFINITY].map(|number| axis.part(number)), [0.0, 0.0, 1.0]);
    }

    /// Whether an axis around these numbers can be drawn: few ticks, all finite and inside, with short labels.
    fn can_be_drawn(axis: Axis, numbers: &[f64]) -> bool {
        let ticks: Vec<f64> = axis.ticks().take(100).collect();
        let inside = |number: &f64| (0.0..=1.0).contains(&axis.part(*number));
        let label = |tick: &f64| [Unit::Number, Unit::Share, Unit::Elo].map(|unit| axis.label(*tick, unit));
        (2..=25).contains(&ticks.len())
            && ticks.iter().all(|tick| tick.is_finite())
            && ticks.iter().chain(numbers).all(inside)
            && ticks.iter().flat_map(label).all(|label| label.chars().count() <= 16 && !label.contains("NaN"))
    }

    proptest! {
        /// Metrics come from a file, and networks can diverge: no numbers at all may break a chart.
        #[test]
        fn any_numbers_can_be_drawn(numbers in proptest::collection::vec(proptest::num::f64::ANY, 0..6), ticks in 1u32..10) {
            let axis = Axis::around(numbers.iter().copied(), ticks);
            prop_assert!(can_be_drawn(axis, &numbers), "{:?} {:?}", axis, axis.ticks().take(30).collect::<Vec<_>>());
        }

        /// Numbers that are nearly equal, at any distance from 0.
        #[test]
        fn any_narrow_range_can_be_drawn(number in proptest::num::f64::ANY, part in -1e-6..1e-6f64) {
            let numbers = [number, number + number * part, number * (1.0 + f64::EPSILON)];
            let axis = Axis::around(numbers, 4);
            prop_assert!(can_be_drawn(axis, &numbers), "{:?} {:?}", axis, axis.ticks().take(30).collect::<Vec<_>>());
        }

        #[test]
        fn any_whole_numbers_can_be_drawn(numbers in proptest::collection::vec(proptest::num::u32::ANY, 0..6)) {
            let axis = Axis::whole(numbers.iter().copied());
            let numbers: Vec<f64> = numbers.into_iter().map(f64::from).collect();
            prop_assert!(numbers.len() < 2 || can_be_drawn(axis, &numbers), "{:?}", axis);
        }
    }

    #[test]
    fn ticks_are_round_few_and_inside() {
        let lists: [&[f64]; 12] = [
            &[],
            &[0.0],
            &[0.002],
            &[-3.0, 1200.0, f64::INFINITY],
            &[1.0, 1.0],
            &[0.97, 0.99],
            &[1e-9, 2e-9],
            &[f64::NAN],
            &[1e300],
            &[f64::MIN, f64::MAX],
            &[0.0, 1e-320],
            &[1e18, 1e18 + 1e3],
        ];
        for numbers in lists {
            let axis = Axis::around(numbers.iter().copied(), 4);
            let ticks: Vec<f64> = axis.ticks().collect();
            assert!((2..=13).contains(&ticks.len()), "{numbers:?}: {ticks:?}");
            for part in ticks.iter().chain(numbers).map(|tick| axis.part(*tick)) {
                assert!((0.0..=1.0).contains(&part), "{numbers:?}: {axis:?}");
            }
            for unit in [Unit::Number, Unit::Share, Unit::Elo] {
                let longest = ticks.iter().map(|tick| axis.label(*tick, unit).chars().count()).max().unwrap();
                assert!(longest <= 14, "{numbers:?}: {axis:?}");
            }
        }
        let axis = Axis::around([0.0, 245_000.0], 4);
        assert_eq!(axis.ticks().map(|tick| axis.label(tick, Unit::Number)).last().unwrap(), "250k");
        let axis = Axis::between(-1.0, 1.0, 0.5);
        let labels: Vec<String> = axis.ticks().map(|tick| axis.label(tick, Unit::Number)).collect();
        assert_eq!(labels, ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
        let axis = Axis::whole([1, 200]);
        assert_eq!(axis.ticks().map(|tick| axis.label(tick, Unit::Number)).last().unwrap(), "200");
    }
}
