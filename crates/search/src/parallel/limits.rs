//! When a search ends.

/// What a search stops at, besides the [control](super::Control), a proven root (for example a mate) and a full tree.
/// Without any limit it goes on until one of those, or until the root has 2^31 visits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// Visits of the root, with those from earlier searches that the tree still knows.
    pub visits: Option<u32>,
    /// The mean depth of the walks.
    pub depth: Option<u32>,
    /// As soon as the best move can no longer change before another limit is reached.
    pub settled: bool,
    /// A proven win does not end it while there are moves that may win sooner. Positions below the root whose result is proven
    /// are not searched again, so what is found then may still not be the shortest win.
    pub sooner: bool,
    /// Codes of the moves to search; empty means all.
    pub only: Vec<u16>,
}
