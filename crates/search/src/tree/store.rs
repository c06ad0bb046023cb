//! The arenas and what can be read from them.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

use alfil_game::Side;
use arrayvec::ArrayVec;

use super::node::{NONE, Node};
use super::pages::advise_huge_pages;
use super::view::View;
use crate::atomics::{AtomicBool, AtomicU32, AtomicU64, try_zeros, zeros};
use crate::cache_padded::CachePadded;

/// More moves than any position of the bundled games has; if there are more, only the first are searched.
pub(super) const MOST_MOVES: usize = 1_024;

/// Priors are stored as multiples of one over this.
const PRIOR_STEPS: f32 = 65_535.0;

/// A search tree of a fixed size.
pub struct Tree {
    nodes: Box<[Node]>,
    /// Move in the lower half, prior in the upper.
    edges: Box<[AtomicU32]>,
    /// Nodes in use in the lower half, edges in the upper: taken together, so that nodes and their edges lie in the same
    /// order.
    used: CachePadded<AtomicU64>,
    /// The root, once it is complete.
    root: AtomicU32,
    /// Whether the evaluator predicts moves left.
    moves_left: AtomicBool,
}

/// Moves per position to assume when nothing is known about a game: the average of the games with the most
/// (docs/branching.md).
pub const USUAL_MOVES: usize = 36;

impl Tree {
    /// A tree of at most `bytes` bytes, for positions of about `moves` moves each. It takes more only if a root with
    /// the most moves that are searched (1,024) would not fit otherwise.
    pub fn new(bytes: usize, moves: usize) -> Tree {
        let (nodes, edges) = shape(bytes, moves);
        Tree::in_room(nodes, Vec::with_capacity(nodes), zeros(edges))
    }

    /// The same, if the system has that much memory.
    pub fn try_new(bytes: usize, moves: usize) -> Option<Tree> {
        let (nodes, edges) = shape(bytes, moves);
        let mut room = Vec::new();
        room.try_reserve_exact(nodes).ok()?;
        Some(Tree::in_room(nodes, room, try_zeros(edges)?))
    }

    fn in_room(nodes: usize, mut room: Vec<Node>, edges: Vec<AtomicU32>) -> Tree {
        advise_huge_pages(&room);
        advise_huge_pages(&edges);
        room.resize_with(nodes, Node::default);
        Tree {
            nodes: room.into_boxed_slice(),
            edges: edges.into_boxed_slice(),
            used: CachePadded(AtomicU64::new(0)),
            root: AtomicU32::new(NONE),
            moves_left: AtomicBool::new(false),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self.used.0.get_mut() = 0;
        *self.root.get_mut() = NONE;
        *self.moves_left.get_mut() = false;
    }

    /// Makes the position after these moves, given by their codes, the root, and keeps what is known below it. If it
    /// has no node, the tree is empty afterwards. No walk may be under way.
    pub fn advance(&mut self, codes: &[u16]) {
        let Some(mut root) = self.root_index() else { return };
        for &code in codes {
            let node = self.node(root);
            let child = self.children(node).find(|(_, child)| self.edge(node, child.parent_edge()).0 == code);
            match child.map(|(index, _)| index) {
                Some(index) => root = index,
                None => return self.clear(),
            }
        }
        // A root needs moves, not only a value: the end of a game cannot be one.
        let node = self.node(root);
        if !node.is_expanded() || node.edges() == 0 {
            return self.clear();
        }
        if !codes.is_empty() {
            self.compact(root, |_| true);
        }
    }

    /// Makes room by forgetting the least visited half of the nodes, or more if many have equally few visits. What
    /// remains keeps its visits and values, those that came from forgotten nodes included. Returns whether there is
    /// more room now. No walk may be under way. It is given up if `stop` says so while it is found out what to keep; moving what is
    /// kept takes about as long, and is not interrupted.
    pub(crate) fn forget_least(&self, stop: &dyn Fn() -> bool) -> bool {
        /// Nodes between two looks.
        const LOOK: usize = 1 << 16;
        let Some(root) = self.root_index() else { return false };
        let before = self.len();
        let mut visits: Vec<u32> = Vec::with_capacity(before);
        for first in (0..before).step_by(LOOK) {
            if stop() {
                return false;
            }
            visits.extend((first..before.min(first + LOOK)).map(|index| self.node(index as u32).visits().0));
        }
        let (_, median, _) = visits.select_nth_unstable(before / 2);
        if stop() {
            return false;
        }
        let least = median.saturating_add(1);
        // The root's own moves are what the search is about.
        self.compact(root, |node| node.visits().0 >= least || node.parent.load(Relaxed) == root);
        self.len() < before
    }

    /// Moves everything below `root` that is to be kept, together with all above it, to the beginning of the arenas.
    /// Parents come before their children and nodes in the order of their edges, so everything moves towards the
    /// beginning and nothing that is still needed is overwritten. No walk may be under way.
    fn compact(&self, root: u32, keep: impl Fn(&Node) -> bool) {
        let mut kept = 0;
        for index in 0..self.len() as u32 {
            let node = self.node(index);
            let parent = node.parent.load(Relaxed);
            let parent_moves_to = if parent == NONE { NONE } else { self.node(parent).moves_to() };
            let lives = index == root || index > root && parent_moves_to != NONE && keep(node);
            node.set_moves_to(if lives { kept } else { NONE });
            node.parent.store(if index == root { NONE } else { parent_moves_to }, Relaxed);
            kept += u32::from(lives);
        }
        let mut next_edge = 0;
        for index in root..self.len() as u32 {
            let from = self.node(index);
            let moves_to = from.moves_to();
            if moves_to == NONE {
                continue;
            }
            let (first_edge, edges) = (from.first_edge.load(Relaxed), u32::from(from.edges()));
            for edge in 0..edges {
                let word = self.edges[(first_edge + edge) as usize].load(Relaxed);
                self.edges[(next_edge + edge) as usize].store(word, Relaxed);
            }
            let to = self.node(moves_to);
            to.copy_from(from);
            to.first_edge.store(next_edge, Relaxed);
            next_edge += edges;
            let parent = to.parent.load(Relaxed);
            if parent != NONE {
                self.put_first(self.node(parent), moves_to);
            }
        }
        self.used.0.store(u64::from(next_edge) << 32 | u64::from(kept), Relaxed);
        self.root.store(0, Relaxed);
    }

    /// Nodes in use.
    pub fn len(&self) -> usize {
        self.used.0.load(Acquire) as u32 as usize
    }

    /// Whether there is no root.
    pub fn is_empty(&self) -> bool {
        self.root_index().is_none()
    }

    /// Bytes of nodes and edges in use.
    pub fn used_bytes(&self) -> usize {
        let edges = (self.used.0.load(Acquire) >> 32) as usize;
        self.len() * size_of::<Node>() + edges * size_of::<AtomicU32>()
    }

    /// The share of the nodes or of the edges that is in use, whichever is larger.
    pub fn fill(&self) -> f32 {
        let edges = (self.used.0.load(Acquire) >> 32) as usize;
        (self.len() as f32 / self.nodes.len() as f32).max(edges as f32 / self.edges.len() as f32)
    }

    /// The root, if there is one.
    pub fn root(&self) -> Option<View<'_>> {
        Some(View::new(self, self.node(self.root_index()?)))
    }

    /// Gives the root's moves other priors, in the order of [`View::children`]. No walk may be under way.
    pub fn set_root_priors(&mut self, priors: &[f32]) {
        let Some(root) = self.root_index().map(|root| self.node(root)) else { return };
        let before: Vec<u16> = (0..root.edges()).map(|edge| self.edge(root, edge).0).collect();
        self.set_priors(root, priors);
        self.renumber_children(root, &before);
    }

    /// Keeps only the root's moves whose codes are in `keep`, with what is known about them. If these are none or all,
    /// nothing changes. No walk may be under way.
    pub fn restrict_root(&mut self, keep: &[u16]) {
        let Some(root) = self.root_index().map(|root| self.node(root)) else { return };
        let before: Vec<u16> = (0..root.edges()).map(|edge| self.edge(root, edge).0).collect();
        let kept: Vec<(u16, f32)> =
            (0..root.edges()).map(|edge| self.edge(root, edge)).filter(|(code, _)| keep.contains(code)).collect();
        if kept.is_empty() || kept.len() == before.len() {
            return;
        }
        let sum: f32 = kept.iter().map(|(_, prior)| prior).sum();
        let even = 1.0 / kept.len() as f32;
        for (edge, (code, prior)) in (0..).zip(&kept) {
            self.set_edge(root, edge, *code, if sum > 0.0 { prior / sum } else { even });
        }
        root.set_edges(kept.len() as u16);
        self.renumber_children(root, &before);
    }

    /// Finds the new edges of children whose parent's edges had these codes before. Those without one are abandoned.
    fn renumber_children(&self, parent: &Node, before: &[u16]) {
        let children: Vec<(u32, &Node)> = self.children(parent).collect();
        parent.first_child.store(NONE, Relaxed);
        for (index, child) in children.into_iter().rev() {
            let code = before[usize::from(child.parent_edge())];
            match (0..parent.edges()).find(|edge| self.edge(parent, *edge).0 == code) {
                Some(edge) => {
                    child.set_parent_edge(edge);
                    self.put_first(parent, index);
                }
                None => self.abandon(index),
            }
        }
    }

    /// Links a child before the others of its parent. No other thread may be reading.
    fn put_first(&self, parent: &Node, child: u32) {
        self.follow_with(self.node(child), parent.first_child.load(Relaxed));
        parent.first_child.store(child, Relaxed);
    }

    /// Makes `head` and those after it the siblings after a node.
    fn follow_with(&self, node: &Node, head: u32) {
        let [second, third, _] = if head == NONE { [NONE; 3] } else { self.node(head).siblings() };
        node.set_siblings([head, second, third]);
    }

    /// The evaluator's value of the node itself: what its visits add up to beyond those of its children.
    pub(super) fn own_value(&self, node: &Node) -> f32 {
        let (mut sum, mut visits) = (node.value_sum(), node.visits().0);
        for (_, child) in self.children(node) {
            let same = child.side() == node.side();
            sum -= if same { child.value_sum() } else { -child.value_sum() };
            visits = visits.saturating_sub(child.visits().0);
        }
        (sum / f64::from(visits.max(1))).clamp(-1.0, 1.0) as f32
    }

    /// Whether moves left are summed.
    pub(super) fn tracks_moves_left(&self) -> bool {
        self.moves_left.load(Relaxed)
    }

    /// From now on moves left are summed.
    pub(super) fn track_moves_left(&self) {
        if !self.tracks_moves_left() {
            self.moves_left.store(true, Relaxed);
        }
    }

    #[cfg(test)]
    pub(crate) fn set_root_visits(&self, visits: u32) {
        self.root_index().into_iter().for_each(|root| self.node(root).set_visits(visits));
    }

    pub(super) fn root_index(&self) -> Option<u32> {
        Some(self.root.load(Acquire)).filter(|root| *root != NONE)
    }

    pub(super) fn node(&self, index: u32) -> &Node {
        &self.nodes[index as usize]
    }

    /// The code and prior of a node's edge.
    #[inline]
    pub(super) fn edge(&self, node: &Node, edge: u16) -> (u16, f32) {
        let word = self.edges[node.first_edge.load(Relaxed) as usize + usize::from(edge)].load(Relaxed);
        (word as u16, (word >> 16) as f32 / PRIOR_STEPS)
    }

    #[inline]
    pub(super) fn set_edge(&self, node: &Node, edge: u16, code: u16, prior: f32) {
        let at = node.first_edge.load(Relaxed) as usize + usize::from(edge);
        self.edges[at].store(pack(code, prior), Relaxed);
    }

    /// Sets the priors of a node's moves, given in their present order, and sorts the most promising first.
    pub(super) fn set_priors(&self, node: &Node, priors: &[f32]) {
        let first = node.first_edge.load(Relaxed) as usize;
        let edges = &self.edges[first..first + usize::from(node.edges())];
        let pack = |(edge, prior): (&AtomicU32, &f32)| pack(edge.load(Relaxed) as u16, *prior);
        let mut words = ArrayVec::<u32, MOST_MOVES>::new();
        words.extend(edges.iter().zip(priors).take(MOST_MOVES).map(pack));
        words.sort_unstable_by(|a, b| b.cmp(a));
        // By reference: an iterator that owns the array would copy its 4 kB first.
        edges.iter().zip(&words).for_each(|(edge, word)| edge.store(*word, Relaxed));
    }

    /// The child at an edge, if it has been visited.
    pub(super) fn child(&self, node: &Node, edge: u16) -> Option<u32> {
        self.children(node).find(|(_, child)| child.parent_edge() == edge).map(|(index, _)| index)
    }

    /// Cuts off a node and all below it; compacting the tree removes them.
    pub(super) fn abandon(&self, index: u32) {
        self.node(index).parent.store(NONE, Relaxed);
    }

    /// The visited children of a node.
    pub(super) fn children<'a>(&'a self, node: &Node) -> impl Iterator<Item = (u32, &'a Node)> {
        let mut group = [node.first_child.load(Acquire), NONE, NONE];
        let mut at = 0;
        std::iter::from_fn(move || {
            let index = *group.get(at).filter(|index| **index != NONE)?;
            let child = self.node(index);
            at += 1;
            if group.get(at).is_none_or(|next| *next == NONE) {
                (group, at) = (child.siblings(), 0);
            }
            Some((index, child))
        })
    }

    /// Makes a node with `edges` edges; `None` if the tree is full.
    pub(super) fn allocate(&self, side: Side, parent: u32, parent_edge: u16, edges: u16) -> Option<u32> {
        let (nodes, room) = (self.nodes.len() as u64, self.edges.len() as u64);
        let take = |used: u64| {
            let (used_nodes, used_edges) = (used & u64::from(u32::MAX), used >> 32);
            let fits = used_nodes < nodes && used_edges + u64::from(edges) <= room;
            fits.then_some((used_edges + u64::from(edges)) << 32 | (used_nodes + 1))
        };
        let used = self.used.0.fetch_update(AcqRel, Acquire, take).ok()?;
        let index = used as u32;
        self.node(index).fill(side, parent, parent_edge, (used >> 32) as u32, edges);
        Some(index)
    }

    /// Makes a complete node the root, unless another thread was faster.
    pub(super) fn link_root(&self, root: u32) -> bool {
        self.root.compare_exchange(NONE, root, AcqRel, Acquire).is_ok()
    }

    /// Puts a complete child among those of its parent, unless another thread has put one there for the same edge.
    pub(super) fn link(&self, parent: &Node, child: u32) -> bool {
        let node = self.node(child);
        let mut head = parent.first_child.load(Acquire);
        loop {
            if self.children(parent).any(|(_, other)| other.parent_edge() == node.parent_edge()) {
                return false;
            }
            self.follow_with(node, head);
            match parent.first_child.compare_exchange(head, child, AcqRel, Acquire) {
                Ok(_) => return true,
                Err(now) => head = now,
            }
        }
    }
}

/// An edge in one word: larger is more promising.
fn pack(code: u16, prior: f32) -> u32 {
    let steps = (prior.clamp(0.0, 1.0) * PRIOR_STEPS + 0.5) as u32;
    u32::from(code) | steps << 16
}

/// The numbers of nodes and edges of a tree of `bytes` bytes. Both are numbered with 32 bits.
fn shape(bytes: usize, moves: usize) -> (usize, usize) {
    let each = size_of::<Node>() + moves.max(1) * size_of::<AtomicU32>();
    let nodes = (bytes / each).clamp(1, NONE as usize);
    let rest = bytes.saturating_sub(nodes * size_of::<Node>());
    (nodes, (rest / size_of::<AtomicU32>()).clamp(MOST_MOVES, u32::MAX as usize))
}
