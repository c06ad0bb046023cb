//! Other programs that play: the UCI protocol over the pipes of a child process.
//!
//! Nothing that the program does can block ours: every wait has a timeout, lines and their number are bounded, and the
//! child is killed and reaped when it is no longer needed.

mod find;
mod go;
mod process;
mod reply;
mod uci;

pub use go::Go;
pub(crate) use uci::Uci;
