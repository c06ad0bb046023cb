//! Other programs that play: the UCI protocol over the pipes of a child process.
//!
//! Nothing that the program does can block ours: every wait has a timeout and can be stopped, lines and their number are
//! bounded, and the child is killed, with all processes that it has started, and reaped when it is no longer needed.

mod find;
mod go;
mod process;
mod reply;
mod uci;

pub(crate) use find::check;
pub use go::Go;
pub use process::kill_engines;
pub(crate) use uci::{Answer, Uci};
