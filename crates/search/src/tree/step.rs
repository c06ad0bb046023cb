//! The two steps of a search.

use alfil_game::{Game, Mover, Score, Side, Wdl};

use super::node::{NONE, Node};
use super::proof::Proof;
use super::select::select;
use super::store::{MOST_MOVES, Tree};
use crate::Evaluation;
use crate::selection::Rule;

/// A position that waits for its evaluation. It must be [applied](apply), or its virtual visits stay for ever.
#[derive(Debug)]
#[must_use]
pub struct Leaf {
    index: u32,
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
    /// How many moves the last walk took.
    pub depth: u32,
}

impl<G: Game> Scratch<G> {
    /// Memory for walks from `root`.
    pub fn new(root: &G) -> Scratch<G> {
        Scratch { game: root.clone(), moves: Vec::new(), depth: 0 }
    }
}

/// Walks from the root to a leaf, leaving a visit under way at every node.
///
/// `root` is the game at the tree's root, which must not be over. The walk begins with the root's edge `first`, if there is
/// one to begin with; all other moves are picked by `rule`.
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
            return give_up(tree, at, Gathered::Collision);
        }
        let (edge, child) = match first.filter(|edge| at == root_index && *edge < node.edges()) {
            Some(edge) => (edge, tree.child(node, edge)),
            None => select(tree, node, rule),
        };
        // The code is that of a move which was legal here when the edges were made.
        let Ok(m) = G::Move::try_from(tree.edge(node, edge).0) else { return give_up(tree, at, Gathered::Collision) };
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
    // The game has been there, not only this walk. Were all circles of walks draws, rook endings would no longer be won.
    if score.is_none() && parent != NONE && game.repeated_after().is_some_and(|plies| plies >= *depth) {
        score = Some(Mover(Score::DRAW));
        // Without moves it is no root: if it is played all the same, the game goes on, and there is more to know.
        moves.clear();
    }
    moves.truncate(MOST_MOVES);
    let Some(index) = tree.allocate(game.side(), parent, edge, moves.len() as u16) else {
        return give_up(tree, parent, Gathered::Full);
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
        // Nobody will ever see this node: it is left behind until the tree is compacted.
        tree.abandon(index);
        return give_up(tree, parent, Gathered::Collision);
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

/// Takes an evaluation to its leaf: edges, most promising first, and the value up to the root.
pub fn apply(tree: &Tree, leaf: Leaf, evaluation: &Evaluation<'_>) {
    let node = tree.node(leaf.index);
    tree.set_priors(node, evaluation.priors);
    node.expand();
    let plies = evaluation.moves_left.map(f64::from);
    if plies.is_some() {
        tree.hear_moves_left();
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

fn give_up(tree: &Tree, index: u32, why: Gathered) -> Gathered {
    upwards(tree, index).for_each(Node::cancel_visit);
    why
}

/// Ends the visits of a walk with what is proven at its end.
fn carry_up(tree: &Tree, index: u32, proof: Proof) {
    let plies = tree.hears_moves_left().then_some(f64::from(proof.plies));
    end_visits(tree, index, proof.wdl(), plies);
}

/// Ends the visits of a walk with a value that the last node's mover sees.
fn end_visits(tree: &Tree, index: u32, wdl: Mover<Wdl>, moves_left: Option<f64>) {
    let side: Side = tree.node(index).side();
    for (above, node) in upwards(tree, index).enumerate() {
        node.end_visit(wdl.seen_by(side, node.side()), moves_left.map(|plies| plies + above as f64));
    }
}

/// Draws the conclusions of a proof, as far up as they reach.
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
            // One winning move is enough; for anything else all have to be known.
            Some(proof) if proof.is_win() || proven == node.edges() => node.prove(proof),
            _ => return,
        }
    }
}
