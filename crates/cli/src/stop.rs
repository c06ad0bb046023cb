//! Stopping when asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use anyhow::Context;

/// Set by ctrl-C or a polite kill. A second ctrl-C ends the program at once, which loses nothing that was finished.
pub fn flag() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if set.swap(true, Relaxed) {
            std::process::exit(130);
        }
    })
    .context("cannot listen for ctrl-C")?;
    Ok(stop)
}
