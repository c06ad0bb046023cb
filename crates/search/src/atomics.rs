//! The atomic numbers of the tree. `tests/tree_model.rs` compiles the tree with those of a model checker instead.

pub use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

/// Zeros that the system allocates only where they are touched, so that a large tree is ready at once.
pub fn zeros(count: usize) -> Vec<AtomicU32> {
    bytemuck::zeroed_vec(count)
}

/// The same, if the system has that much memory.
pub fn try_zeros(count: usize) -> Option<Vec<AtomicU32>> {
    bytemuck::allocation::try_zeroed_vec(count).ok()
}
