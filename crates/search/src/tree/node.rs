//! A node of the tree.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use alfil_game::{Mover, Side, Wdl};

use super::proof::Proof;
use crate::atomics::{AtomicU32, AtomicU64};

/// Stands for no node.
pub(super) const NONE: u32 = u32::MAX;

/// Sums are kept in fixed point, so that they can be added to without locks and never lose small parts.
const ONE: f64 = (1u64 << 30) as f64;

/// A search ends at this many visits of the root: a node counts them with 32 bits, of which those under way need some, and
/// one more would be counted as a visit under way.
pub(crate) const MOST_VISITS: u32 = u32::MAX / 2;

/// Moves left are summed in units of 1/65,536 ply, which leaves room for 2^32 visits of 65,535 plies.
const PLY: f64 = (1u64 << 16) as f64;

const SECOND: u32 = 1;
const EXPANDED: u32 = 1 << 1;
const PROOF_SHIFT: u32 = 8;

/// One position. All sums are from its mover's point of view.
#[derive(Default)]
#[repr(C, align(64))]
pub(super) struct Node {
    /// Completed visits in the lower half, visits under way in the upper.
    traffic: AtomicU64,
    wins: AtomicU64,
    losses: AtomicU64,
    /// Expected plies to the end, if the evaluator predicts them.
    moves_left: AtomicU64,
    /// The first edge. `counts` has the number of edges and, in the upper half, the parent's edge that leads here.
    pub first_edge: AtomicU32,
    counts: AtomicU32,
    pub parent: AtomicU32,
    /// The newest child, and through it the others. A child is complete before it is linked here.
    pub first_child: AtomicU32,
    /// The next three siblings: reading three at a time hides most of the memory latency.
    siblings: [AtomicU32; 3],
    /// Side, whether it is expanded, and the proof.
    flags: AtomicU32,
}

// One cache line, except with the larger atomics of a model checker.
const _: () = assert!(size_of::<Node>() == 64 || size_of::<AtomicU64>() > 8);

impl Node {
    /// Initialises a node that no other thread sees yet.
    pub fn fill(&self, side: Side, parent: u32, parent_edge: u16, first_edge: u32, edges: u16) {
        self.traffic.store(0, Relaxed);
        self.wins.store(0, Relaxed);
        self.losses.store(0, Relaxed);
        self.moves_left.store(0, Relaxed);
        self.first_edge.store(first_edge, Relaxed);
        self.counts.store(u32::from(edges) | u32::from(parent_edge) << 16, Relaxed);
        self.parent.store(parent, Relaxed);
        self.first_child.store(NONE, Relaxed);
        self.set_siblings([NONE; 3]);
        self.flags.store(if side == Side::Second { SECOND } else { 0 }, Relaxed);
    }

    /// Copies `other`, except its first edge, children and siblings. No other thread may be reading.
    pub fn copy_from(&self, other: &Node) {
        for (to, from) in [
            (&self.traffic, &other.traffic),
            (&self.wins, &other.wins),
            (&self.losses, &other.losses),
            (&self.moves_left, &other.moves_left),
        ] {
            to.store(from.load(Relaxed), Relaxed);
        }
        for (to, from) in [(&self.counts, &other.counts), (&self.flags, &other.flags), (&self.parent, &other.parent)] {
            to.store(from.load(Relaxed), Relaxed);
        }
        self.first_child.store(NONE, Relaxed);
    }

    pub fn siblings(&self) -> [u32; 3] {
        [&self.siblings[0], &self.siblings[1], &self.siblings[2]].map(|sibling| sibling.load(Relaxed))
    }

    pub fn set_siblings(&self, siblings: [u32; 3]) {
        self.siblings.iter().zip(siblings).for_each(|(to, from)| to.store(from, Relaxed));
    }

    /// Where the node goes while the tree is compacted. Stored in place of its siblings, which are linked again
    /// afterwards.
    pub fn moves_to(&self) -> u32 {
        self.siblings[0].load(Relaxed)
    }

    pub fn set_moves_to(&self, index: u32) {
        self.siblings[0].store(index, Relaxed);
    }

    pub fn edges(&self) -> u16 {
        self.counts.load(Relaxed) as u16
    }

    pub fn parent_edge(&self) -> u16 {
        (self.counts.load(Relaxed) >> 16) as u16
    }

    pub fn set_edges(&self, edges: u16) {
        self.counts.store(u32::from(edges) | u32::from(self.parent_edge()) << 16, Relaxed);
    }

    pub fn set_parent_edge(&self, edge: u16) {
        self.counts.store(u32::from(self.edges()) | u32::from(edge) << 16, Relaxed);
    }

    pub fn parent(&self) -> u32 {
        self.parent.load(Relaxed)
    }

    pub fn side(&self) -> Side {
        if self.flags.load(Relaxed) & SECOND == 0 { Side::First } else { Side::Second }
    }

    pub fn is_expanded(&self) -> bool {
        self.flags.load(Acquire) & EXPANDED != 0
    }

    /// Makes the edges visible to other threads.
    pub fn expand(&self) {
        self.flags.fetch_or(EXPANDED, Release);
    }

    pub fn proof(&self) -> Option<Proof> {
        Proof::unpack(self.flags.load(Acquire) >> PROOF_SHIFT)
    }

    /// Stores a proof in place of an earlier one, whose distance may have been longer.
    pub fn prove(&self, proof: Proof) {
        let keep = SECOND | EXPANDED;
        // The closure always returns `Some`, so this cannot fail.
        let _ = self.flags.fetch_update(AcqRel, Acquire, |flags| Some(flags & keep | proof.pack() << PROOF_SHIFT));
    }

    /// Completed visits, and completed visits with those under way.
    pub fn visits(&self) -> (u32, u32) {
        let traffic = self.traffic.load(Relaxed);
        (traffic as u32, (traffic as u32).saturating_add((traffic >> 32) as u32))
    }

    #[cfg(test)]
    pub fn set_visits(&self, visits: u32) {
        self.traffic.store(visits.into(), Relaxed);
    }

    pub fn begin_visit(&self) {
        self.traffic.fetch_add(1 << 32, Relaxed);
    }

    pub fn cancel_visit(&self) {
        self.traffic.fetch_sub(1 << 32, Relaxed);
    }

    /// Completes a visit that is under way.
    pub fn end_visit(&self, Mover(Wdl { win, loss, .. }): Mover<Wdl>, moves_left: Option<f64>) {
        // Adding 0 is skipped: an evaluator that gives only a value never has both a win and a loss part.
        for (sum, part) in [(&self.wins, win), (&self.losses, loss)] {
            if part > 0.0 {
                sum.fetch_add((f64::from(part) * ONE) as u64, Relaxed);
            }
        }
        if let Some(plies) = moves_left {
            self.moves_left.fetch_add((plies.max(0.0) * PLY) as u64, Relaxed);
        }
        self.traffic.fetch_add(1u64.wrapping_sub(1 << 32), Relaxed);
    }

    /// Mean probabilities of win, draw and loss, if there has been a visit.
    pub fn wdl(&self) -> Option<Mover<Wdl>> {
        let (visits, _) = self.visits();
        if visits == 0 {
            return None;
        }
        let mean = |sum: &AtomicU64| (sum.load(Relaxed) as f64 / ONE / f64::from(visits)).min(1.0) as f32;
        let (win, loss) = (mean(&self.wins), mean(&self.losses));
        Some(Mover(Wdl { win, draw: (1.0 - win - loss).max(0.0), loss }))
    }

    /// The mean expected plies to the end, if the evaluator predicts them.
    pub fn moves_left(&self) -> Option<f32> {
        let (visits, _) = self.visits();
        let sum = self.moves_left.load(Relaxed);
        (visits > 0 && sum > 0).then(|| (sum as f64 / PLY / f64::from(visits)) as f32)
    }

    /// Win minus loss, summed over all visits.
    pub fn value_sum(&self) -> f64 {
        self.wins.load(Relaxed).wrapping_sub(self.losses.load(Relaxed)) as i64 as f64 / ONE
    }

    /// The mean of win minus loss, if there has been a visit.
    pub fn value(&self) -> Option<f32> {
        let (visits, _) = self.visits();
        (visits > 0).then(|| (self.value_sum() as f32 / visits as f32).clamp(-1.0, 1.0))
    }
}
