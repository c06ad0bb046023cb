//! What is special about the root of a tree: exploration in self-play, and the policy to learn.

mod gumbel;
mod noise;
mod pick;
mod proven;

pub use gumbel::{GumbelRoot, improved_policy};
pub use noise::{add_noise, forced_edge, visit_policy};
pub use pick::{pick, pick_by};
