//! A model of several threads on one tree: the tree's own files, compiled with the atomics of a model checker, which
//! runs the threads in thousands of random orders. Orders only: it treats all memory orderings as sequentially consistent.
#![allow(clippy::unwrap_used, dead_code, missing_docs, unused_imports)]

use std::sync::Arc;

use alfil_game::nim::Nim;
use alfil_game::{Game, Mover, Wdl};
use alfil_search::Evaluation;
use selection::Rule;
use tree::{Gathered, Scratch, Tree, View, apply, gather};

/// Stands for `src/atomics.rs`.
mod atomics {
    pub use shuttle::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

    pub fn zeros(count: usize) -> Vec<AtomicU32> {
        (0..count).map(|_| AtomicU32::new(0)).collect()
    }

    pub fn try_zeros(count: usize) -> Option<Vec<AtomicU32>> {
        Some(zeros(count))
    }
}

#[path = "../src/cache_padded.rs"]
mod cache_padded;
#[path = "../src/selection/mod.rs"]
mod selection;
#[path = "../src/tree/mod.rs"]
mod tree;

const THREADS: usize = 3;
const WALKS: usize = 5;

/// Takes walks, and returns how many of them ended with a value.
fn walk(tree: &Tree, root: &Nim) -> u32 {
    let mut scratch = Scratch::new(root);
    let mut done = 0;
    for _ in 0..WALKS {
        match gather(tree, root, &Rule::default(), None, &mut scratch) {
            Gathered::Leaf(leaf) => {
                let moves = scratch.moves.len() as f32;
                // Some order, so that sorting changes it.
                let priors: Vec<f32> =
                    (0..scratch.moves.len()).map(|m| (m + 1) as f32 * 2.0 / (moves * (moves + 1.0))).collect();
                let wdl = Mover(Wdl { win: 0.5, draw: 0.25, loss: 0.25 });
                apply(tree, leaf, &Evaluation { priors: &priors, wdl, moves_left: Some(3.0) });
                done += 1;
            }
            Gathered::Known => done += 1,
            Gathered::Collision | Gathered::Full => {}
        }
    }
    done
}

/// Every visit of a node except its own is one of a child's, none is under way, edges are sorted, and proofs are true.
fn assert_sound(view: &View<'_>, game: &Nim) {
    let children = view.children();
    let of_children: u32 = children.iter().map(|child| child.visits).sum();
    match view.proof() {
        None => assert_eq!(view.visits(), 1 + of_children, "a visit or a child is lost"),
        Some(proof) => {
            assert!(view.visits() > of_children);
            let heaps = game.position();
            let sum = heaps.split(['-', ' ']).take(4).fold(0u8, |sum, heap| sum ^ heap.parse::<u8>().unwrap());
            assert_eq!(proof.is_win(), sum != 0, "{heaps}: the mover of Nim loses where the heaps add up to 0");
        }
    }
    assert!(children.is_sorted_by(|a, b| a.prior >= b.prior), "{children:?}");
    for child in children {
        assert_eq!(child.visits, child.started, "a visit is still under way");
        if let Some(below) = view.after(child.edge) {
            let mut after = game.clone();
            after.play(child.code.try_into().unwrap());
            assert_sound(&below, &after);
        }
    }
}

/// Several threads begin a tree of at most `bytes` bytes, find the same leaves, and link children to the same nodes.
fn model(position: &'static str, bytes: usize, ends_full: bool) -> impl Fn() + Send + Sync + 'static {
    move || {
        let root = Nim::from_position(position, &()).unwrap();
        let tree = Arc::new(Tree::new(bytes, 1));
        let threads: Vec<_> = (0..THREADS)
            .map(|_| {
                let (tree, root) = (Arc::clone(&tree), root.clone());
                shuttle::thread::spawn(move || walk(&tree, &root))
            })
            .collect();
        let done: u32 = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
        let view = tree.root().unwrap();
        assert_eq!(view.visits(), done);
        assert!(tree.len() <= THREADS * WALKS);
        assert!(tree.len() > 3, "{}", tree.len());
        assert_eq!(tree.fill() == 1.0, ends_full, "{}", tree.fill());
        assert_sound(&view, &root);
    }
}

#[test]
fn no_order_of_threads_loses_a_visit_or_a_child() {
    shuttle::check_random(model("0-1-1-2 first", 1 << 16, false), 1_000);
    shuttle::check_pct(model("0-1-1-2 first", 1 << 16, false), 1_000, 3);
}

#[test]
fn no_order_of_threads_breaks_a_tree_that_is_full() {
    shuttle::check_random(model("0-1-2-2 second", 1 << 12, true), 1_000);
}
