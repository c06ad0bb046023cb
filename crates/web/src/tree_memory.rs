//! The memory that the trees of all searches share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes for all searches together.
const ALL: usize = 384 << 20;

/// Bytes of a tree: some hundred thousand positions.
const LARGEST: usize = 48 << 20;

/// Bytes of a tree where many searches run: still ten thousand positions. With as many searches as there may be, these are a
/// little more than what they share.
const SMALLEST: usize = 4 << 20;

/// The memory that is left.
pub struct TreeMemory(Mutex<usize>);

impl Default for TreeMemory {
    fn default() -> TreeMemory {
        TreeMemory(Mutex::new(ALL))
    }
}

/// What a search has of it, until this is dropped.
pub struct Share {
    memory: Arc<TreeMemory>,
    bytes: usize,
    /// What was taken from what is left, which may be less.
    taken: usize,
}

impl TreeMemory {
    /// A quarter of what is left: the first searches get large trees, and later ones smaller trees rather than none.
    pub fn take(self: &Arc<Self>) -> Share {
        let mut left = self.left();
        let bytes = (*left / 4).clamp(SMALLEST, LARGEST);
        let taken = bytes.min(*left);
        *left -= taken;
        Share { memory: Arc::clone(self), bytes, taken }
    }

    fn left(&self) -> MutexGuard<'_, usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Share {
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        *self.memory.left() += self.taken;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_searches_together_have_little_more_memory_than_a_few() {
        let memory = Arc::<TreeMemory>::default();
        let shares: Vec<Share> = (0..32).map(|_| memory.take()).collect();
        assert!(shares[..4].iter().all(|share| share.bytes() == LARGEST));
        assert!(shares.iter().all(|share| share.bytes() >= SMALLEST));
        assert!(shares.iter().map(Share::bytes).sum::<usize>() < ALL + ALL / 4);
        drop(shares);
        assert_eq!(*memory.left(), ALL);
        assert_eq!(memory.take().bytes(), LARGEST);
    }
}
