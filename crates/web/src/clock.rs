//! The clock of a game.

use std::time::{Duration, Instant};

use alfil_game::Side;
use serde::{Deserialize, Serialize};

use crate::error::ApiError;

/// Seconds that a side may have at the beginning, and get for every move.
const MOST_SECONDS: u32 = 6 * 3_600;
const MOST_INCREMENT: u32 = 600;

/// The time that both sides have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockSettings {
    /// Seconds at the beginning.
    seconds: u32,
    /// Seconds for every move.
    #[serde(default)]
    increment: u32,
}

impl ClockSettings {
    pub fn check(&self) -> Result<(), ApiError> {
        match (1..=MOST_SECONDS).contains(&self.seconds) && self.increment <= MOST_INCREMENT {
            true => Ok(()),
            false => Err(ApiError::wrong(format!(
                "a clock has from 1 to {MOST_SECONDS} seconds, and an increment of at most {MOST_INCREMENT}"
            ))),
        }
    }

    /// As PGN writes it.
    pub fn time_control(&self) -> String {
        format!("{}+{}", self.seconds, self.increment)
    }
}

/// The time that both sides have left.
#[derive(Clone, Debug)]
pub struct GameClock {
    settings: ClockSettings,
    /// By side, without the time that has passed since `running`.
    left: [Duration; 2],
    running: Option<(Side, Instant)>,
}

/// A clock as the page shows it.
#[derive(Clone, Debug, Serialize)]
pub struct ClockView {
    #[serde(flatten)]
    settings: ClockSettings,
    /// Seconds that each side has left.
    left: [f64; 2],
    /// The side whose time passes.
    running: Option<usize>,
}

impl GameClock {
    pub fn new(settings: ClockSettings) -> GameClock {
        let whole = Duration::from_secs(settings.seconds.into());
        GameClock { settings, left: [whole; 2], running: None }
    }

    /// The time that a side has left.
    pub fn left(&self, side: Side, now: Instant) -> Duration {
        let passed = match self.running {
            Some((running, since)) if running == side => now.saturating_duration_since(since),
            _ => Duration::ZERO,
        };
        self.left[side as usize].saturating_sub(passed)
    }

    /// Lets the time of one side pass from now on, or of none.
    pub fn run(&mut self, side: Option<Side>, now: Instant) {
        for side in [Side::First, Side::Second] {
            self.left[side as usize] = self.left(side, now);
        }
        self.running = side.map(|side| (side, now));
    }

    /// Gives a side what it gets for a move. The first moves are made before anybody's time passes.
    pub fn moved(&mut self, side: Side) {
        if self.running.is_some_and(|(running, _)| running == side) {
            self.left[side as usize] += Duration::from_secs(self.settings.increment.into());
        }
    }

    /// The side whose time is over.
    pub fn fallen(&self, now: Instant) -> Option<Side> {
        let (side, _) = self.running?;
        self.left(side, now).is_zero().then_some(side)
    }

    pub fn settings(&self) -> ClockSettings {
        self.settings
    }

    pub fn view(&self, now: Instant) -> ClockView {
        let left = [Side::First, Side::Second].map(|side| self.left(side, now).as_secs_f64());
        ClockView { settings: self.settings, left, running: self.running.map(|(side, _)| side as usize) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes_for_the_side_that_is_to_move_and_moves_give_some_back() {
        let began = Instant::now();
        let after = |seconds| began + Duration::from_secs(seconds);
        let left = |clock: &GameClock, seconds| {
            [Side::First, Side::Second].map(|side| clock.left(side, after(seconds)).as_secs())
        };
        let mut clock = GameClock::new(ClockSettings { seconds: 60, increment: 5 });
        clock.moved(Side::First);
        assert_eq!(left(&clock, 100), [60, 60], "nobody's time passes yet");
        clock.run(Some(Side::Second), after(100));
        assert_eq!(left(&clock, 120), [60, 40]);
        clock.moved(Side::Second);
        clock.run(Some(Side::First), after(120));
        assert_eq!((left(&clock, 130), clock.fallen(after(179))), ([50, 45], None));
        // Nobody watches.
        clock.run(None, after(130));
        assert_eq!((left(&clock, 500), clock.fallen(after(500))), ([50, 45], None));
        clock.run(Some(Side::First), after(500));
        assert_eq!((clock.fallen(after(550)), left(&clock, 600)), (Some(Side::First), [0, 45]));
    }

    #[test]
    fn clocks_have_limits() {
        let check = |seconds, increment| ClockSettings { seconds, increment }.check().is_ok();
        assert!(check(1, 0) && check(MOST_SECONDS, MOST_INCREMENT));
        assert!(!check(0, 5) && !check(MOST_SECONDS + 1, 0) && !check(60, MOST_INCREMENT + 1));
    }
}
