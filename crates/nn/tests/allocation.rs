//! Memory: evaluation allocates nothing, and damaged files cannot make a reader allocate much.
#![allow(clippy::unwrap_used)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use alfil_game::Game;
use alfil_game::chess::{Az21, Chess, Lc0};
use alfil_nn::lc0::{export_bytes, import_bytes};
use alfil_nn::{Architecture, Batch, Engine, Model, Network, Outputs};

/// Counts what the current thread allocates.
struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
    static BYTES: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: everything is passed on to the system's allocator; the counters allocate nothing themselves.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        let _ = BYTES.try_with(|bytes| bytes.set(bytes.get() + layout.size() as u64));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`, and the pointer came from the same allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations and bytes that `task` takes.
fn count(task: impl FnOnce()) -> (u64, u64) {
    let before = (COUNT.get(), BYTES.get());
    task();
    (COUNT.get() - before.0, BYTES.get() - before.1)
}

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
    let (allocations, _) = count(|| {
        for _ in 0..5 {
            engine.evaluate(&batch, &mut outputs);
        }
    });
    assert_eq!(allocations, 0);
}

#[test]
fn damaged_files_do_not_make_large_allocations() {
    let bytes = network().to_bytes().unwrap();
    let limit = 20 * bytes.len() as u64;
    for at in (0..bytes.len().min(6_000)).step_by(3) {
        for flip in [0x01, 0x80, 0x0f] {
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            let (_, allocated) = count(|| drop(Network::from_bytes(&damaged)));
            assert!(allocated < limit, "{allocated} bytes for a flip at {at}");
        }
    }
    let leela = export_bytes(&Network::random::<Lc0>(Architecture::new::<Lc0>("8x1s2".parse().unwrap()), 1)).unwrap();
    let (_, sound) = count(|| drop(import_bytes(&leela)));
    for at in (0..leela.len()).step_by(leela.len() / 500) {
        let mut damaged = leela.clone();
        damaged[at] ^= 0x11;
        let (_, allocated) = count(|| drop(import_bytes(&damaged)));
        assert!(allocated < 2 * sound, "{allocated} bytes for a flip at {at}, {sound} without");
    }
    // A length of 2^60 in a field of a Leela network.
    let mut huge = vec![0x0d, 0xc0, 0x01, 0, 0, 0x52];
    huge.extend([0xff; 8]);
    huge.push(0x0f);
    let (_, allocated) = count(|| assert!(import_bytes(&huge).is_err()));
    assert!(allocated < 1_000, "{allocated}");
}
