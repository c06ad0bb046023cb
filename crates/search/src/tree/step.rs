//! The two steps of a search.

use alfil_game::{Game, Mover, Score, Side, Wdl};

use super::node::{NONE, Node};
use super::proof::Proof;
use super::select::select;
use super::store::{MOST_MOVES, Tree};
use crate::Evaluation;
use crate::selection::Rule;

/// A position that waits for its evaluation. It must be [applied](apply), or its virtual visits stay forever.
#[derive(Debug)]
#[must_use]
pub struct Leaf {
    index: u32,
}

/// The result of a walk down the tree.
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

/// One thread's buffers for walks.
pub struct Scratch<G: Game> {
    /// The leaf's game, after a walk that found one.
    pub game: G,
    /// Its legal moves.
    pub moves: Vec<G::Move>,
    /// How many moves the last walk took.
    pub depth: u32,
}

impl<G: Game> Scratch<G> {
    /// Buffers for walks from `root`.
    pub fn new(root: &G) -> Scratch<G> {
        Scratch { game: root.clone(), moves: Vec::new(), depth: 0 }
    }
}

/// Walks from the root to a leaf, leaving a visit under way at every node.
///
/// `root` is the game at the tree's root, which must not be over. The walk begins with the root's edge `first`, if
/// given; all other moves are picked by `rule`.
pub fn gather<G: Game>(tree: &Tree, root: &G, rule: &Rule, first: Option<u16>, scratch: &mut Scratch<G>) -> Gathered {
    scratch.game.clone_from(root);
    scratch.depth = 0;
    let Some(root_index) = tree.root_index() else { return enter(tree, NONE, 0, scratch) };
    let mut at = root_index;
    loop {
        let node = tree.node(at);
        node.begin_visit();
        if at != root_index
            && let Some(proof) = node.proof()
        {
            carry_up(tree, at, proof);
            return Gathered::Known;
        }
        if !node.is_expanded() {
            return cancel_walk(tree, at, Gathered::Collision);
        }
        let (edge, child) = match first.filter(|edge| at == root_index && *edge < node.edges()) {
            Some(edge) => (edge, tree.child(node, edge)),
            None => select(tree, node, rule),
        };
        // The code is that of a move which was legal here when the edges were made.
        let Ok(m) = G::Move::try_from(tree.edge(node, edge).0) else {
            return cancel_walk(tree, at, Gathered::Collision);
        };
        scratch.game.play(m);
        scratch.depth += 1;
        match child {
            Some(child) => at = child,
            None => return enter(tree, at, edge, scratch),
        }
    }
}

/// Makes a node for the game in `scratch`, below `parent`.
fn enter<G: Game>(tree: &Tree, parent: u32, edge: u16, scratch: &mut Scratch<G>) -> Gathered {
    let Scratch { game, moves, depth } = scratch;
    let mut score = game.legal_moves(moves).map(|outcome| outcome.score.to_mover(game.side()));
    // Only a return to a position of the game is a draw, not a repetition within the walk: otherwise rook endings would
    // no longer be won.
    if score.is_none() && parent != NONE && game.repeated_after().is_some_and(|plies| plies >= *depth) {
        score = Some(Mover(Score::DRAW));
        // Without moves it cannot become the root: if the move is played anyway, the game goes on, and the position
        // must be searched.
        moves.clear();
    }
    moves.truncate(MOST_MOVES);
    let Some(index) = tree.allocate(game.side(), parent, edge, moves.len() as u16) else {
        return cancel_walk(tree, parent, Gathered::Full);
    };
    let node = tree.node(index);
    for (edge, &m) in (0..).zip(moves.iter()) {
        tree.set_edge(node, edge, m.into(), 0.0);
    }
    let proof = score.map(|score| Proof { score, plies: 0 });
    if let Some(proof) = proof {
        node.prove(proof);
        node.expand();
    }
    node.begin_visit();
    let linked = if parent == NONE { tree.link_root(index) } else { tree.link(tree.node(parent), index) };
    if !linked {
        // No thread will ever see this node; compacting the tree removes it.
        tree.abandon(index);
        return cancel_walk(tree, parent, Gathered::Collision);
    }
    match proof {
        None => Gathered::Leaf(Leaf { index }),
        Some(proof) => {
            carry_up(tree, index, proof);
            prove_up(tree, index);
            Gathered::Known
        }
    }
}

/// Applies an evaluation to its leaf: sorts the edges, most promising first, and carries the value up to the root.
pub fn apply(tree: &Tree, leaf: Leaf, evaluation: &Evaluation<'_>) {
    let node = tree.node(leaf.index);
    tree.set_priors(node, evaluation.priors);
    node.expand();
    let plies = evaluation.moves_left.map(f64::from);
    if plies.is_some() {
        tree.track_moves_left();
    }
    end_visits(tree, leaf.index, evaluation.wdl, plies);
}

/// A node and all above it.
fn upwards(tree: &Tree, index: u32) -> impl Iterator<Item = &Node> {
    let mut next = index;
    std::iter::from_fn(move || {
        let node = (next != NONE).then(|| tree.node(next))?;
        next = node.parent();
        Some(node)
    })
}

fn cancel_walk(tree: &Tree, index: u32, why: Gathered) -> Gathered {
    upwards(tree, index).for_each(Node::cancel_visit);
    why
}

/// Ends the visits of a walk with the proof at its end.
fn carry_up(tree: &Tree, index: u32, proof: Proof) {
    let plies = tree.tracks_moves_left().then_some(f64::from(proof.plies));
    end_visits(tree, index, proof.wdl(), plies);
}

/// Ends the visits of a walk with a value from the point of view of the last node's mover.
fn end_visits(tree: &Tree, index: u32, wdl: Mover<Wdl>, moves_left: Option<f64>) {
    let side: Side = tree.node(index).side();
    for (above, node) in upwards(tree, index).enumerate() {
        node.end_visit(wdl.seen_by(side, node.side()), moves_left.map(|plies| plies + above as f64));
    }
}

/// Proves the nodes above a proven one, as far up as possible.
fn prove_up(tree: &Tree, index: u32) {
    for node in upwards(tree, index).skip(1) {
        let (mut best, mut proven): (Option<Proof>, u16) = (None, 0);
        for (_, child) in tree.children(node) {
            if let Some(proof) = child.proof().map(|proof| proof.before(child.side(), node.side())) {
                proven += 1;
                if best.is_none_or(|best| proof.preference() > best.preference()) {
                    best = Some(proof);
                }
            }
        }
        match best {
            // One winning move is enough; for anything else all moves must be proven.
            Some(proof) if proof.is_win() || proven == node.edges() => node.prove(proof),
            _ => return,
        }
    }
}
