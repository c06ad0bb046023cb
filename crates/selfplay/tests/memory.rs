//! Drawing from a window takes the same memory however large the window is.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::path::Path;

use alfil_counting_allocator::{CountingAllocator, in_use, peak, reset_peak};
use alfil_game::chess::{Az21, Chess};
use alfil_game::{First, Game, Mover, Score, Wdl};
use alfil_selfplay::replay::{
    Cursor, Dataset, Draw, DrawSettings, EpochDraw, Epochs, Replay, Sampling, ValueTarget, Window, WindowSettings,
};
use alfil_selfplay::{End, GameRecord, Ply};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// A random game of chess of at most 100 plies, with a policy over half of the moves.
fn game(number: u64) -> GameRecord {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(number);
    let mut game = Chess::new(&Default::default());
    let (mut moves, mut plies) = (Vec::new(), Vec::new());
    while game.legal_moves(&mut moves).is_none() && plies.len() < 100 {
        let share = 2.0 / moves.len() as f32;
        let policy: Vec<(u16, f32)> = moves.iter().step_by(2).map(|&m| (m.into(), share)).collect();
        let m = moves[random.random_range(0..moves.len())];
        plies.push(Ply::new(m.into(), policy, Mover(Wdl::DRAW)));
        game.play(m);
    }
    GameRecord::new(number, String::new(), plies, First(Score::DRAW), End::Rules)
}

const SETTINGS: DrawSettings = DrawSettings {
    samples: 100_000,
    sampling: Sampling { held_out: 0.03, symmetries: true },
    from_held_out: false,
    target: ValueTarget { search_value: 0.0, td_lambda: 0.0 },
    seed: 1,
};

/// The same for a dataset.
fn drawing_epochs(folder: &Path) -> usize {
    let before = in_use();
    reset_peak();
    let dataset = Dataset::open::<Chess>(&[folder.to_owned()], &Default::default()).unwrap();
    let settings = DrawSettings { samples: 200_000, ..SETTINGS };
    let mut draw = EpochDraw::new(&dataset, Epochs { seed: 1, count: 0 }, Cursor::default(), settings);
    (0..40).for_each(|_| assert_eq!(draw.next::<Az21>(4_096).unwrap().len(), 4_096));
    peak() - before
}

/// The most memory that drawing twenty batches takes, beyond what there was before.
fn drawing(replay: &mut Replay) -> usize {
    let all = WindowSettings { first: u64::MAX, exponent: 0.65, growth: 0.4, most: u64::MAX };
    let before = in_use();
    reset_peak();
    let window = Window::of(replay, &all);
    let mut draw = Draw::new(&window, SETTINGS);
    (0..20).for_each(|_| assert_eq!(draw.next::<Az21>(replay, 4_096).unwrap().len(), 4_096));
    peak() - before
}

/// An hour and a half of games against six times as many: nearly ten hours, if two cores play 200 positions per second.
/// That takes a while to write, so that `ALFIL_LONG` has to be set for it; without it there are three times as many.
#[test]
fn a_large_window_takes_no_more_memory_than_a_small_one() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("window-memory-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let (mut replay, _) = Replay::open(&folder).unwrap();
    let games: Vec<GameRecord> = (0..256).map(game).collect();
    let fill = |replay: &mut Replay, generations: std::ops::Range<u32>| {
        for generation in generations {
            let renumbered = |record: &GameRecord| {
                let mut record = record.clone();
                record.number += u64::from(generation) * 256;
                record
            };
            replay.add::<Chess>(generation, games.iter().map(renumbered).collect()).unwrap();
        }
    };
    fill(&mut replay, 0..45);
    let (small, positions) = (drawing(&mut replay), replay.positions());
    let long = if std::env::var_os("ALFIL_LONG").is_some() { 280 } else { 135 };
    fill(&mut replay, 45..long);
    let large = drawing(&mut replay);
    let epochs = drawing_epochs(&folder);
    println!("epochs: {epochs} bytes");
    assert!((epochs as u64) < alfil_selfplay::replay::POOL_BYTES, "{epochs}");
    println!("{positions} positions: {small} bytes; {} positions: {large} bytes", replay.positions());
    assert!(replay.positions() >= 3 * positions);
    assert!(large < small + small / 4, "{small} bytes for {positions} positions, {large} for {}", replay.positions());
    // What `alfil plan` says it takes.
    assert!((large as u64) < alfil_selfplay::replay::POOL_BYTES, "{large}");
    std::fs::remove_dir_all(folder).unwrap();
}
