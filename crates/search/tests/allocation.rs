//! The two steps of a tree search allocate nothing, whatever rule picks the moves, and alpha-beta nothing per position.
#![allow(clippy::unwrap_used)]

use alfil_counting_allocator::{CountingAllocator, count};
use alfil_game::chess::Chess;
use alfil_game::hexchess::HexChess;
use alfil_game::{Estimates, Game, Knowledge, Mover, Wdl};
use alfil_search::Evaluation;
use alfil_search::classical::{AlphaBeta, AlphaBetaSettings, GameNode};
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

/// Positions and allocations of an alpha-beta search, after another one has made the lists that it needs.
fn of_alpha_beta<G: Estimates>(settings: AlphaBetaSettings) -> (u64, u64) {
    let mut node = GameNode { game: G::new(&G::Rules::default()), knowledge: Knowledge::Full };
    let mut searcher = AlphaBeta::new(AlphaBetaSettings { table_bytes: 1 << 20, ..settings });
    let mut moves = Vec::new();
    for number in [3, 5, 7, 9] {
        node.game.legal_moves(&mut moves);
        node.game.play(moves[number]);
    }
    searcher.search(&node, 5);
    node.game.legal_moves(&mut moves);
    node.game.play(moves[2]);
    let mut nodes = 0;
    let allocated = count(|| nodes = searcher.search(&node, 5).nodes).count;
    (nodes, allocated)
}

#[test]
fn alpha_beta_allocates_nothing_per_position() {
    for settings in [AlphaBetaSettings::default(), AlphaBetaSettings::STRONG] {
        for (game, (nodes, allocated)) in
            [("chess", of_alpha_beta::<Chess>(settings)), ("hexchess", of_alpha_beta::<HexChess>(settings))]
        {
            // The best lines of the root are copied, and a list may grow still.
            assert!(nodes > 2_000 && allocated < 100, "{game}: {allocated} allocations in {nodes} positions");
        }
    }
}
