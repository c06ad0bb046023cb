//! `--trace LEVEL`: what the program does, line by line, on standard error.

use std::io::{self, Write};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use tracing::Level;

use crate::terminal::bars;

/// Reads a level of `--trace`.
pub fn level() -> impl TypedValueParser<Value = Level> {
    PossibleValuesParser::new(["error", "warn", "info", "debug", "trace"]).try_map(|level| level.parse::<Level>())
}

/// Writes what is traced up to `level` from now on.
pub fn start(level: Level) {
    let lines = tracing_subscriber::fmt().with_max_level(level).with_writer(|| AboveBars).with_ansi(false);
    // Fails only if it was called before.
    let _ = lines.with_timer(tracing_subscriber::fmt::time::uptime()).try_init();
}

/// Standard error, with the progress bars out of the way while a line is written.
struct AboveBars;

impl Write for AboveBars {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        // A reader that is gone does not end the work.
        bars().suspend(|| drop(io::stderr().write_all(line)));
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
