//! What a search and a file reader spend their time on: `cargo bench -p alfil-game`.
#![allow(clippy::unwrap_used)]

use alfil_game::chess::{Az21, Az119, Chess, Rules};
use alfil_game::connect4::{Connect4, Solver};
use alfil_game::hexchess::HexChess;
use alfil_game::perft::perft;
use alfil_game::pgn::{PgnGame, PgnReader};
use alfil_game::{Encoding, Game, Oracle};
use divan::Bencher;
use divan::counter::ItemsCount;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

fn main() {
    divan::main();
}

/// Random games as lists of positions that are not over.
fn games<G: Game>(count: usize) -> Vec<Vec<G>> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut moves = Vec::new();
    let mut play = |_| {
        let mut game = G::new(&Default::default());
        let mut positions = Vec::new();
        while game.legal_moves(&mut moves).is_none() {
            positions.push(game.clone());
            game.play(moves[random.random_range(0..moves.len())]);
        }
        positions
    };
    (0..count).map(&mut play).collect()
}

#[divan::bench]
fn chess_perft(bencher: Bencher) {
    let game = Chess::new(&Rules::default());
    bencher.counter(ItemsCount::new(4_865_609u64)).bench(|| perft(&game, 5));
}

#[divan::bench]
fn hexchess_perft(bencher: Bencher) {
    let game = HexChess::new(&Default::default());
    bencher.counter(ItemsCount::new(7_282_418u64)).bench(|| perft(&game, 4));
}

/// A step of a descent: copy the game, generate, ask for the end, play.
#[divan::bench]
fn chess_step(bencher: Bencher) {
    let positions: Vec<Chess> = games(20).concat();
    let mut moves = Vec::new();
    bencher.counter(ItemsCount::new(positions.len())).bench_local(|| {
        for position in &positions {
            let mut game = position.clone();
            game.legal_moves(&mut moves);
            game.play(moves[moves.len() / 2]);
            divan::black_box(&game);
        }
    });
}

#[divan::bench(types = [Az21, Az119])]
fn chess_planes<E: Encoding<Game = Chess>>(bencher: Bencher) {
    let positions: Vec<Chess> = games(20).concat();
    let mut planes = vec![0.0; E::PLANES * E::CELLS];
    bencher.counter(ItemsCount::new(positions.len())).bench_local(|| {
        for position in &positions {
            E::planes(position, &mut planes);
            divan::black_box(&planes);
        }
    });
}

#[divan::bench]
fn chess_policy_indices(bencher: Bencher) {
    let mut all = Vec::new();
    for position in games::<Chess>(20).concat() {
        let mut moves = Vec::new();
        position.generate(&mut moves);
        all.extend(moves.into_iter().map(|m| (position.clone(), m)));
    }
    all.truncate(100_000);
    let indices = || all.iter().map(|(position, m)| Az21::index(position, *m)).sum::<usize>();
    bencher.counter(ItemsCount::new(all.len())).bench(indices);
}

/// A file of 10,000 games; the items are positions.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn pgn_read(bencher: Bencher) {
    let mut file = Vec::new();
    let mut positions = 0u64;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(6);
    let mut moves = Vec::new();
    for _ in 0..10_000 {
        let mut game = PgnGame::new(Chess::new(&Rules::default()));
        let mut now = game.start.clone();
        while now.ply() < 80 && now.legal_moves(&mut moves).is_none() {
            let m = moves[random.random_range(0..moves.len())];
            now.play(m);
            game.moves.push(m);
        }
        game.set_outcome(now.outcome());
        positions += game.moves.len() as u64 + 1;
        game.write(&mut file).unwrap();
    }
    bencher
        .counter(ItemsCount::new(positions))
        .bench(|| PgnReader::<Chess, _>::new(file.as_slice()).filter(Result::is_ok).count());
}

/// Exact results of 100 positions of 16 stones, the earliest that should be quick.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn connect4_judge(bencher: Bencher) {
    let positions = games::<Connect4>(1_000).into_iter().filter_map(|game| game.into_iter().nth(16));
    let positions: Vec<Connect4> = positions.take(100).collect();
    assert_eq!(positions.len(), 100);
    bencher
        .counter(ItemsCount::new(positions.len()))
        .with_inputs(Solver::default)
        .bench_values(|mut solver| positions.iter().map(|game| solver.judge(game).plies).sum::<u32>());
}
