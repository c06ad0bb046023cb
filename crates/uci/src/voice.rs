//! Output to the chess program, one whole line at a time.

use std::io::Write;
use std::sync::{Arc, Mutex};

use alfil_core::wording::one_line;

/// The output, shared by threads.
#[derive(Clone)]
pub(crate) struct Voice(Arc<Mutex<dyn Write + Send>>);

impl Voice {
    pub fn new(output: impl Write + Send + 'static) -> Voice {
        Voice(Arc::new(Mutex::new(output)))
    }

    /// Writes a line. A program that no longer listens will soon close our input as well, which ends the engine.
    pub fn say(&self, line: &str) {
        let mut output = self.0.lock().unwrap_or_else(|broken| broken.into_inner());
        let _ = writeln!(output, "{line}").and_then(|()| output.flush());
    }

    /// Writes a message for people.
    pub fn notice(&self, text: &str) {
        self.say(&format!("info string {}", one_line(text)));
    }
}
