//! What tests say when something that they need is not installed. Only ever a dev-dependency.

use std::fs::OpenOptions;
use std::io::Write;

/// The variable that names the file in which `scripts/test` collects what was skipped, one line per test.
const FILE: &str = "ALFIL_SKIPPED";

/// Says in one line that `test` was skipped because `missing` is not there. Test runners hide what a test prints if it passes;
/// `scripts/test` shows these lines at its end, with their number.
#[allow(clippy::disallowed_methods, reason = "only tests use this crate")]
pub fn skip(test: &str, missing: &str) {
    let line = format!("skipped {test}: {missing} is not there\n");
    print!("{line}");
    if let Some(path) = std::env::var_os(FILE)
        && let Ok(mut file) = OpenOptions::new().create(true).append(true).open(path)
    {
        // In one piece: tests run side by side.
        let _ = file.write_all(line.as_bytes());
    }
}
