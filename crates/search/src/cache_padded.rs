//! Keeping threads out of each other's way.

/// Keeps what threads change away from what they only read: two cache lines of its own, since lines are fetched in pairs.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct CachePadded<T>(pub T);
