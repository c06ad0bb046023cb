//! The UCI engine, for every game.
//!
//! One thread [talks](run) to the program, another one thinks; the search may use more. The options are
//! [declared](options) once, for the protocol and the command line. Knows nothing of libtorch: devices other than the
//! CPU are found by name.

mod conversation;
mod engine;
mod info;
mod known;
mod search_handle;
mod strength;
mod thinker;
mod voice;

pub mod clock;
pub mod command;
pub mod options;

pub use conversation::{UciError, run};
pub use info::centipawns;
