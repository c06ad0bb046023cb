//! Commanding a search from another thread.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

/// Ends a search at once or at a time that may be told while it runs.
#[derive(Debug, Default)]
pub struct Control {
    stopped: AtomicBool,
    deadline: Mutex<Option<Instant>>,
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
        // A thread that broke while it held the lock left a whole value behind.
        *self.deadline.lock().unwrap_or_else(|broken| broken.into_inner()) = deadline;
    }

    /// The time at which the search ends, if there is one.
    pub fn deadline(&self) -> Option<Instant> {
        *self.deadline.lock().unwrap_or_else(|broken| broken.into_inner())
    }
}
