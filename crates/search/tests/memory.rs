//! The cap on a tree's memory holds to the byte, and a search takes little besides it.
#![allow(clippy::unwrap_used)]

use alfil_counting_allocator::{CountingAllocator, in_use, peak};
use alfil_game::Game;
use alfil_game::chess::{Chess, Rules};
use alfil_search::Evaluator;
use alfil_search::evaluators::Uniform;
use alfil_search::parallel::{Control, Limits, ParallelSettings, Search, StopReason};
use alfil_search::selection::Rule;
use alfil_search::tree::{Gathered, Scratch, Tree, apply, gather};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const CAP: usize = 64 << 20;

// One test, since all threads are counted together.
#[test]
fn the_cap_holds_in_a_search_that_runs_ten_times_past_it() {
    let root = Chess::new(&Rules::default());
    let before = in_use();
    let tree = Tree::new(CAP, 23);
    // The test's own thread may allocate a little meanwhile.
    assert!(in_use() - before <= CAP + 1_000, "{} bytes", in_use() - before);
    assert!(in_use() - before > CAP - 1_000, "the cap is made use of");

    let mut scratch = Scratch::new(&root);
    let mut evaluator = Uniform::default();
    let (mut walks, mut fits, mut full) = (0u32, u32::MAX, 0u32);
    while walks / 10 < fits {
        walks += 1;
        match gather(&tree, &root, &Rule::default(), None, &mut scratch) {
            Gathered::Leaf(leaf) => {
                evaluator.add(&scratch.game, &scratch.moves);
                let mut leaf = Some(leaf);
                Evaluator::<Chess>::run(&mut evaluator, &mut |_, evaluation| {
                    apply(&tree, leaf.take().unwrap(), &evaluation);
                })
                .unwrap();
            }
            Gathered::Full => {
                fits = fits.min(walks);
                full += 1;
            }
            Gathered::Known | Gathered::Collision => {}
        }
    }
    println!("{walks} walks, full after {fits}, {} bytes per node", tree.used_bytes() / tree.len());
    assert!(full > 5 * fits, "{full}");
    assert!(tree.used_bytes() <= CAP && tree.used_bytes() > CAP * 9 / 10);
    assert!(peak() - before <= CAP + 100_000, "{} bytes at most", peak() - before);

    // Threads need little besides the tree, and a full tree ends the search.
    let evaluators = (0..2).map(|_| Box::new(Uniform::default()) as Box<dyn Evaluator<Chess>>).collect();
    let mut search = Search::new(tree, evaluators, root);
    let limits = Limits { visits: Some(10 * fits), ..Limits::default() };
    let report = search.run(&ParallelSettings::default(), &limits, &Control::default(), &mut |_| {}).unwrap();
    assert_eq!(report.ended, Some(StopReason::Full));
    assert!(peak() - before <= CAP + 1_000_000, "{} bytes at most", peak() - before);
}
