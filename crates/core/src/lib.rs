//! The bottom of the workspace: small things that every crate needs and none should own.
//!
//! [`disk`] is the one door to files, [`text_file`] reads those that people write, [`checksum`] and [`lines`] show that
//! they are still what was written, [`seed`] derives seeds, [`mod@settings`] declares settings once, [`wording`] and
//! [`numbers`] keep messages readable, [`pace`] measures speeds, [`svg`] draws charts. Knows nothing of games, networks
//! or search.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod checksum;
pub mod disk;
pub mod lines;
pub mod numbers;
pub mod pace;
pub mod seed;
pub mod settings;
pub mod svg;
pub mod text_file;
pub mod wording;

/// Threads that this machine can run at the same time; 1 if that is unknown.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
