//! Output to the chess program, one whole line at a time.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use alfil_core::wording::one_line;

/// The output, shared by threads.
#[derive(Clone)]
pub(crate) struct Voice(Arc<Mutex<Shared>>);

struct Shared {
    output: Box<dyn Write + Send>,
    /// Called with the error if a line cannot be written.
    fail: Box<dyn FnMut(io::Error) + Send>,
}

impl Voice {
    /// A line that cannot be written is passed to `fail` as an error: nobody listens any more.
    pub fn new(output: impl Write + Send + 'static, fail: impl FnMut(io::Error) + Send + 'static) -> Voice {
        Voice(Arc::new(Mutex::new(Shared { output: Box::new(output), fail: Box::new(fail) })))
    }

    /// Writes a line.
    pub fn say(&self, line: &str) {
        let mut shared = self.0.lock().unwrap_or_else(|broken| broken.into_inner());
        let Shared { output, fail } = &mut *shared;
        writeln!(output, "{line}").and_then(|()| output.flush()).unwrap_or_else(fail);
    }

    /// Writes a message for people.
    pub fn notice(&self, text: &str) {
        self.say(&format!("info string {}", one_line(text)));
    }
}
