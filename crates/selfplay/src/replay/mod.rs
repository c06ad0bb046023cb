//! The games that a network learns from.
//!
//! A [`Replay`] is a folder of chunks that only ever grows. A [`Window`] is its newest part; a [`Draw`] takes samples from a
//! window in random order, with a bounded number of games in memory however large the window is. A [`Dataset`] is games of
//! others, in folders that are only read; an [`EpochDraw`] takes each of its positions once per epoch.

mod dataset;
mod draw;
mod epochs;
mod folder;
mod sample;
mod value_target;
mod window;

pub use dataset::{Dataset, DatasetError, DatasetFolder};
pub use draw::{Draw, DrawSettings, POOL_BYTES, Sampling, build, is_held_out};
pub use epochs::{Cursor, EpochDraw, Epochs};
pub use folder::{Damage, Replay, ReplayError, set_aside};
pub use sample::{Sample, SharedRecord};
pub use value_target::ValueTarget;
pub use window::{Window, WindowSettings};
