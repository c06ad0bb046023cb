//! Time management.

use std::time::Duration;

/// A chess clock as the engine sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Time left.
    pub left: Duration,
    /// Time added per move.
    pub increment: Duration,
    /// Moves to the next time control, if there is one.
    pub moves_to_go: Option<u32>,
}

/// A game is expected to last this many more moves, at any point.
const MOVES_AHEAD: u32 = 30;

impl Clock {
    /// The time for the next move. `overhead` is lost in communication between the program and the engine, and
    /// `latency` is how late a search may notice that its time is up.
    ///
    /// A share of what is left and most of the increment; never so much that the clock could run out.
    pub fn allot(&self, overhead: Duration, latency: Duration) -> Duration {
        let usable = self.left.saturating_sub(overhead).saturating_sub(latency);
        let moves = self.moves_to_go.map_or(MOVES_AHEAD, |moves| moves.clamp(1, MOVES_AHEAD));
        let share = usable / moves + self.increment.mul_f64(0.75);
        // Even the last move before a time control leaves something for a slow program.
        share.min(usable.mul_f64(if moves == 1 { 0.8 } else { 0.4 }))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn time_is_allotted() {
        let clock = Clock { left: ms(60_050), increment: ms(0), moves_to_go: None };
        assert_eq!(clock.allot(ms(50), ms(0)), ms(2_000));
        let clock = Clock { left: ms(60_050), increment: ms(1_000), moves_to_go: None };
        assert_eq!(clock.allot(ms(50), ms(0)), ms(2_750));
        let last = Clock { left: ms(1_050), increment: ms(0), moves_to_go: Some(1) };
        assert_eq!(last.allot(ms(50), ms(0)), ms(800));
        let gone = Clock { left: ms(10), increment: ms(1_000), moves_to_go: None };
        assert_eq!(gone.allot(ms(50), ms(0)), ms(0));
    }

    proptest! {
        /// Whatever delays there are, within the overhead and the latency, the clock never runs out.
        #[test]
        fn the_clock_never_runs_out(
            base in 200u64..100_000, increment in 0u64..2_000, to_go in prop::option::of(1u32..60),
            overhead in 10u64..200, latency in 0u64..100, losses in prop::collection::vec(0.0f64..1.0, 200),
        ) {
            let mut left = ms(base) + ms(overhead + latency);
            for (number, loss) in (0u32..).zip(&losses) {
                let moves_to_go = to_go.map(|moves| moves - number % moves);
                let clock = Clock { left, increment: ms(increment), moves_to_go };
                let took = clock.allot(ms(overhead), ms(latency)) + (ms(overhead + latency)).mul_f64(*loss);
                // A clock that had room for the overhead when the move began has not run out.
                prop_assert!(left <= ms(overhead + latency) || took <= left, "{took:?} of {left:?}");
                left = left.saturating_sub(took) + ms(increment);
                if moves_to_go == Some(1) {
                    left += ms(base);
                }
            }
        }
    }
}
