//! How long the classical search takes: `cargo bench -p alfil-search`.

use alfil_game::chess::{Chess, Rules};
use alfil_game::{Game, Knowledge};
use alfil_search::classical::{AlphaBeta, AlphaBetaSettings, Found, GameNode};
use divan::Bencher;

fn main() {
    divan::main();
}

#[divan::bench(args = [4, 5, 6], sample_count = 5, sample_size = 1)]
fn chess_from_the_start(bencher: Bencher, depth: u32) {
    let node = GameNode { game: Chess::new(&Rules::default()), knowledge: Knowledge::Full };
    let search = || -> Found<_> { AlphaBeta::new(AlphaBetaSettings::default()).search(&node, depth) };
    bencher.counter(divan::counter::ItemsCount::new(search().nodes)).bench(search);
}
