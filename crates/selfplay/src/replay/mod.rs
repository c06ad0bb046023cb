//! The games that a network learns from.
//!
//! A [`Replay`] is a folder of chunks that only ever grows. A [`Window`] is its newest part; a [`Draw`] takes samples from a
//! window in random order, with a bounded number of games in memory however large the window is.

mod draw;
mod folder;
mod sample;
mod value_target;
mod window;

pub use draw::{Draw, DrawSettings, POOL_BYTES, Sampling, build};
pub use folder::{Damage, Replay, ReplayError, set_aside};
pub use sample::{Sample, SharedRecord};
pub use value_target::ValueTarget;
pub use window::{Window, WindowSettings};
