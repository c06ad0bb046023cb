//! Ending a search from another thread.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::{Duration, Instant};

/// Ends a search at once or at a deadline, which may be set while it runs.
#[derive(Debug)]
pub struct Control {
    stopped: AtomicBool,
    made: Instant,
    /// Microseconds since this was made.
    deadline: AtomicU64,
}

const NEVER: u64 = u64::MAX;

impl Default for Control {
    fn default() -> Control {
        Control { stopped: AtomicBool::new(false), made: Instant::now(), deadline: AtomicU64::new(NEVER) }
    }
}

impl Control {
    /// Ends the search as soon as possible.
    pub fn stop(&self) {
        self.stopped.store(true, Relaxed);
    }

    /// Whether it has been told to end.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    /// Sets the time at which the search ends, or none.
    pub fn set_deadline(&self, deadline: Option<Instant>) {
        let after = |deadline: Instant| deadline.saturating_duration_since(self.made).as_micros();
        let micros = deadline.and_then(|deadline| u64::try_from(after(deadline)).ok()).unwrap_or(NEVER);
        self.deadline.store(micros, Relaxed);
    }

    /// The time at which the search ends, if there is one.
    pub fn deadline(&self) -> Option<Instant> {
        let micros = Some(self.deadline.load(Relaxed)).filter(|micros| *micros != NEVER)?;
        self.made.checked_add(Duration::from_micros(micros))
    }
}
