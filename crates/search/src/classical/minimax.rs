//! The definition of a position's value at a depth.

use alfil_game::Side;

use super::node::{INFINITE, Node, at_ply};

/// The value of `node` for its mover, searched to `depth` plies: one side takes the largest value of its moves, the other
/// the smallest, with ends and estimates all seen by the side to move at the root.
pub fn minimax<N: Node>(node: &N, depth: u32) -> i32 {
    descend(node, depth, 0, node.side())
}

fn descend<N: Node>(node: &N, depth: u32, ply: i32, root: Side) -> i32 {
    let seen_by_root = |value: i32| if node.side() == root { value } else { -value };
    let mut moves = Vec::new();
    if depth == 0 {
        return seen_by_root(at_ply(node.at_horizon(&mut moves), ply));
    }
    if let Some(end) = node.expand(&mut moves) {
        return seen_by_root(at_ply(end, ply));
    }
    let values = moves.into_iter().map(|m| {
        let mut after = node.clone();
        after.play(m);
        descend(&after, depth - 1, ply + 1, root)
    });
    if node.side() == root { values.max().unwrap_or(-INFINITE) } else { values.min().unwrap_or(INFINITE) }
}

/// The positions that [`minimax`] looks at, the root included: the whole tree.
pub fn minimax_nodes<N: Node>(node: &N, depth: u32) -> u64 {
    let mut moves = Vec::new();
    if depth == 0 || node.expand(&mut moves).is_some() {
        return 1;
    }
    let below = moves.into_iter().map(|m| {
        let mut after = node.clone();
        after.play(m);
        minimax_nodes(&after, depth - 1)
    });
    1 + below.sum::<u64>()
}

/// The same value with one rule for both sides: the best of the moves' values, negated where the side changes.
pub fn negamax<N: Node>(node: &N, depth: u32) -> i32 {
    fn descend<N: Node>(node: &N, depth: u32, ply: i32) -> i32 {
        let mut moves = Vec::new();
        if depth == 0 {
            return at_ply(node.at_horizon(&mut moves), ply);
        }
        if let Some(end) = node.expand(&mut moves) {
            return at_ply(end, ply);
        }
        let value = |m| {
            let mut after = node.clone();
            after.play(m);
            let value = descend(&after, depth - 1, ply + 1);
            if after.side() == node.side() { value } else { -value }
        };
        moves.into_iter().map(value).max().unwrap_or(-INFINITE)
    }
    descend(node, depth, 0)
}
