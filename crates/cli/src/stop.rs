//! Stopping on ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use alfil_search::parallel::Control;
use anyhow::Context;

use crate::terminal;

/// Set by ctrl-C or SIGTERM. A second ctrl-C ends the program at once, which loses nothing that was finished.
pub fn flag() -> anyhow::Result<Arc<AtomicBool>> {
    flag_unless(Arc::default(), || {})
}

/// The same for a search, which ends with what it has found.
pub fn control() -> anyhow::Result<Arc<Control>> {
    let control = Arc::new(Control::default());
    let stop = Arc::clone(&control);
    listen(move || {
        let continues = !stop.is_stopped();
        stop.stop();
        continues
    })?;
    Ok(control)
}

/// Like [`flag`], but while `idle` is set there is nothing to finish, and the first ctrl-C ends the program after
/// `leave`.
pub fn flag_unless(idle: Arc<AtomicBool>, leave: impl Fn() + Send + 'static) -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&stop);
    listen(move || {
        let continues = !set.swap(true, SeqCst) && !idle.load(SeqCst);
        if !continues {
            leave();
        }
        continues
    })?;
    Ok(stop)
}

/// Calls `stop` on every ctrl-C or SIGTERM. The program ends at once if it returns false.
fn listen(stop: impl Fn() -> bool + Send + 'static) -> anyhow::Result<()> {
    let handler = move || {
        if !stop() {
            terminal::clear();
            alfil_arena::player::kill_engines();
            std::process::exit(130);
        }
    };
    ctrlc::set_handler(handler).context("cannot listen for ctrl-C")
}
