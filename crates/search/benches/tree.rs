//! Nodes per second with an evaluator that costs nothing: `cargo bench -p alfil-search --bench tree`.

use alfil_game::Game;
use alfil_game::chess::{Chess, Rules};
use alfil_search::Evaluator;
use alfil_search::evaluators::Uniform;
use alfil_search::selection::Rule;
use alfil_search::tree::{Gathered, Scratch, Tree, apply, gather};
use divan::Bencher;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

const MIDDLEGAME: &str = "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 4 8";
const NODES: u32 = 200_000;

fn search(tree: &Tree, root: &Chess, nodes: u32) {
    let mut scratch = Scratch::new(root);
    let mut evaluator = Uniform::default();
    for _ in 0..nodes {
        if let Gathered::Leaf(leaf) = gather(tree, root, &Rule::default(), None, &mut scratch) {
            evaluator.add(&scratch.game, &scratch.moves);
            let mut leaf = Some(leaf);
            // This evaluator cannot fail.
            let _ = Evaluator::<Chess>::run(&mut evaluator, &mut |_, evaluation| {
                if let Some(leaf) = leaf.take() {
                    apply(tree, leaf, &evaluation);
                }
            });
        }
    }
}

#[divan::bench(args = [1, 2], sample_count = 5, sample_size = 1)]
fn chess_middlegame(bencher: Bencher, threads: u32) {
    let Ok(root) = Chess::from_position(MIDDLEGAME, &Rules::default()) else { return };
    bencher.counter(ItemsCount::new(NODES)).with_inputs(|| Tree::new(64 << 20, 36)).bench_refs(|tree| {
        let tree = &*tree;
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| search(tree, &root, NODES / threads));
            }
        });
    });
}
