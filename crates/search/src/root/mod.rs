//! What is special about the root of a tree: exploration where games are played to learn from, and what is learnt.

mod gumbel;
mod noise;
mod pick;

pub use gumbel::{GumbelRoot, improved_policy};
pub use noise::{add_noise, forced_edge, visit_policy};
pub use pick::{pick, pick_by};
