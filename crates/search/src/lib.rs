//! Search: how a player looks ahead.
//!
//! An [`Evaluator`] judges positions, many at once; the [evaluators] are its kinds. The rules of [selection] say which move a
//! tree search looks at. The [classical] family searches with a handcrafted evaluation instead, from plain minimax to
//! alpha-beta with all its helpers. Knows games only through their contract, and nothing of libtorch or files.

mod evaluator;

pub mod classical;
pub mod evaluators;
pub mod selection;
pub mod tree;

pub use evaluator::{Evaluation, Evaluator};
