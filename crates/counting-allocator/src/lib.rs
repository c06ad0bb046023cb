//! An allocator that counts, for tests of memory use.
//!
//! A crate of its own, and only ever a dev-dependency: as a feature of another crate it would make everything above that crate
//! compile once for tests and once more without them.
//!
//! ```
//! use alfil_counting_allocator::{Allocations, CountingAllocator, count};
//!
//! #[global_allocator]
//! static ALLOCATOR: CountingAllocator = CountingAllocator;
//!
//! assert_eq!(count(|| drop(vec![0u8; 100])), Allocations { count: 1, bytes: 100 });
//! assert_eq!(count(|| ()), Allocations::default());
//! ```

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The system's allocator, with counters. A test makes it the global one.
#[derive(Debug)]
pub struct CountingAllocator;

/// What a task has allocated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allocations {
    /// How often.
    pub count: u64,
    /// How much in total, including what was freed meanwhile.
    pub bytes: u64,
}

thread_local! {
    static OF_THREAD: Cell<Allocations> = const { Cell::new(Allocations { count: 0, bytes: 0 }) };
}

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static MOST_IN_USE: AtomicUsize = AtomicUsize::new(0);

/// What `task` allocates on this thread.
pub fn count(task: impl FnOnce()) -> Allocations {
    let before = OF_THREAD.get();
    task();
    let after = OF_THREAD.get();
    Allocations { count: after.count - before.count, bytes: after.bytes - before.bytes }
}

/// Bytes in use, by all threads.
pub fn in_use() -> usize {
    IN_USE.load(Relaxed)
}

/// The most bytes that were in use at one time, by all threads, since the start or the last [`reset_peak`].
pub fn peak() -> usize {
    MOST_IN_USE.load(Relaxed)
}

/// Starts [`peak`] again from what is in use now.
pub fn reset_peak() {
    MOST_IN_USE.store(in_use(), Relaxed);
}

// SAFETY: everything is passed on to the system's allocator; the counters allocate nothing themselves.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that ends may allocate after its counter is gone.
        let _ = OF_THREAD.try_with(|of_thread| {
            let Allocations { count, bytes } = of_thread.get();
            of_thread.set(Allocations { count: count + 1, bytes: bytes + layout.size() as u64 });
        });
        let in_use = IN_USE.fetch_add(layout.size(), Relaxed) + layout.size();
        MOST_IN_USE.fetch_max(in_use, Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`, and the pointer came from the same allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}
