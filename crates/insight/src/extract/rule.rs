//! Which moves are mistakes.

use serde::{Deserialize, Serialize};

/// From here on, in hundredths of a pawn, a position is won, and completely won.
const WON: i32 = 250;
const COMPLETELY_WON: i32 = 500;

/// The thesis's rule for mistakes. A move is one if it loses more than the threshold, which is doubled where the game is nearly
/// decided; where it is decided, nothing is a mistake.
///
/// The text of the thesis doubles the threshold for positions that were won before the move. That seems to be a slip for lost ones:
/// its other rules come in pairs. It also lets a shallow search call its own move a mistake, once it sees a move further. `is_literal`
/// follows the text in both.
///
/// ```
/// use alfil_insight::Criterion;
///
/// let rule = Criterion::default();
/// assert!(rule.is_mistake(300, 240, false) && !rule.is_mistake(-300, -380, false));
/// assert!(!rule.is_mistake(300, 240, true));
/// let literal = Criterion { is_literal: true, ..rule };
/// assert!(!literal.is_mistake(300, 240, false) && literal.is_mistake(-300, -380, false));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Criterion {
    /// Hundredths of a pawn that a mistake loses more of.
    pub threshold: i32,
    /// Whether the threshold is doubled where the position was won, and not where it was lost, and moves count that the judge
    /// expected.
    pub is_literal: bool,
}

impl Default for Criterion {
    /// Half a pawn.
    fn default() -> Criterion {
        Criterion { threshold: 50, is_literal: false }
    }
}

impl Criterion {
    /// Whether a move is a mistake, by what the position is worth to the mover before and after it, in hundredths of a pawn, and
    /// whether the judge expected it.
    pub fn is_mistake(&self, before: i32, after: i32, is_expected: bool) -> bool {
        if after > COMPLETELY_WON || before < -COMPLETELY_WON || is_expected && !self.is_literal {
            return false;
        }
        let was_nearly_decided = if self.is_literal { before > WON } else { before < -WON };
        let threshold = if after > WON || was_nearly_decided { 2 * self.threshold } else { self.threshold };
        before - after > threshold
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn both_readings_of_the_text() {
        let symmetric = Criterion::default();
        let literal = Criterion { is_literal: true, ..symmetric };
        for (before, after, by_symmetry, by_text) in [
            (20, -30, false, false),
            (20, -31, true, true),
            (300, 240, true, false),
            (-300, -380, false, true),
            (600, 520, false, false),
            (600, 400, true, true),
            (600, 500, false, false),
            (600, 499, true, true),
            (-520, -900, false, false),
            (-500, -601, true, true),
            (400, 310, false, false),
            (400, 290, true, true),
            (0, -9_998, true, true),
            (9_997, 10_000, false, false),
            (9_997, 300, true, true),
        ] {
            assert_eq!(symmetric.is_mistake(before, after, false), by_symmetry, "{before} {after}");
            assert_eq!(literal.is_mistake(before, after, false), by_text, "{before} {after}");
            assert_eq!(literal.is_mistake(before, after, true), by_text);
            assert!(!symmetric.is_mistake(before, after, true), "the judge's own move");
        }
    }

    proptest! {
        /// Worse moves are worse: what is a mistake stays one if more is lost, until the position before was lost anyway.
        #[test]
        fn losing_more_is_no_excuse(before in -600..600i32, after in -600..600i32, more in 0..500i32, is_literal: bool) {
            let rule = Criterion { is_literal, ..Criterion::default() };
            prop_assert!(!rule.is_mistake(before, after, false) || rule.is_mistake(before, after - more, false));
        }
    }
}
