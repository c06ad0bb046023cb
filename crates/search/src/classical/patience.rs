//! When a search gives up.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Instant;

/// Nodes between two looks at the clock: less than a millisecond.
const LOOK: u64 = 512;

/// What ends a search, as one of its threads sees it.
#[derive(Default)]
pub(super) struct Patience {
    shared: Option<Shared>,
    over: bool,
    /// Nodes of this thread when it last looked.
    looked: u64,
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

impl Patience {
    /// Never gives up.
    pub fn endless() -> Patience {
        Patience::default()
    }

    pub fn of(shared: Shared) -> Patience {
        Patience { shared: Some(shared), over: false, looked: 0 }
    }

    /// Whether it has given up.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Looks, now and then, whether to give up; `nodes` are those of this thread.
    pub fn ends(&mut self, nodes: u64) -> bool {
        let Some(shared) = &self.shared else { return false };
        let since = nodes - self.looked;
        // A small limit must not be missed by the distance between two looks.
        let step = shared.most.map_or(LOOK, |most| (most / 16).clamp(1, LOOK));
        if !self.over && since >= step {
            self.looked = nodes;
            let all = shared.nodes.fetch_add(since, Relaxed) + since;
            self.over = shared.most.is_some_and(|most| all >= most)
                || shared.done.load(Relaxed)
                || shared.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        }
        self.over
    }
}
