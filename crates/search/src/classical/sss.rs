//! SSS*: Stockman's best-first search.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::node::{INFINITE, Node, at_ply};

/// The value that [`minimax`](super::minimax()) gives, and the number of leaves visited.
///
/// Partial solution trees compete: the one with the best upper bound is taken further, so that no leaf is visited that
/// alpha-beta would skip. The price is memory: the list of open positions grows exponentially with the depth.
pub fn sss<N: Node>(node: &N, depth: u32) -> (i32, u64) {
    let root_side = node.side();
    let mut tree =
        vec![Vertex { parent: None, place: 0, node: node.clone(), depth, ply: 0, first_child: None, children: 0 }];
    let mut open = BTreeMap::new();
    let mut leaves = 0;
    // The largest bound first; among equals the leftmost, which the path of places orders.
    open.insert((Reverse(INFINITE), Vec::new()), (0, false));
    let mut moves = Vec::new();
    while let Some(((Reverse(bound), path), (at, solved))) = open.pop_first() {
        if solved {
            let Some(parent) = tree[at].parent else { return (bound, leaves) };
            let parent_path = path[..path.len() - 1].to_vec();
            let maximises = tree[parent].node.side() == root_side;
            let next = tree[at].place + 1;
            if maximises {
                // The best of the mover's choices is known: the rest below the parent no longer matters.
                open.retain(|(_, other), _| !other.starts_with(&parent_path));
                open.insert((Reverse(bound), parent_path), (parent, true));
            } else if next < tree[parent].children {
                let sibling = tree[parent].first_child.unwrap_or_default() + next;
                let mut sibling_path = parent_path;
                sibling_path.push(next);
                open.insert((Reverse(bound), sibling_path), (sibling, false));
            } else {
                open.insert((Reverse(bound), parent_path), (parent, true));
            }
            continue;
        }
        let vertex = &tree[at];
        let seen_by_root = |value: i32| if vertex.node.side() == root_side { value } else { -value };
        let end = vertex.node.expand(&mut moves).map(|end| at_ply(end, vertex.ply));
        let leaf = end.or_else(|| (vertex.depth == 0).then(|| vertex.node.evaluate()));
        if let Some(value) = leaf.map(seen_by_root) {
            leaves += 1;
            open.insert((Reverse(bound.min(value)), path), (at, true));
            continue;
        }
        let maximises = vertex.node.side() == root_side;
        let (depth, ply) = (vertex.depth - 1, vertex.ply + 1);
        let first_child = tree.len();
        for (place, &m) in moves.iter().enumerate() {
            let mut after = tree[at].node.clone();
            after.play(m);
            tree.push(Vertex { parent: Some(at), place, node: after, depth, ply, first_child: None, children: 0 });
        }
        tree[at].first_child = Some(first_child);
        tree[at].children = moves.len();
        // All choices of the mover compete; the opponent's replies are searched one after the other.
        let competing = if maximises { moves.len() } else { 1 };
        for place in 0..competing {
            let mut child_path = path.clone();
            child_path.push(place);
            open.insert((Reverse(bound), child_path), (first_child + place, false));
        }
    }
    (-INFINITE, leaves)
}

struct Vertex<N> {
    parent: Option<usize>,
    /// Which of its parent's moves leads here.
    place: usize,
    node: N,
    depth: u32,
    ply: i32,
    first_child: Option<usize>,
    children: usize,
}
