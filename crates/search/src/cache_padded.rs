//! Padding against false sharing.

/// Keeps a value that threads write away from those that they only read: on two cache lines of its own, since lines are
/// fetched in pairs.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct CachePadded<T>(pub T);
