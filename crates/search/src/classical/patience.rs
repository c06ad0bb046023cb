//! When a search gives up.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Instant;

/// Nodes between two looks at the clock: less than a millisecond.
const LOOK: u64 = 512;

/// What ends a search, as one of its threads sees it.
pub(super) struct Patience<'a> {
    limits: Limits<'a>,
    over: bool,
    /// Nodes of this thread when it last looked.
    looked: u64,
}

enum Limits<'a> {
    None,
    /// Somebody is asked.
    Asking(&'a dyn Fn() -> bool),
    Shared(Shared),
}

/// What all threads of a search look at.
#[derive(Clone)]
pub(super) struct Shared {
    /// Set when the search has to end, or has ended.
    pub done: Arc<AtomicBool>,
    /// When it has to end in any case.
    pub deadline: Option<Instant>,
    /// The most nodes of all threads together.
    pub most: Option<u64>,
    /// The nodes so far, as of the threads' last looks.
    pub nodes: Arc<AtomicU64>,
}

impl<'a> Patience<'a> {
    /// Never gives up.
    pub fn endless() -> Patience<'a> {
        Patience::new(Limits::None)
    }

    /// Gives up when `stop` says so.
    pub fn asking(stop: &'a dyn Fn() -> bool) -> Patience<'a> {
        Patience::new(Limits::Asking(stop))
    }

    pub fn of(shared: Shared) -> Patience<'a> {
        Patience::new(Limits::Shared(shared))
    }

    fn new(limits: Limits<'a>) -> Patience<'a> {
        Patience { limits, over: false, looked: 0 }
    }

    /// Whether it has given up.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Looks, now and then, whether to give up; `nodes` are those of this thread.
    pub fn ends(&mut self, nodes: u64) -> bool {
        let since = nodes - self.looked;
        let step = match &self.limits {
            Limits::None => return false,
            Limits::Asking(_) => LOOK,
            // A small limit must not be missed by the distance between two looks.
            Limits::Shared(shared) => shared.most.map_or(LOOK, |most| (most / 16).clamp(1, LOOK)),
        };
        if !self.over && since >= step {
            self.looked = nodes;
            self.over = match &self.limits {
                Limits::None => false,
                Limits::Asking(stop) => stop(),
                Limits::Shared(shared) => {
                    let all = shared.nodes.fetch_add(since, Relaxed) + since;
                    shared.most.is_some_and(|most| all >= most)
                        || shared.done.load(Relaxed)
                        || shared.deadline.is_some_and(|deadline| Instant::now() >= deadline)
                }
            };
        }
        self.over
    }
}
