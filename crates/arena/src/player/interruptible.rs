//! Work that looks at a flag, for players that are asked whether to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use alfil_search::{catch_panic, spawn_scoped};

use super::PlayerError;

/// What is reported if the thread fails.
const PART: &str = "a player's search";

/// How often it is asked whether to stop. Work that is done sooner does not wait for it.
const POLL: Duration = Duration::from_millis(10);

/// Works in a thread of its own, and sets the flag that the work looks at once `stop` says so. The work has no result only
/// where it has seen the flag.
pub(super) fn interruptible<T: Send>(
    stop: &dyn Fn() -> bool,
    work: impl FnOnce(&Arc<AtomicBool>) -> Option<T> + Send,
) -> Result<T, PlayerError> {
    let flag = Arc::new(AtomicBool::new(false));
    std::thread::scope(|scope| {
        let (sender, result) = channel();
        let flagged = Arc::clone(&flag);
        // The receiver lives as long as the thread.
        spawn_scoped(PART, scope, move || drop(sender.send(catch_panic(PART, || work(&flagged)))))?;
        loop {
            match result.recv_timeout(POLL) {
                Ok(done) => return done?.ok_or(PlayerError::Stopped),
                Err(RecvTimeoutError::Timeout) if stop() => flag.store(true, Relaxed),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(PlayerError::Stopped),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_when_it_is_done_or_told_to_stop() {
        assert_eq!(interruptible(&|| false, |_| Some(7)), Ok(7));
        let endless = |flag: &Arc<AtomicBool>| {
            while !flag.load(Relaxed) {
                std::thread::yield_now();
            }
            None::<()>
        };
        assert_eq!(interruptible(&|| true, endless), Err(PlayerError::Stopped));
        let broken = |_: &Arc<AtomicBool>| -> Option<()> { panic!("on purpose") };
        assert!(matches!(interruptible(&|| false, broken), Err(PlayerError::Evaluator(_))));
    }
}
