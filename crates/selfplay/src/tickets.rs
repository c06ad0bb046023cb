//! Which games are to be played.

use std::sync::{Mutex, PoisonError};

/// Numbers of games that may still begin. What has begun is played to its end: stopping at the first so many that end would
/// prefer short games.
pub struct Tickets(Mutex<Box<dyn Iterator<Item = u64> + Send>>);

impl Tickets {
    /// So many games, numbered from 0.
    pub fn new(games: u64) -> Tickets {
        Tickets::of(0..games)
    }

    /// Games without end, numbered from 0.
    pub fn endless() -> Tickets {
        Tickets::of(0..)
    }

    /// The games with these numbers: what is still missing after an interruption, or another part of a run.
    pub fn of(numbers: impl IntoIterator<Item = u64, IntoIter: Send + 'static>) -> Tickets {
        Tickets(Mutex::new(Box::new(numbers.into_iter())))
    }

    /// Lets no more games begin.
    pub fn stop(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Box::new(std::iter::empty());
    }

    /// The number of the next game to begin.
    pub fn take(&self) -> Option<u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).next()
    }
}
