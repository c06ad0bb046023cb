//! The UCI engine, for every game.
//!
//! One thread [speaks](run) with the program, another one thinks; the search may use more. The options are
//! [declared](options) once, for the protocol and the command line. Knows nothing of libtorch: a [`Backend`] may bring other
//! devices.

mod brain;
mod conversation;
mod engine;
mod info;
mod known;
mod strength;
mod thought;
mod voice;

pub mod clock;
pub mod command;
pub mod options;

pub use brain::{Backend, MakeInference};
pub use conversation::run;
pub use info::centipawns;
