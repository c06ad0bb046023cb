//! Search: how a player looks ahead.
//!
//! An [`Evaluator`] judges positions, many at once; the [evaluators] are its kinds. A [tree] search walks down by one of the
//! rules of [selection], with some more to say at the [root]; several
//! threads do so in [parallel]. The [classical] family searches with a handcrafted evaluation instead, from plain minimax to
//! alpha-beta with all its helpers. Knows games only through their contract, and nothing of libtorch or files.

mod cache_padded;
mod evaluator;

pub mod classical;
pub mod evaluators;
pub mod parallel;
pub mod root;
pub mod selection;
pub mod tree;

pub use evaluator::{Evaluation, Evaluator};
