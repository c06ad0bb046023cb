//! SSS*: Stockman's best-first search.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::node::{INFINITE, Node, at_ply};

/// The value that [`minimax`](super::minimax()) gives, and the number of leaves visited.
///
/// Partial solution trees compete: the one with the best upper bound is taken further, so that no leaf is visited that
/// alpha-beta would skip. The price is memory: the list of open positions grows exponentially with the depth.
pub fn sss<N: Node>(node: &N, depth: u32) -> (i32, u64) {
    sss_within(node, depth, usize::MAX).unwrap_or_default()
}

/// The same, if it takes no more than this many vertices, of about a hundred bytes each.
pub fn sss_within<N: Node>(node: &N, depth: u32, most: usize) -> Option<(i32, u64)> {
    let root_side = node.side();
    let root = &node.lean();
    let mut tree = vec![Vertex {
        parent: None,
        place: 0,
        played: None,
        maximises: true,
        depth,
        ply: 0,
        first_child: None,
        children: 0,
    }];
    let mut open = BTreeMap::new();
    let mut leaves = 0;
    // The largest bound first; among equals the leftmost, which the path of places orders.
    open.insert((Reverse(INFINITE), Vec::new()), (0, false));
    let (mut moves, mut way) = (Vec::new(), Vec::new());
    while let Some(((Reverse(bound), path), (at, solved))) = open.pop_first() {
        if solved {
            let Some(parent) = tree[at].parent else { return Some((bound, leaves)) };
            let parent_path = path[..path.len() - 1].to_vec();
            let next = tree[at].place + 1;
            if tree[parent].maximises {
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
        let node = reach(root, &tree, at, &mut way);
        let maximises = node.side() == root_side;
        let Vertex { depth, ply, .. } = tree[at];
        let seen_by_root = |value: i32| if maximises { value } else { -value };
        let end = node.expand(&mut moves).map(|end| at_ply(end, ply));
        let leaf = end.or_else(|| (depth == 0).then(|| node.evaluate()));
        if let Some(value) = leaf.map(seen_by_root) {
            leaves += 1;
            open.insert((Reverse(bound.min(value)), path), (at, true));
            continue;
        }
        let first_child = tree.len();
        if moves.len() > most.saturating_sub(first_child) {
            return None;
        }
        let below = Vertex {
            parent: Some(at),
            place: 0,
            played: None,
            maximises: false,
            depth: depth - 1,
            ply: ply + 1,
            first_child: None,
            children: 0,
        };
        tree.extend(moves.iter().enumerate().map(|(place, &m)| Vertex { place, played: Some(m), ..below }));
        let vertex = &mut tree[at];
        (vertex.maximises, vertex.first_child, vertex.children) = (maximises, Some(first_child), moves.len());
        // All choices of the mover compete; the opponent's replies are searched one after the other.
        let competing = if maximises { moves.len() } else { 1 };
        for place in 0..competing {
            let mut child_path = path.clone();
            child_path.push(place);
            open.insert((Reverse(bound), child_path), (first_child + place, false));
        }
    }
    Some((-INFINITE, leaves))
}

#[derive(Clone, Copy)]
struct Vertex<M> {
    parent: Option<usize>,
    /// Which of its parent's moves leads here.
    place: usize,
    /// That move. A whole position in each vertex would take many times the memory, and reaching one takes few moves.
    played: Option<M>,
    /// Whether the root's side moves here; known once the vertex has been expanded.
    maximises: bool,
    depth: u32,
    ply: i32,
    first_child: Option<usize>,
    children: usize,
}

/// The position of a vertex. `way` is a buffer.
fn reach<N: Node>(root: &N, tree: &[Vertex<N::Move>], at: usize, way: &mut Vec<N::Move>) -> N {
    way.clear();
    let mut vertex = &tree[at];
    while let (Some(parent), Some(m)) = (vertex.parent, vertex.played) {
        way.push(m);
        vertex = &tree[parent];
    }
    let mut node = root.clone();
    way.iter().rev().for_each(|m| node.play(*m));
    node
}
