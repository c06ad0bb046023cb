//! How many games are to be played.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

/// Games that may still begin. What has begun is played to its end: stopping at the first so many that end would prefer short
/// games.
pub struct Tickets(AtomicI64);

impl Tickets {
    /// So many games.
    pub fn new(games: u64) -> Tickets {
        Tickets(AtomicI64::new(i64::try_from(games).unwrap_or(i64::MAX)))
    }

    /// Games without end.
    pub fn endless() -> Tickets {
        Tickets::new(u64::MAX)
    }

    /// Lets no more games begin.
    pub fn stop(&self) {
        self.0.store(0, Relaxed);
    }

    pub(crate) fn take(&self) -> bool {
        self.0.fetch_update(Relaxed, Relaxed, |left| (left > 0).then(|| left - 1)).is_ok()
    }
}
