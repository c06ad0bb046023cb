//! How long the classical search takes: `cargo bench -p alfil-search --bench classical`. What is counted are positions per second;
//! `signature` in tests/classical.rs says whether two versions look at the same positions.

use alfil_game::chess::{Chess, Rules};
use alfil_game::{Game, Knowledge};
use alfil_search::classical::{AlphaBeta, AlphaBetaSettings, GameNode};
use divan::Bencher;

/// The start, an opening, a middlegame, one with many captures, and two endings.
const POSITIONS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4",
    "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/6kp/6p1/8/1p6/pp6/5PPP/1R4K1 w - - 0 1",
];

/// All exact switches, and nothing else.
const EXACT: AlphaBetaSettings = AlphaBetaSettings {
    deepening: true,
    principal_variation: true,
    table: true,
    ordering: true,
    countermoves: true,
    losing_captures_last: true,
    aspiration: true,
    table_bytes: 16 << 20,
    ..AlphaBetaSettings::PLAIN
};

fn main() {
    divan::main();
}

fn positions(bencher: Bencher, settings: AlphaBetaSettings, depth: u32) {
    let nodes: Vec<GameNode<Chess>> = POSITIONS
        .iter()
        .filter_map(|text| Chess::from_position(text, &Rules::default()).ok())
        .map(|game| GameNode { game, knowledge: Knowledge::Full })
        .collect();
    let search = || nodes.iter().map(|node| AlphaBeta::new(settings).search(node, depth).nodes).sum::<u64>();
    let count = search();
    println!("{count} positions");
    bencher.counter(divan::counter::ItemsCount::new(count)).bench(search);
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn exact(bencher: Bencher) {
    positions(bencher, EXACT, 5);
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn sparring_partner(bencher: Bencher) {
    positions(bencher, AlphaBetaSettings::default(), 6);
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn strong(bencher: Bencher) {
    positions(bencher, AlphaBetaSettings::STRONG, 9);
}
