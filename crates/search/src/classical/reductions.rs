//! How many plies less deep late quiet moves are searched.

use std::sync::LazyLock;

/// Depths and numbers of moves from here on count as the last one.
const MOST: usize = 256;

static LOGARITHMS: LazyLock<[f64; MOST]> = LazyLock::new(|| std::array::from_fn(|number| (number.max(1) as f64).ln()));

/// More the later the move comes, less if it has been good before: `history` is its score from minus to plus 16,384. The depth is at
/// least 2.
pub(super) fn late(depth: u32, number: usize, history: i32, zero_window: bool) -> u32 {
    let logarithm = |number: usize| LOGARITHMS[number.min(MOST - 1)];
    let late = logarithm(depth as usize) * logarithm(number) / 2.2;
    let good = f64::from(history) / 8_000.0;
    let narrow = if zero_window { 0.4 } else { -0.4 };
    (late + narrow - good).max(0.0).min(f64::from(depth - 2)) as u32
}
