//! The UCI chess engine.
//!
//! One thread [speaks](run) with the chess program, another one thinks; the search may use more. The options are
//! [declared](options) once, for the protocol and the command line. Knows nothing of libtorch: a [`Backend`] may bring other
//! devices.

mod book;
mod brain;
mod engine;
mod info;
mod strength;
mod thought;
mod voice;

pub mod clock;
pub mod command;
pub mod options;

pub use brain::Backend;
pub use engine::run;
pub use info::centipawns;
