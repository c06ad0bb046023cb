//! The arenas and what can be read from them.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use std::sync::atomic::{AtomicU32, AtomicU64};

use alfil_game::Side;

use super::node::{NONE, Node, Proof};

/// More than any position of the games here has; of more, the first are searched.
pub(super) const MOST_MOVES: usize = 1_024;

/// Priors are kept in steps of this.
const PRIOR_STEPS: f32 = 65_535.0;

/// A search tree of a fixed size.
pub struct Tree {
    nodes: Box<[Node]>,
    /// Move in the lower half, prior in the upper.
    edges: Box<[AtomicU32]>,
    /// Nodes in use in the lower half, edges in the upper: taken together, so that nodes and their edges lie in the same
    /// order.
    used: AtomicU64,
    /// The root, once it is complete.
    root: AtomicU32,
}

/// A move at a node, as the node's mover sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Child {
    /// The move's code.
    pub code: u16,
    /// What the evaluator held of it.
    pub prior: f32,
    /// How often it has been tried.
    pub visits: u32,
    /// Mean probabilities of win, draw and loss, if it has been tried.
    pub wdl: Option<[f32; 3]>,
    /// What is certain about it, with the plies from here.
    pub proof: Option<Proof>,
}

impl Tree {
    /// A tree that never takes more than `bytes` bytes, for positions of about `moves` moves each. Only where not even a
    /// root with the most moves that are searched (1,024) would fit does it take as much as that needs.
    pub fn new(bytes: usize, moves: usize) -> Tree {
        let each = size_of::<Node>() + moves.max(1) * size_of::<AtomicU32>();
        let nodes = (bytes / each).max(1);
        let rest = bytes.saturating_sub(nodes * size_of::<Node>());
        let edges = (rest / size_of::<AtomicU32>()).max(MOST_MOVES);
        Tree {
            nodes: (0..nodes).map(|_| Node::default()).collect(),
            edges: (0..edges).map(|_| AtomicU32::new(0)).collect(),
            used: AtomicU64::new(0),
            root: AtomicU32::new(NONE),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self.used.get_mut() = 0;
        *self.root.get_mut() = NONE;
    }

    /// Makes the position after these moves, given by their codes, the root, and keeps what is known below it. Without a
    /// node for it the tree is empty afterwards. No walk may be under way.
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
        // A root needs its moves, not only its value: the end of a game is none.
        let node = self.node(root);
        if !node.is_expanded() || node.edges() == 0 {
            return self.clear();
        }
        if !codes.is_empty() {
            self.compact(root);
        }
    }

    /// Moves everything below `root` to the beginning of the arenas. Parents stand before their children and nodes in the
    /// order of their edges, so that all goes towards the beginning and nothing is overwritten that is still needed.
    fn compact(&mut self, root: u32) {
        let mut kept = 0;
        for index in 0..self.len() as u32 {
            let node = self.node(index);
            let parent = node.parent.load(Relaxed);
            let parent_moves_to = if parent == NONE { NONE } else { self.node(parent).moves_to.load(Relaxed) };
            let lives = index == root || index > root && parent_moves_to != NONE;
            node.moves_to.store(if lives { kept } else { NONE }, Relaxed);
            node.parent.store(if index == root { NONE } else { parent_moves_to }, Relaxed);
            kept += u32::from(lives);
        }
        let mut next_edge = 0;
        for index in root..self.len() as u32 {
            let from = self.node(index);
            let moves_to = from.moves_to.load(Relaxed);
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
                let siblings = &self.node(parent).first_child;
                to.next_sibling.store(siblings.load(Relaxed), Relaxed);
                siblings.store(moves_to, Relaxed);
            }
        }
        *self.used.get_mut() = u64::from(next_edge) << 32 | u64::from(kept);
        *self.root.get_mut() = 0;
    }

    /// Nodes in use.
    pub fn len(&self) -> usize {
        self.used.load(Acquire) as u32 as usize
    }

    /// Whether there is not even a root.
    pub fn is_empty(&self) -> bool {
        self.root_index().is_none()
    }

    /// Bytes of nodes and edges in use.
    pub fn used_bytes(&self) -> usize {
        let edges = (self.used.load(Acquire) >> 32) as usize;
        self.len() * size_of::<Node>() + edges * size_of::<AtomicU32>()
    }

    /// What the root is worth to its mover: visits, and mean win, draw and loss.
    pub fn root(&self) -> Option<(u32, Option<[f32; 3]>, Option<Proof>)> {
        let root = self.node(self.root_index()?);
        Some((root.visits().0, root.wdl(), root.proof()))
    }

    /// Every move of the root, the most promising first at the time it was evaluated.
    pub fn root_children(&self) -> Vec<Child> {
        let root = self.root_index().map(|root| self.node(root)).filter(|root| root.is_expanded());
        let Some(root) = root else { return Vec::new() };
        let mut children: Vec<Child> = (0..root.edges())
            .map(|edge| {
                let (code, prior) = self.edge(root, edge);
                Child { code, prior, visits: 0, wdl: None, proof: None }
            })
            .collect();
        for (_, node) in self.children(root) {
            let same = node.side() == root.side();
            let child = &mut children[usize::from(node.parent_edge())];
            child.visits = node.visits().0;
            child.wdl = node.wdl().map(|[win, draw, loss]| if same { [win, draw, loss] } else { [loss, draw, win] });
            child.proof = node.proof().map(|proof| proof.before(same));
        }
        children
    }

    /// The move to play: a proven win, the shortest; else the most visited that is not a proven loss, the better value and
    /// then the better prior deciding; else the loss that takes longest.
    pub fn best(&self) -> Option<Child> {
        let rank = |child: &Child| match child.proof {
            Some(Proof::Win(_)) => (2, child.proof.map_or(0, Proof::preference)),
            Some(Proof::Loss(_)) => (0, child.proof.map_or(0, Proof::preference)),
            _ => (1, i32::try_from(child.visits).unwrap_or(i32::MAX)),
        };
        let value = |child: &Child| child.wdl.map_or(-1.0, |[win, _, loss]| win - loss);
        let better = |a: &Child, b: &Child| {
            rank(a).cmp(&rank(b)).then(value(a).total_cmp(&value(b))).then(a.prior.total_cmp(&b.prior))
        };
        self.root_children().into_iter().max_by(better)
    }

    pub(super) fn root_index(&self) -> Option<u32> {
        Some(self.root.load(Acquire)).filter(|root| *root != NONE)
    }

    pub(super) fn node(&self, index: u32) -> &Node {
        &self.nodes[index as usize]
    }

    /// The code and prior of a node's edge.
    pub(super) fn edge(&self, node: &Node, edge: u16) -> (u16, f32) {
        let word = self.edges[node.first_edge.load(Relaxed) as usize + usize::from(edge)].load(Relaxed);
        (word as u16, (word >> 16) as f32 / PRIOR_STEPS)
    }

    pub(super) fn set_edge(&self, node: &Node, edge: u16, code: u16, prior: f32) {
        let steps = (prior.clamp(0.0, 1.0) * PRIOR_STEPS).round() as u32;
        let at = node.first_edge.load(Relaxed) as usize + usize::from(edge);
        self.edges[at].store(u32::from(code) | steps << 16, Relaxed);
    }

    /// The visited children of a node.
    pub(super) fn children<'a>(&'a self, node: &Node) -> impl Iterator<Item = (u32, &'a Node)> {
        let mut next = node.first_child.load(Acquire);
        std::iter::from_fn(move || {
            let index = next;
            let child = (index != NONE).then(|| self.node(index))?;
            next = child.next_sibling.load(Relaxed);
            Some((index, child))
        })
    }

    /// Room for a node with so many edges, or `None` if the tree is full.
    pub(super) fn allocate(&self, side: Side, parent: u32, parent_edge: u16, edges: u16) -> Option<u32> {
        let (nodes, room) = (self.nodes.len() as u64, self.edges.len() as u64);
        let take = |used: u64| {
            let (used_nodes, used_edges) = (used & u64::from(u32::MAX), used >> 32);
            let fits = used_nodes < nodes && used_edges + u64::from(edges) <= room;
            fits.then_some((used_edges + u64::from(edges)) << 32 | (used_nodes + 1))
        };
        let used = self.used.fetch_update(AcqRel, Acquire, take).ok()?;
        let index = used as u32;
        self.node(index).fill(side, parent, parent_edge, (used >> 32) as u32, edges);
        Some(index)
    }

    /// Makes a complete node the root, unless another thread has been faster.
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
            node.next_sibling.store(head, Relaxed);
            match parent.first_child.compare_exchange(head, child, AcqRel, Acquire) {
                Ok(_) => return true,
                Err(now) => head = now,
            }
        }
    }
}
