//! The two steps of a search.

use std::sync::atomic::Ordering::Relaxed;

use alfil_game::{Game, Score, Side};

use super::node::{NONE, Node, Proof};
use super::store::{MOST_MOVES, Tree};
use crate::Evaluation;
use crate::selection::Puct;

/// A position that waits for its evaluation. It must be [applied](apply), or its virtual visits stay for ever.
#[derive(Debug)]
pub struct Leaf {
    /// From the root to the leaf.
    path: Vec<u32>,
    /// Codes of the legal moves, in the order that the evaluator gets them in.
    codes: Vec<u16>,
}

/// What came of a walk down the tree.
#[derive(Debug)]
pub enum Gathered {
    /// [`Scratch`] holds a position and its legal moves to be evaluated.
    Leaf(Leaf),
    /// The end of a game, or a proof: its value has been carried up already.
    Known,
    /// Another walk is at the same leaf; nothing has changed.
    Collision,
    /// There is no room for another node; nothing has changed.
    Full,
}

/// One thread's memory for walks.
pub struct Scratch<G: Game> {
    /// The leaf's game, after a walk that found one.
    pub game: G,
    /// Its legal moves.
    pub moves: Vec<G::Move>,
    path: Vec<u32>,
}

impl<G: Game> Scratch<G> {
    /// Memory for walks from `root`.
    pub fn new(root: &G) -> Scratch<G> {
        Scratch { game: root.clone(), moves: Vec::new(), path: Vec::new() }
    }
}

/// Walks from the root to a leaf by PUCT, leaving a visit under way at every node.
///
/// `root` is the game at the tree's root, which must not be over.
pub fn gather<G: Game>(tree: &Tree, root: &G, puct: &Puct, scratch: &mut Scratch<G>) -> Gathered {
    scratch.game.clone_from(root);
    scratch.path.clear();
    let Some(root_index) = tree.root_index() else { return enter(tree, NONE, 0, scratch) };
    let mut at = root_index;
    loop {
        let node = tree.node(at);
        node.begin_visit();
        scratch.path.push(at);
        if let Some(proof) = node.proof().filter(|_| at != root_index) {
            let (win, loss) = proof.win_loss();
            carry_up(tree, &scratch.path, node.side(), win, loss);
            return Gathered::Known;
        }
        if !node.is_expanded() {
            return give_up(tree, &scratch.path, Gathered::Collision);
        }
        let (edge, child) = select(tree, node, puct);
        let (code, _) = tree.edge(node, edge);
        // The code is that of a move which was legal here when the edges were made.
        let Ok(m) = G::Move::try_from(code) else { return give_up(tree, &scratch.path, Gathered::Collision) };
        scratch.game.play(m);
        match child {
            Some(child) => at = child,
            None => return enter(tree, at, edge, scratch),
        }
    }
}

/// Makes a node for the game in `scratch`, below `parent`.
fn enter<G: Game>(tree: &Tree, parent: u32, edge: u16, scratch: &mut Scratch<G>) -> Gathered {
    let Scratch { game, moves, path } = scratch;
    let outcome = game.legal_moves(moves);
    moves.truncate(MOST_MOVES);
    let Some(index) = tree.allocate(game.side(), parent, edge, moves.len() as u16) else {
        return give_up(tree, path, Gathered::Full);
    };
    let node = tree.node(index);
    let proof = outcome.map(|outcome| match outcome.score.to_mover(game.side()).0 {
        Score::WIN => Proof::Win(0),
        Score::LOSS => Proof::Loss(0),
        _ => Proof::Draw(0),
    });
    if let Some(proof) = proof {
        node.prove(proof);
        node.expand();
    }
    node.begin_visit();
    let linked = if parent == NONE { tree.link_root(index) } else { tree.link(tree.node(parent), index) };
    if !linked {
        // Nobody will ever see this node: it is left behind until the tree is compacted.
        node.parent.store(NONE, Relaxed);
        return give_up(tree, path, Gathered::Collision);
    }
    path.push(index);
    match outcome {
        None => Gathered::Leaf(Leaf { path: path.clone(), codes: moves.iter().map(|&m| m.into()).collect() }),
        Some(outcome) => {
            let points = f64::from(outcome.score.to_mover(game.side()).0.points());
            // Between a draw and a win, the part of a win that it is worth.
            let (win, loss) = ((2.0 * points - 1.0).max(0.0), (1.0 - 2.0 * points).max(0.0));
            carry_up(tree, path, game.side(), win, loss);
            prove_up(tree, path);
            Gathered::Known
        }
    }
}

/// Takes an evaluation to its leaf: edges, most promising first, and the value up to the root.
pub fn apply(tree: &Tree, leaf: Leaf, evaluation: &Evaluation<'_>) {
    let Some(&at) = leaf.path.last() else { return };
    let node = tree.node(at);
    let mut order: Vec<usize> = (0..leaf.codes.len()).collect();
    order.sort_by(|a, b| evaluation.priors[*b].total_cmp(&evaluation.priors[*a]));
    for (edge, &from) in order.iter().enumerate() {
        tree.set_edge(node, edge as u16, leaf.codes[from], evaluation.priors[from]);
    }
    node.expand();
    carry_up(tree, &leaf.path, node.side(), evaluation.wdl[0].into(), evaluation.wdl[2].into());
}

/// The edge to follow, and the child there, if it has been visited.
fn select(tree: &Tree, node: &Node, puct: &Puct) -> (u16, Option<u32>) {
    let (_, parent_visits) = node.visits();
    let parent_visits = parent_visits.saturating_sub(1);
    let parent_value = node.wdl().map_or(0.0, |[win, _, loss]| win - loss);
    let mut best = (f32::NEG_INFINITY, 0, None);
    let mut visited_policy = 0.0;
    // One bit for each edge that has a child.
    let mut visited = [0u64; MOST_MOVES / 64];
    for (index, child) in tree.children(node) {
        let edge = child.parent_edge();
        visited[usize::from(edge) / 64] |= 1 << (edge % 64);
        let (_, prior) = tree.edge(node, edge);
        visited_policy += prior;
        let same = child.side() == node.side();
        let q = match child.proof().map(|proof| proof.before(same)) {
            // A move that is known to lose is not looked at again while there is another one.
            Some(Proof::Loss(_)) => -10.0,
            Some(Proof::Win(_)) => 10.0,
            _ => child.wdl().map_or(parent_value, |[win, _, loss]| if same { win - loss } else { loss - win }),
        };
        let score = puct.score(q, prior, parent_visits, child.visits().1);
        if score > best.0 {
            best = (score, edge, Some(index));
        }
    }
    // Edges are ordered by prior, so the first that has no child is the best of those.
    let first_unvisited = visited.iter().zip((0..).step_by(64)).find(|(word, _)| **word != u64::MAX);
    let first_unvisited = first_unvisited.map(|(word, start)| start + word.trailing_ones() as u16);
    if let Some(edge) = first_unvisited.filter(|edge| *edge < node.edges()) {
        let q = puct.first_play(parent_value, visited_policy);
        let score = puct.score(q, tree.edge(node, edge).1, parent_visits, 0);
        if score > best.0 {
            best = (score, edge, None);
        }
    }
    (best.1, best.2)
}

fn give_up(tree: &Tree, path: &[u32], why: Gathered) -> Gathered {
    path.iter().for_each(|&index| tree.node(index).cancel_visit());
    why
}

/// Ends the visits of a path with a value that `side` sees.
fn carry_up(tree: &Tree, path: &[u32], side: Side, win: f64, loss: f64) {
    for &index in path {
        let node = tree.node(index);
        if node.side() == side { node.end_visit(win, loss) } else { node.end_visit(loss, win) }
    }
}

/// Draws the conclusions of a proof at the end of a path, as far up as they reach.
fn prove_up(tree: &Tree, path: &[u32]) {
    for &index in path.iter().rev().skip(1) {
        let node = tree.node(index);
        let (mut best, mut proven): (Option<Proof>, u16) = (None, 0);
        for (_, child) in tree.children(node) {
            if let Some(proof) = child.proof().map(|proof| proof.before(child.side() == node.side())) {
                proven += 1;
                if best.is_none_or(|best| proof.preference() > best.preference()) {
                    best = Some(proof);
                }
            }
        }
        match best {
            // One winning move is enough; for anything else all have to be known.
            Some(proof @ Proof::Win(_)) => node.prove(proof),
            Some(proof) if proven == node.edges() => node.prove(proof),
            _ => return,
        }
    }
}
