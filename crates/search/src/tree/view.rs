//! Reading a tree, during or after a search.

use alfil_game::{Mover, Wdl};

use super::node::Node;
use super::proof::Proof;
use super::store::Tree;

/// A node, as its mover sees it.
#[derive(Clone, Copy)]
pub struct View<'a> {
    tree: &'a Tree,
    node: &'a Node,
}

/// A move at a node, as the node's mover sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Child {
    /// The number of the edge.
    pub edge: u16,
    /// The move's code.
    pub code: u16,
    /// The evaluator's prior.
    pub prior: f32,
    /// Completed visits.
    pub visits: u32,
    /// Completed visits and those under way.
    pub started: u32,
    /// Mean probabilities of win, draw and loss, if it has been visited.
    pub wdl: Option<Mover<Wdl>>,
    /// Expected plies to the end after it, if the evaluator predicts them.
    pub moves_left: Option<f32>,
    /// Its proven result, if any, with plies counted from the node.
    pub proof: Option<Proof>,
}

impl Child {
    /// Win minus loss: as proven, or else the mean of all visits.
    pub fn value(&self) -> Option<f32> {
        let proven = self.proof.map(|proof| proof.score.0.value());
        proven.or(self.wdl.map(|wdl| wdl.0.value()))
    }

    /// A proven win comes first, the shortest; then what is not a proven loss, by visits, then value, then prior; last the
    /// losses, the longest first.
    fn rank(&self) -> (u8, i32, f32, f32) {
        let (class, rank) = match self.proof {
            Some(proof) if proof.is_win() => (2, proof.preference()),
            Some(proof) if proof.is_loss() => (0, proof.preference()),
            _ => (1, i32::try_from(self.visits).unwrap_or(i32::MAX)),
        };
        (class, rank, self.value().unwrap_or(-1.0), self.prior)
    }
}

impl<'a> View<'a> {
    pub(super) fn new(tree: &'a Tree, node: &'a Node) -> View<'a> {
        View { tree, node }
    }

    /// How often the position has been visited.
    pub fn visits(&self) -> u32 {
        self.node.visits().0
    }

    /// Mean probabilities of win, draw and loss, if it has been visited.
    pub fn wdl(&self) -> Option<Mover<Wdl>> {
        self.node.wdl()
    }

    /// The evaluator's value of the position itself: win minus loss.
    pub fn own_value(&self) -> f32 {
        self.tree.own_value(self.node)
    }

    /// The proven result, if any.
    pub fn proof(&self) -> Option<Proof> {
        self.node.proof()
    }

    /// Whether there is a move whose result is not proven.
    pub(crate) fn has_unproven_move(&self) -> bool {
        let proven = self.tree.children(self.node).filter(|(_, child)| child.proof().is_some());
        proven.count() < usize::from(self.node.edges())
    }

    /// Every move, the highest prior first; none before the position has been evaluated.
    pub fn children(&self) -> Vec<Child> {
        let mut children = Vec::new();
        self.read_children(&mut children);
        children
    }

    /// The same, into an existing vector.
    pub(crate) fn read_children(&self, children: &mut Vec<Child>) {
        children.clear();
        if !self.node.is_expanded() {
            return;
        }
        let (tree, parent) = (self.tree, self.node);
        let unvisited = |edge| {
            let (code, prior) = tree.edge(parent, edge);
            Child { edge, code, prior, visits: 0, started: 0, wdl: None, moves_left: None, proof: None }
        };
        children.extend((0..parent.edges()).map(unvisited));
        for (_, node) in tree.children(parent) {
            let child = &mut children[usize::from(node.parent_edge())];
            (child.visits, child.started) = node.visits();
            child.wdl = node.wdl().map(|wdl| wdl.seen_by(node.side(), parent.side()));
            child.moves_left = node.moves_left();
            child.proof = node.proof().map(|proof| proof.before(node.side(), parent.side()));
        }
    }

    /// The moves, the best to play first: a proven win, the shortest; then what is not a proven loss, the most visited
    /// first, value and prior deciding between equals; then the losses, the longest first.
    pub fn ranked(&self) -> Vec<Child> {
        let mut children = self.children();
        children.sort_by(|a, b| {
            let ((class, rank, value, prior), other) = (b.rank(), a.rank());
            let order = class.cmp(&other.0).then(rank.cmp(&other.1));
            order.then(value.total_cmp(&other.2)).then(prior.total_cmp(&other.3))
        });
        children
    }

    /// The move to play.
    pub fn best(&self) -> Option<Child> {
        self.ranked().into_iter().next()
    }

    /// The position after a move, if it has been visited.
    pub fn after(&self, edge: u16) -> Option<View<'a>> {
        let index = self.tree.child(self.node, edge)?;
        Some(View::new(self.tree, self.tree.node(index)))
    }

    /// The codes of the expected moves, beginning with this edge's.
    pub fn line(&self, edge: u16) -> Vec<u16> {
        let mut codes = vec![self.tree.edge(self.node, edge).0];
        let mut at = self.after(edge);
        while let Some(view) = at {
            let next = view.best().filter(|child| child.visits > 0);
            codes.extend(next.map(|child| child.code));
            at = next.and_then(|child| view.after(child.edge));
        }
        codes
    }
}
