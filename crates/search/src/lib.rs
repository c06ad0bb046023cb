//! Search: how a player looks ahead.
//!
//! An [`Evaluator`] evaluates positions in batches; its kinds are in [evaluators], and a [`Backend`] makes them.
//! [`PlaySettings`] say how they are played. A [tree] search selects moves by one of the rules of [selection], with a
//! few more at the [root]; in [parallel], several threads share a tree. The [classical] family searches with a
//! handcrafted evaluation instead, from plain minimax to alpha-beta with all its enhancements. This crate knows games
//! only through their contract, and nothing of libtorch or files.

mod adjudication;
mod atomics;
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

pub use adjudication::{Adjudication, Adjudicator, Lead};
pub use backend::{Backend, tempered, with_memory};
pub use evaluator::{Evaluation, Evaluator};
pub use play::PlaySettings;

pub use alfil_nn::{BatchSizes, EvaluatorError, catch_panic, spawn_scoped};
