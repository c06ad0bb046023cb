//! Which games are to be played.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Numbers of games that may still begin. Games that have begun are played to the end: stopping as soon as enough games
/// have ended would favour short ones.
pub struct Tickets(Mutex<Rest>);

struct Rest {
    numbers: Box<dyn Iterator<Item = u64> + Send>,
    /// How many of them may begin for now.
    allowed: u64,
}

/// The answer to a game that wants to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ticket {
    /// It may, with this number.
    Game(u64),
    /// It may not yet, and is to ask again.
    Later,
    /// There are no more games.
    Over,
}

impl Tickets {
    /// This many games, numbered from 0.
    pub fn new(games: u64) -> Tickets {
        Tickets::of(0..games)
    }

    /// Games without end, numbered from 0.
    pub fn endless() -> Tickets {
        Tickets::of(0..)
    }

    /// The games with these numbers: what is still missing after an interruption, or another part of a run.
    pub fn of(numbers: impl IntoIterator<Item = u64, IntoIter: Send + 'static>) -> Tickets {
        Tickets::limited(numbers, u64::MAX)
    }

    /// The games with these numbers, of which `allowed` may begin before more are [allowed](Tickets::allow).
    pub fn limited(numbers: impl IntoIterator<Item = u64, IntoIter: Send + 'static>, allowed: u64) -> Tickets {
        Tickets(Mutex::new(Rest { numbers: Box::new(numbers.into_iter()), allowed }))
    }

    /// Allows this many more games to begin.
    pub fn allow(&self, games: u64) {
        let mut rest = self.rest();
        rest.allowed = rest.allowed.saturating_add(games);
    }

    /// Lets no more games begin: those under way are the last.
    pub fn close(&self) {
        *self.rest() = Rest { numbers: Box::new(std::iter::empty()), allowed: u64::MAX };
    }

    /// Asks for the next game to begin. Never waits.
    pub fn take(&self) -> Ticket {
        let mut rest = self.rest();
        if rest.allowed == 0 {
            return Ticket::Later;
        }
        let Some(number) = rest.numbers.next() else { return Ticket::Over };
        rest.allowed -= 1;
        Ticket::Game(number)
    }

    fn rest(&self) -> MutexGuard<'_, Rest> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
