//! A node of the tree.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use alfil_game::Side;

/// Stands for no node.
pub(super) const NONE: u32 = u32::MAX;

/// Sums are kept in fixed point, so that they can be added to without locks and never lose small parts.
const ONE: f64 = (1u64 << 30) as f64;

const SECOND: u32 = 1;
const EXPANDED: u32 = 1 << 1;
const PROOF_SHIFT: u32 = 2;
const DISTANCE_SHIFT: u32 = 16;

/// What is known for certain about a position, for its mover, with the plies to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The mover wins in so many plies.
    Win(u16),
    /// Neither side can do better than a draw (or what the rules hold for as much).
    Draw(u16),
    /// The mover loses in so many plies.
    Loss(u16),
}

impl Proof {
    /// The same seen a ply earlier, by the side that moved here.
    pub(super) fn before(self, same_side: bool) -> Proof {
        match (self, same_side) {
            (Proof::Win(n), true) | (Proof::Loss(n), false) => Proof::Win(n.saturating_add(1)),
            (Proof::Loss(n), true) | (Proof::Win(n), false) => Proof::Loss(n.saturating_add(1)),
            (Proof::Draw(n), _) => Proof::Draw(n.saturating_add(1)),
        }
    }

    /// Larger is better for the mover: a sooner win, a later loss.
    pub(super) fn preference(self) -> i32 {
        match self {
            Proof::Win(n) => 200_000 - i32::from(n),
            Proof::Draw(_) => 0,
            Proof::Loss(n) => i32::from(n) - 200_000,
        }
    }

    /// Win and loss as probabilities.
    pub(super) fn win_loss(self) -> (f64, f64) {
        match self {
            Proof::Win(_) => (1.0, 0.0),
            Proof::Draw(_) => (0.0, 0.0),
            Proof::Loss(_) => (0.0, 1.0),
        }
    }
}

/// One position. All sums are seen by its own mover.
#[derive(Default)]
#[repr(C, align(64))]
pub(super) struct Node {
    /// Visits in the lower half, visits under way in the upper.
    traffic: AtomicU64,
    wins: AtomicU64,
    losses: AtomicU64,
    /// The first edge, and their number with the number of the parent's edge that leads here.
    pub first_edge: AtomicU32,
    counts: AtomicU32,
    pub parent: AtomicU32,
    /// The newest child, and through it the others. A child is complete before it is seen here.
    pub first_child: AtomicU32,
    pub next_sibling: AtomicU32,
    /// Side, whether the edges are there, and the proof.
    flags: AtomicU32,
    /// Where the node goes when the tree is compacted; of no meaning at other times.
    pub moves_to: AtomicU32,
}

const _: () = assert!(size_of::<Node>() == 64);

impl Node {
    /// Makes a node that nobody else sees yet.
    pub fn fill(&self, side: Side, parent: u32, parent_edge: u16, first_edge: u32, edges: u16) {
        self.traffic.store(0, Relaxed);
        self.wins.store(0, Relaxed);
        self.losses.store(0, Relaxed);
        self.first_edge.store(first_edge, Relaxed);
        self.counts.store(u32::from(edges) | u32::from(parent_edge) << 16, Relaxed);
        self.parent.store(parent, Relaxed);
        self.first_child.store(NONE, Relaxed);
        self.next_sibling.store(NONE, Relaxed);
        self.flags.store(if side == Side::Second { SECOND } else { 0 }, Relaxed);
    }

    /// Becomes a copy of `other`, but for its links to other nodes. Nobody else may be looking.
    pub fn copy_from(&self, other: &Node) {
        for (to, from) in [(&self.traffic, &other.traffic), (&self.wins, &other.wins), (&self.losses, &other.losses)] {
            to.store(from.load(Relaxed), Relaxed);
        }
        for (to, from) in [(&self.counts, &other.counts), (&self.flags, &other.flags), (&self.parent, &other.parent)] {
            to.store(from.load(Relaxed), Relaxed);
        }
        self.first_child.store(NONE, Relaxed);
        self.next_sibling.store(NONE, Relaxed);
    }

    pub fn edges(&self) -> u16 {
        self.counts.load(Relaxed) as u16
    }

    pub fn parent_edge(&self) -> u16 {
        (self.counts.load(Relaxed) >> 16) as u16
    }

    pub fn side(&self) -> Side {
        if self.flags.load(Relaxed) & SECOND == 0 { Side::First } else { Side::Second }
    }

    pub fn is_expanded(&self) -> bool {
        self.flags.load(Acquire) & EXPANDED != 0
    }

    /// Lets others see the edges.
    pub fn expand(&self) {
        self.flags.fetch_or(EXPANDED, Release);
    }

    pub fn proof(&self) -> Option<Proof> {
        let flags = self.flags.load(Acquire);
        let distance = (flags >> DISTANCE_SHIFT) as u16;
        match flags >> PROOF_SHIFT & 3 {
            1 => Some(Proof::Win(distance)),
            2 => Some(Proof::Draw(distance)),
            3 => Some(Proof::Loss(distance)),
            _ => None,
        }
    }

    /// Notes a proof in place of an earlier one, whose distance may have been longer.
    pub fn prove(&self, proof: Proof) {
        let (kind, distance) = match proof {
            Proof::Win(n) => (1, n),
            Proof::Draw(n) => (2, n),
            Proof::Loss(n) => (3, n),
        };
        let keep = SECOND | EXPANDED;
        let bits = kind << PROOF_SHIFT | u32::from(distance) << DISTANCE_SHIFT;
        // The closure never fails: the loop inside ends when nobody interferes.
        let _ = self.flags.fetch_update(AcqRel, Acquire, |flags| Some(flags & keep | bits));
    }

    /// Visits that are done, and all with those under way.
    pub fn visits(&self) -> (u32, u32) {
        let traffic = self.traffic.load(Relaxed);
        (traffic as u32, (traffic as u32).saturating_add((traffic >> 32) as u32))
    }

    pub fn begin_visit(&self) {
        self.traffic.fetch_add(1 << 32, Relaxed);
    }

    pub fn cancel_visit(&self) {
        self.traffic.fetch_sub(1 << 32, Relaxed);
    }

    /// Turns a visit under way into one that is done.
    pub fn end_visit(&self, win: f64, loss: f64) {
        self.wins.fetch_add((win * ONE) as u64, Relaxed);
        self.losses.fetch_add((loss * ONE) as u64, Relaxed);
        self.traffic.fetch_add(1u64.wrapping_sub(1 << 32), Relaxed);
    }

    /// Mean probabilities of win, draw and loss, if there has been a visit.
    pub fn wdl(&self) -> Option<[f32; 3]> {
        let (visits, _) = self.visits();
        if visits == 0 {
            return None;
        }
        let mean = |sum: &AtomicU64| (sum.load(Relaxed) as f64 / ONE / f64::from(visits)).min(1.0) as f32;
        let (win, loss) = (mean(&self.wins), mean(&self.losses));
        Some([win, (1.0 - win - loss).max(0.0), loss])
    }
}
