//! Which move a walk follows at a node.

use alfil_game::Side;
use arrayvec::ArrayVec;

use super::node::Node;
use super::store::{MOST_MOVES, Tree};
use crate::selection::{Gumbel, GumbelMove, MovesLeft, Rule, simple_puct, uct};

/// The value of a proven win, negative for a loss: a lost move is not visited again while there is another one, and a
/// won one always.
const DECIDED: f32 = 10.0;

/// The edge to follow, and the child there, if it has been visited.
pub(super) fn select(tree: &Tree, node: &Node, rule: &Rule) -> (u16, Option<u32>) {
    // Minus this walk's own visit, which has begun already.
    let visits = node.visits().1.saturating_sub(1);
    match rule {
        Rule::Puct(puct) => {
            let scale = puct.scale(visits);
            let draw = if node.side() == Side::First { puct.draw } else { -puct.draw };
            let value = value(node) + draw_part(node, draw);
            let score = |q: f32, prior: f32, n: u32| q + scale * prior / (1.0 + n as f32);
            let first_play = |visited_policy| puct.first_play(value, visited_policy);
            highest(tree, node, Adjustments { moves_left: puct.moves_left, draw }, score, first_play)
        }
        Rule::Uct { c } => highest(tree, node, Adjustments::default(), |q, _, n| uct(q, *c, visits, n), |_| 0.0),
        Rule::SimplePuct => highest(tree, node, Adjustments::default(), simple_puct, |_| 0.0),
        Rule::Gumbel(gumbel) => follow_improved(tree, node, gumbel),
    }
}

/// What counts besides win and loss.
#[derive(Clone, Copy, Default)]
struct Adjustments {
    moves_left: Option<MovesLeft>,
    /// What a draw is worth to the node's mover.
    draw: f32,
}

/// What draws add to a node's value.
#[inline]
fn draw_part(node: &Node, draw: f32) -> f32 {
    if draw == 0.0 { 0.0 } else { node.wdl().map_or(0.0, |wdl| draw * wdl.0.draw) }
}

/// Win minus loss; 0 without a visit.
#[inline]
fn value(node: &Node) -> f32 {
    node.value().unwrap_or(0.0)
}

/// The value of a visited child to the node's mover.
#[inline]
fn child_value(node: &Node, child: &Node) -> f32 {
    let same = child.side() == node.side();
    match child.proof() {
        // Only a search for a sooner win goes on at a proven node, and there is nothing to find below a proven child.
        Some(_) if node.proof().is_some() => -DECIDED,
        Some(proof) if proof.is_win() || proof.is_loss() => DECIDED * if proof.is_win() == same { 1.0 } else { -1.0 },
        _ => child.value().map_or_else(|| value(node), |value| if same { value } else { -value }),
    }
}

/// The move with the highest score, which is made of value, prior and visits.
fn highest(
    tree: &Tree,
    node: &Node,
    beside: Adjustments,
    score: impl Fn(f32, f32, u32) -> f32,
    first_play: impl Fn(f32) -> f32,
) -> (u16, Option<u32>) {
    let mut best = (f32::NEG_INFINITY, 0, None);
    let mut visited_policy = 0.0;
    // One bit for each edge that has a child.
    let mut visited = [0u64; MOST_MOVES / 64];
    let moves_left = beside.moves_left.zip(node.moves_left());
    for (index, child) in tree.children(node) {
        let edge = child.parent_edge();
        visited[usize::from(edge) / 64] |= 1 << (edge % 64);
        let (_, prior) = tree.edge(node, edge);
        visited_policy += prior;
        let mut q = child_value(node, child) + draw_part(child, beside.draw);
        if let Some((rule, parent_plies)) = moves_left
            && let Some(plies) = child.moves_left()
        {
            // What comes after the child is a ply further away.
            q += rule.bonus(q, plies + 1.0, parent_plies);
        }
        let score = score(q, prior, child.visits().1);
        if score > best.0 {
            best = (score, edge, Some(index));
        }
    }
    // Edges are ordered by prior, so the first that has no child is the best of those.
    let first_unvisited = visited.iter().zip((0..).step_by(64)).find(|(word, _)| **word != u64::MAX);
    let first_unvisited = first_unvisited.map(|(word, start)| start + word.trailing_ones() as u16);
    if let Some(edge) = first_unvisited.filter(|edge| *edge < node.edges()) {
        let score = score(first_play(visited_policy), tree.edge(node, edge).1, 0);
        if score > best.0 {
            best = (score, edge, None);
        }
    }
    (best.1, best.2)
}

/// The move whose visits lag most behind the improved policy.
fn follow_improved(tree: &Tree, node: &Node, gumbel: &Gumbel) -> (u16, Option<u32>) {
    let unvisited = |edge| GumbelMove { prior: tree.edge(node, edge).1, ..GumbelMove::default() };
    // On the stack; only as much of it is touched as there are moves.
    let mut moves = ArrayVec::<GumbelMove, MOST_MOVES>::new();
    moves.extend((0..node.edges()).take(MOST_MOVES).map(unvisited));
    for (_, child) in tree.children(node) {
        let m = &mut moves[usize::from(child.parent_edge())];
        // Within the range that the transform is made for: a proof counts as a certain win or loss.
        m.q = child_value(node, child).clamp(-1.0, 1.0);
        (m.visits, m.started) = child.visits();
    }
    gumbel.complete(tree.own_value(node), &mut moves);
    gumbel.improve(&mut moves);
    let edge = gumbel.interior(&moves).unwrap_or(0) as u16;
    (edge, tree.child(node, edge))
}
