//! Nim with heaps of 1, 3, 5 and 7 sticks: the game of the tutorial, docs/new-game.md.

mod encoding;
mod game;
mod oracle;

pub use encoding::Heaps;
pub use game::{Nim, Take};
