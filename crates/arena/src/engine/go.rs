//! How long an engine thinks.

use std::time::Duration;

/// The limits of an engine's search. At least one of them is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// Time for a move.
    pub movetime: Option<Duration>,
    /// Positions to search.
    pub nodes: Option<u64>,
    /// Plies to look ahead.
    pub depth: Option<u32>,
    /// Time for the game, and the increment per move.
    pub clock: Option<(Duration, Duration)>,
}

impl Go {
    /// The command. `left` is what is left of the clock. The opponent may have no clock, so both sides get the same
    /// times.
    pub fn command(&self, left: Duration) -> String {
        let mut text = "go".to_owned();
        if let Some((_, increment)) = self.clock {
            let (left, increment) = (left.as_millis().max(1), increment.as_millis());
            text += &format!(" wtime {left} btime {left} winc {increment} binc {increment}");
        }
        if let Some(time) = self.movetime {
            text += &format!(" movetime {}", time.as_millis().max(1));
        }
        if let Some(nodes) = self.nodes {
            text += &format!(" nodes {nodes}");
        }
        if let Some(depth) = self.depth {
            text += &format!(" depth {depth}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_written_as_in_uci() {
        let go = Go { movetime: Some(Duration::from_secs_f64(0.05)), nodes: Some(9), depth: Some(3), clock: None };
        assert_eq!(go.command(Duration::ZERO), "go movetime 50 nodes 9 depth 3");
        let go = Go { clock: Some((Duration::from_secs(10), Duration::from_millis(100))), ..Go::default() };
        assert_eq!(go.command(Duration::from_secs(7)), "go wtime 7000 btime 7000 winc 100 binc 100");
    }
}
