//! The two steps of a search allocate nothing, whatever rule picks the moves.
#![allow(clippy::unwrap_used)]

use alfil_counting_allocator::{CountingAllocator, count};
use alfil_game::chess::Chess;
use alfil_game::hexchess::HexChess;
use alfil_game::{Game, Mover, Wdl};
use alfil_search::Evaluation;
use alfil_search::root::GumbelRoot;
use alfil_search::selection::{Gumbel, Puct, Rule, gumbel_noise};
use alfil_search::tree::{Gathered, Scratch, Tree, apply, gather};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const WALKS: usize = 400;

/// Allocations of a search of some walks by this rule. Priors and values are random.
fn allocations<G: Game<Rules: Default>>(rule: &Rule) -> u64 {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let root = G::new(&Default::default());
    let tree = Tree::new(8 << 20, 36);
    let mut scratch = Scratch::new(&root);
    // What the longest list of moves needs is allocated once for all walks.
    scratch.moves.reserve(1_024);
    let mut priors: Vec<f32> = Vec::with_capacity(1_024);
    let (mut plan, mut first, mut allocated, mut leaves) = (None, None, 0, 0);
    for _ in 0..WALKS {
        let mut gathered = None;
        allocated += count(|| gathered = Some(gather(&tree, &root, rule, first, &mut scratch))).count;
        if let Some(Gathered::Leaf(leaf)) = gathered {
            leaves += 1;
            priors.clear();
            priors.extend(scratch.moves.iter().map(|_| random.random::<f32>()));
            let win = random.random::<f32>();
            let wdl = Mover(Wdl { win, draw: 0.0, loss: 1.0 - win });
            let evaluation = Evaluation { priors: &priors, wdl, moves_left: None };
            allocated += count(|| apply(&tree, leaf, &evaluation)).count;
        }
        if let Rule::Gumbel(gumbel) = rule {
            let view = tree.root().unwrap();
            let plan =
                plan.get_or_insert_with(|| GumbelRoot::new(&view, WALKS, 16, *gumbel, || gumbel_noise(&mut random)));
            allocated += count(|| first = plan.next(&view)).count;
        }
    }
    assert!(leaves > WALKS / 2, "{leaves} leaves");
    allocated
}

#[test]
fn walks_and_evaluations_allocate_nothing() {
    for rule in [Rule::Gumbel(Gumbel::default()), Rule::Puct(Puct::SELF_PLAY), Rule::Uct { c: 1.0 }] {
        assert_eq!(allocations::<Chess>(&rule), 0, "{rule:?} in chess");
        assert_eq!(allocations::<HexChess>(&rule), 0, "{rule:?} in hexchess");
    }
}
