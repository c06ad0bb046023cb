//! Stopping when asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use anyhow::Context;

/// Set by ctrl-C or a polite kill. A second ctrl-C ends the program at once, which loses nothing that was finished.
pub fn flag() -> anyhow::Result<Arc<AtomicBool>> {
    flag_unless(Arc::default())
}

/// The same, but as long as `idle` is set, when there is nothing to finish, the first ctrl-C ends the program.
pub fn flag_unless(idle: Arc<AtomicBool>) -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if set.swap(true, SeqCst) || idle.load(SeqCst) {
            std::process::exit(130);
        }
    })
    .context("cannot listen for ctrl-C")?;
    Ok(stop)
}
