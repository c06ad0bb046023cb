//! Memory: evaluation allocates nothing, and damaged files cannot make a reader allocate much.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use alfil_counting_allocator::{CountingAllocator, count};
use alfil_game::Game;
use alfil_game::chess::{Az21, Chess, Lc0};
use alfil_nn::lc0::{export_bytes, import_bytes};
use alfil_nn::{Architecture, Batch, Engine, Model, Network, Outputs};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn network() -> Network {
    Network::random::<Az21>(Architecture::new::<Az21>("16x2s4".parse().unwrap()), 1)
}

#[test]
fn evaluation_allocates_nothing() {
    let network = network();
    let mut engine = Engine::new(Arc::new(Model::new::<Az21>(&network).unwrap()));
    let mut batch = Batch::new(&network.architecture);
    let mut outputs = Outputs::default();
    let mut game = Chess::new(&Default::default());
    let mut moves = Vec::new();
    let mut fill = |batch: &mut Batch| {
        batch.clear();
        while batch.len() < 9 {
            game.generate(&mut moves);
            batch.push::<Az21>(&game, &moves);
            let m = moves[batch.len() % moves.len()];
            game.play(m);
        }
    };
    fill(&mut batch);
    engine.evaluate(&batch, &mut outputs);
    let allocations = count(|| {
        for _ in 0..5 {
            engine.evaluate(&batch, &mut outputs);
        }
    });
    assert_eq!(allocations.count, 0);
}

#[test]
fn damaged_files_do_not_make_large_allocations() {
    let bytes = network().to_bytes().unwrap();
    let limit = 20 * bytes.len() as u64;
    for at in (0..bytes.len().min(6_000)).step_by(3) {
        for flip in [0x01, 0x80, 0x0f] {
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            let allocated = count(|| drop(Network::from_bytes(&damaged))).bytes;
            assert!(allocated < limit, "{allocated} bytes for a flip at {at}");
        }
    }
    let leela = export_bytes(&Network::random::<Lc0>(Architecture::new::<Lc0>("8x1s2".parse().unwrap()), 1)).unwrap();
    let sound = count(|| drop(import_bytes(&leela))).bytes;
    for at in (0..leela.len()).step_by(leela.len() / 500) {
        let mut damaged = leela.clone();
        damaged[at] ^= 0x11;
        let allocated = count(|| drop(import_bytes(&damaged))).bytes;
        assert!(allocated < 2 * sound, "{allocated} bytes for a flip at {at}, {sound} without");
    }
    // A length of 2^60 in a field of a Leela network.
    let mut huge = vec![0x0d, 0xc0, 0x01, 0, 0, 0x52];
    huge.extend([0xff; 8]);
    huge.push(0x0f);
    let allocated = count(|| assert!(import_bytes(&huge).is_err())).bytes;
    assert!(allocated < 1_000, "{allocated}");
}
