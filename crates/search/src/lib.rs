//! Search: how a player looks ahead.
//!
//! An [`Evaluator`] judges positions, many at once; the [evaluators] are its kinds, and a [`Backend`] makes them. [`PlaySettings`]
//! say how they are played. A [tree] search walks down by one of the
//! rules of [selection], with some more to say at the [root]; several
//! threads do so in [parallel]. The [classical] family searches with a handcrafted evaluation instead, from plain minimax to
//! alpha-beta with all its helpers. Knows games only through their contract, and nothing of libtorch or files.

mod backend;
mod cache_padded;
mod evaluator;
mod play;

pub mod classical;
pub mod evaluators;
pub mod parallel;
pub mod root;
pub mod selection;
pub mod tree;

pub use backend::{Backend, tempered, with_memory};
pub use evaluator::{Evaluation, Evaluator};
pub use play::PlaySettings;

pub use alfil_nn::{BatchSizes, EvaluatorError, catch_panic};
