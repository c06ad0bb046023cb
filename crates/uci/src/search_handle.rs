//! A search for a move, and how other threads control it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use alfil_game::{FullGame, Side};
use alfil_search::parallel::Control;

use crate::clock::Clock;
use crate::command::Go;
use crate::options::Options;

/// A search that other threads can control.
#[derive(Default)]
pub(crate) struct SearchHandle {
    pub control: Control,
    /// Whether it runs in the opponent's time, or without limit: then the move must wait for a command.
    held: AtomicBool,
    pondering: AtomicBool,
    /// Time for the move, once it is known.
    allotted: Mutex<Option<Duration>>,
    done: AtomicBool,
}

impl SearchHandle {
    pub fn new(go: &Go) -> SearchHandle {
        let handle = SearchHandle::default();
        handle.held.store(go.infinite || go.ponder, Ordering::Relaxed);
        handle.pondering.store(go.ponder, Ordering::Relaxed);
        handle
    }

    pub fn finish(&self) {
        self.done.store(true, Ordering::Release);
    }

    pub fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    /// Whether the move has to wait for a command.
    pub fn is_held(&self) -> bool {
        self.held.load(Ordering::Relaxed) && !self.control.is_stopped()
    }

    /// The opponent has played the expected move: the clock runs from now on.
    pub fn hit(&self) {
        let allotted = self.allotted.lock().unwrap_or_else(|broken| broken.into_inner());
        if self.pondering.swap(false, Ordering::Relaxed) {
            self.held.store(false, Ordering::Relaxed);
            self.control.set_deadline(allotted.map(|time| Instant::now() + time));
        }
    }

    /// Sets the time for the move, whose search began at `begun`.
    pub fn allot(&self, time: Option<Duration>, begun: Instant) {
        let mut allotted = self.allotted.lock().unwrap_or_else(|broken| broken.into_inner());
        *allotted = time;
        if !self.pondering.load(Ordering::Relaxed) {
            self.control.set_deadline(time.map(|time| begun + time));
        }
    }
}

/// A position to search, and how.
pub(crate) struct Task<G: FullGame> {
    pub options: Options,
    pub start: G,
    pub moves: Vec<G::Move>,
    pub go: Go,
    pub only: Vec<G::Move>,
    pub handle: Arc<SearchHandle>,
    pub begun: Instant,
}

impl<G: FullGame> Task<G> {
    /// The time for the move, and whether it may be less if the best move can no longer change.
    pub fn time(&self, side: Side, latency: Duration) -> (Option<Duration>, bool) {
        let Task { options, go, .. } = self;
        let overhead = Duration::from_millis(options.move_overhead.into());
        if go.infinite {
            return (None, false);
        }
        if let Some(time) = go.move_time {
            // Early enough for programs that insist on the time to the millisecond.
            return (Some(time.saturating_sub(overhead.min(time / 5)).saturating_sub(latency.min(time / 5))), false);
        }
        let index = if side == Side::First { 0 } else { 1 };
        let Some(left) = go.time[index] else { return (None, false) };
        let clock = Clock { left, increment: go.increment[index], moves_to_go: go.moves_to_go };
        (Some(clock.allot(overhead, latency)), true)
    }
}
