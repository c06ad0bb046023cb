//! Threads that search, at a lower priority than those that answer requests.

use std::thread;

use alfil_nn::catch_panic;
use tokio::runtime::Handle;

/// How much lower, from 0 to 19.
#[derive(Clone, Copy, Debug)]
pub enum Priority {
    /// Somebody waits for a move.
    Move = 5,
    /// A search goes on as long as a page is open.
    Endless = 10,
}

/// Starts a thread. Within it, tasks of the runtime can be started.
pub fn spawn(priority: Priority, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let runtime = Handle::current();
    let run = move || {
        let _context = runtime.enter();
        lower(priority as i32);
        if let Err(why) = catch_panic("a search", work) {
            tracing::error!(%why, "a thread failed");
        }
    };
    thread::Builder::new().name("search".to_owned()).spawn(run).map(drop)
}

/// Lowers the priority of the calling thread, where the system has priorities of threads. Nothing depends on it.
#[cfg(target_os = "linux")]
fn lower(by: i32) {
    // SAFETY: the call takes three numbers and touches no memory. 0 stands for the calling thread.
    let _ = unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, by) };
}

#[cfg(not(target_os = "linux"))]
fn lower(_: i32) {}
