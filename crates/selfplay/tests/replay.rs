//! The replay window: what is drawn, how often, and what survives.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alfil_game::connect4::{Connect4, Stones};
use alfil_game::{Encoding, First, Game, Mover, Score, Wdl};
use alfil_nn::Architecture;
use alfil_selfplay::replay::{
    Cursor, Dataset, Draw, DrawSettings, EpochDraw, Epochs, Replay, Sample, Sampling, SharedRecord, ValueTarget,
    Window, WindowSettings, build,
};
use alfil_selfplay::{End, GameRecord, Ply, chunks, write_chunk};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A folder for this test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("replay-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

/// A random game.
fn game(number: u64) -> GameRecord {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(number);
    let mut game = Connect4::new(&());
    let mut moves = Vec::new();
    let mut plies = Vec::new();
    while game.legal_moves(&mut moves).is_none() {
        let m = moves[random.random_range(0..moves.len())];
        plies.push(Ply::new(m.into(), [(m.into(), 1.0)], Mover(Wdl { win: 0.7, draw: 0.1, loss: 0.2 })));
        game.play(m);
    }
    let score = game.outcome().map_or(First(Score::DRAW), |outcome| outcome.score);
    GameRecord::new(number, String::new(), plies, score, End::Rules)
}

fn games(numbers: std::ops::Range<u64>) -> Vec<GameRecord> {
    numbers.map(game).collect()
}

const ALL: WindowSettings = WindowSettings { first: u64::MAX, exponent: 0.65, growth: 0.4, most: u64::MAX };

fn settings(samples: u64) -> DrawSettings {
    let sampling = Sampling { held_out: 0.1, symmetries: true };
    DrawSettings { samples, sampling, from_held_out: false, target: ValueTarget::default(), seed: 5 }
}

/// How often each position of each game is drawn.
fn count(replay: &mut Replay, window: &Window, settings: DrawSettings) -> HashMap<(u64, u32), u32> {
    let mut draw = Draw::new(window, settings);
    let mut counts = HashMap::new();
    loop {
        let drawn = draw.next::<Stones>(replay, 256).unwrap();
        if drawn.is_empty() {
            return counts;
        }
        for sample in drawn {
            *counts.entry((sample.record.number, sample.ply)).or_default() += 1;
        }
    }
}

#[test]
fn every_position_is_drawn_equally_often_and_held_out_games_never() {
    let folder = folder("equal");
    let (mut replay, _) = Replay::open(&folder).unwrap();
    replay.add::<Connect4>(1, games(0..600)).unwrap();
    replay.add::<Connect4>(2, games(600..1000)).unwrap();
    assert_eq!((replay.games(), replay.positions()), (1000, games(0..1000).iter().map(|g| g.plies.len() as u64).sum()));
    let window = Window::of(&replay, &ALL);
    let all = replay.positions();
    let learnt = count(&mut replay, &window, settings(2 * all));
    let held = count(&mut replay, &window, DrawSettings { from_held_out: true, ..settings(all / 10) });
    let apart: std::collections::HashSet<u64> = held.keys().map(|(number, _)| *number).collect();
    assert!((60..140).contains(&apart.len()), "{}", apart.len());
    assert!(learnt.keys().all(|(number, _)| !apart.contains(number)));
    // Twice all positions from nine tenths of them: two or three times each.
    assert!(learnt.values().all(|times| (1..=4).contains(times)), "{:?}", learnt.values().max());
    let drawn: u32 = learnt.values().sum();
    assert_eq!(u64::from(drawn), 2 * all);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn chunks_without_a_game_to_draw_from_leave_their_share_to_others() {
    let folder = folder("shares");
    let (mut replay, _) = Replay::open(&folder).unwrap();
    // One game per chunk: of ten, one is held out.
    (0..100).for_each(|number| replay.add::<Connect4>(number as u32, games(number..number + 1)).unwrap());
    let window = Window::of(&replay, &ALL);
    let drawn = count(&mut replay, &window, DrawSettings { from_held_out: true, ..settings(2_000) });
    let all: u32 = drawn.values().sum();
    // What the last chunks could not give is missing.
    assert!((1_500..=2_000).contains(&all), "{all}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_draw_can_be_repeated_and_resumed() {
    let folder = folder("again");
    let (mut replay, _) = Replay::open(&folder).unwrap();
    replay.add::<Connect4>(1, games(0..300)).unwrap();
    let window = Window::of(&replay, &ALL);
    let draw = |skip: usize, replay: &mut Replay| {
        let mut draw = Draw::new(&window, settings(4_096));
        (0..skip).for_each(|_| drop(draw.next::<Stones>(replay, 64).unwrap()));
        draw.next::<Stones>(replay, 64)
            .unwrap()
            .iter()
            .map(|s| (s.record.number, s.ply, s.symmetry))
            .collect::<Vec<_>>()
    };
    assert_eq!(draw(3, &mut replay), draw(3, &mut replay));
    assert_ne!(draw(3, &mut replay), draw(4, &mut replay));
    // The same games added again in another order: the same files, so the same samples.
    let before = draw(9, &mut replay);
    let mut shuffled = games(0..300);
    shuffled.reverse();
    replay.add::<Connect4>(1, shuffled).unwrap();
    assert_eq!(replay.games(), 300);
    assert_eq!(draw(9, &mut replay), before);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_window_is_the_newest_part() {
    let folder = folder("window");
    let (mut replay, _) = Replay::open(&folder).unwrap();
    for generation in 0..10 {
        let first = u64::from(generation) * 256;
        replay.add::<Connect4>(generation, games(first..first + 256)).unwrap();
    }
    let most = WindowSettings { most: 3_000, ..ALL };
    let window = Window::of(&replay, &most);
    assert!((3_000..9_000).contains(&window.positions()), "{}", window.positions());
    let counts = count(&mut replay, &window, settings(5_000));
    let oldest = counts.keys().map(|(number, _)| *number).min().unwrap();
    assert!(oldest >= 256 * 9, "{oldest}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_damaged_chunk_is_set_aside_and_the_others_are_drawn_from() {
    let folder = folder("damage");
    let (mut replay, _) = Replay::open(&folder).unwrap();
    (0..4).for_each(|generation| {
        replay.add::<Connect4>(generation as u32, games(generation * 50..(generation + 1) * 50)).unwrap()
    });
    // One loses its end before the folder is opened, one has a byte changed afterwards.
    let path = folder.join("000002-0000.games");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
    let (mut reopened, damages) = Replay::open(&folder).unwrap();
    assert_eq!(damages.len(), 1);
    assert!(damages[0].why.to_string().contains("000002-0000.games"), "{}", damages[0].why);
    assert!(damages[0].path.is_file() && !path.exists());
    assert_eq!(reopened.games(), 150);
    let path = folder.join("000003-0000.games");
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let window = Window::of(&reopened, &ALL);
    let mut draw = Draw::new(&window, settings(1_000));
    let mut numbers = std::collections::BTreeSet::new();
    while let drawn = draw.next::<Stones>(&mut reopened, 100).unwrap()
        && !drawn.is_empty()
    {
        numbers.extend(drawn.iter().map(|sample| sample.record.number));
    }
    assert_eq!(draw.damages().len(), 1);
    assert!(numbers.iter().all(|number| *number < 100) && numbers.len() > 60, "{numbers:?}");
    assert_eq!(reopened.games(), 100);
    // The window still has the chunk, and can be drawn from again.
    let again = count(&mut reopened, &window, settings(1_000));
    assert!(again.values().sum::<u32>() > 500 && again.keys().all(|(number, _)| *number < 100), "{again:?}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn nothing_is_learnt_from_a_record_with_an_illegal_move() {
    let architecture = Architecture::new::<Stones>("8x1".parse().unwrap());
    let built = |record: GameRecord| {
        let plies = record.plies.len() as u32;
        let record = Arc::new(SharedRecord::new(record));
        let sample = |ply| Sample { record: Arc::clone(&record), ply, symmetry: None, target: ValueTarget::default() };
        build::<Stones>(&architecture, &(), &(0..plies + 3).map(sample).collect::<Vec<_>>()).len()
    };
    let sound = game(1);
    let plies = sound.plies.len();
    assert_eq!(built(sound.clone()), plies, "and from no ply after the last");
    let mut full_column = sound.clone();
    full_column.plies.truncate(1);
    full_column.plies = vec![full_column.plies[0].clone(); 8];
    assert_eq!(built(full_column), 0);
    let mut no_column = sound.clone();
    no_column.plies[plies - 1].code = 7;
    assert_eq!(built(no_column), 0);
    let mut from_nowhere = sound;
    from_nowhere.start = "no position".to_owned();
    assert_eq!(built(from_nowhere), 0);
}

#[test]
fn targets_are_the_results_as_the_mover_sees_them() {
    let folder = folder("targets");
    let (mut replay, _) = Replay::open(&folder).unwrap();
    // Nobody knows how long the games would have lasted that did not end by the rules.
    let ends = [End::Rules, End::Resigned, End::Adjudicated];
    let mut games = games(0..20);
    games.iter_mut().zip(ends.iter().cycle()).for_each(|(game, end)| game.end = *end);
    replay.add::<Connect4>(1, games).unwrap();
    let architecture = Architecture::new::<Stones>("8x1".parse().unwrap());
    let window = Window::of(&replay, &ALL);
    let plain = DrawSettings { sampling: Sampling { held_out: 0.0, symmetries: false }, ..settings(100) };
    let drawn = Draw::new(&window, plain).next::<Stones>(&mut replay, 100).unwrap();
    let built = build::<Stones>(&architecture, &(), &drawn);
    assert_eq!(built.len(), 100);
    for (number, sample) in drawn.iter().enumerate() {
        let score = sample.record.score().0.points();
        let first_to_move = sample.ply.is_multiple_of(2);
        let win = if first_to_move { score } else { 1.0 - score };
        assert_eq!(built.wdl()[number].0.score().points(), win);
        let plies_left = (sample.record.plies.len() - sample.ply as usize) as f32;
        let is_known = sample.record.end == End::Rules;
        assert_eq!(built.moves_left()[number], is_known.then_some(plies_left));
        assert!((built.policy(number).iter().sum::<f32>() - 1.0).abs() < 1e-6);
        // The policy of the next position, which is all on the move that was played there.
        let reply = |next: &Ply| {
            let mut game = Connect4::new(&());
            let played = sample.record.plies[..=sample.ply as usize].iter();
            played.for_each(|ply| game.play(ply.code.try_into().unwrap()));
            (Stones::index(&game, next.code.try_into().unwrap()) as u32, 1.0)
        };
        let next = sample.record.plies.get(sample.ply as usize + 1);
        assert_eq!(built.replies()[number], next.map(reply).into_iter().collect::<Vec<_>>());
        let stones: f32 = built.batch().planes_of(number).iter().sum();
        assert_eq!(stones, sample.ply as f32);
    }
    // Half of what the search expected, which was the same each time, and half of the result.
    let half = ValueTarget { search_value: 0.5, ..ValueTarget::default() };
    let mixed: Vec<_> = drawn.iter().cloned().map(|sample| Sample { target: half, ..sample }).collect();
    let mixed = build::<Stones>(&architecture, &(), &mixed);
    for (pure, mixed) in built.wdl().iter().zip(mixed.wdl()) {
        let [pure, mixed] = [pure, mixed].map(|wdl| <[f32; 3]>::from(wdl.0));
        assert!((mixed.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        let half = |i: usize| (pure[i] + [0.7, 0.1, 0.2][i]) / 2.0;
        assert!((0..3).all(|i| (mixed[i] - half(i)).abs() < 2e-3), "{pure:?} {mixed:?}");
    }
    // After a cheap search, the move that was played.
    let mut cheap = game(3);
    cheap.plies[1] = Ply::new(cheap.plies[1].code, [], Mover(Wdl::DRAW));
    let sample = |record: GameRecord| {
        let record = Arc::new(SharedRecord::new(record));
        let sample = Sample { record, ply: 0, symmetry: None, target: ValueTarget::default() };
        build::<Stones>(&architecture, &(), &[sample]).replies().to_vec()
    };
    assert_eq!(sample(cheap), sample(game(3)));
    // Turned, each position is the mirror image: the policy goes with it.
    let turned: Vec<_> = drawn.iter().cloned().map(|sample| Sample { symmetry: Some(0), ..sample }).collect();
    let turned = build::<Stones>(&architecture, &(), &turned);
    for number in 0..built.len() {
        assert_eq!(built.policy(number), turned.policy(number));
        let mirror = |index: u32| index / 7 * 7 + 6 - index % 7;
        let indices: Vec<u32> = built.batch().indices(number).iter().map(|index| mirror(*index)).collect();
        assert_eq!(indices, turned.batch().indices(number));
        let replies: Vec<_> = built.replies()[number].iter().map(|(index, share)| (mirror(*index), *share)).collect();
        assert_eq!(replies, turned.replies()[number]);
        let (planes, others) = (built.batch().planes_of(number), turned.batch().planes_of(number));
        assert!((0..84).all(|cell| planes[cell] == others[(cell / 7 * 7) + 6 - cell % 7]));
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// Two folders with this many chunks of ten games each, and an odd game alone.
fn dataset(name: &str, files: u64) -> (PathBuf, Dataset) {
    let folder = folder(name);
    let folders = [folder.join("a"), folder.join("b")];
    for (path, first) in folders.iter().zip([0, 10 * files]) {
        std::fs::create_dir_all(path).unwrap();
        for chunk in 0..files {
            let first = first + 10 * chunk;
            write_chunk::<Connect4>(&path.join(format!("{chunk:06}.games")), &games(first..first + 10)).unwrap();
        }
    }
    write_chunk::<Connect4>(&folders[1].join("999999.games"), &games(1_000_000..1_000_001)).unwrap();
    let dataset = Dataset::open::<Connect4>(&folders, &()).unwrap();
    (folder, dataset)
}

const EPOCHS: Epochs = Epochs { seed: 11, count: 0 };

/// The positions that a draw from a place gives, in their order, and where it ends.
fn drawn(dataset: &Dataset, epochs: Epochs, cursor: Cursor, settings: DrawSettings) -> (Vec<(u64, u32)>, Cursor) {
    let mut draw = EpochDraw::new(dataset, epochs, cursor, settings);
    let mut all = Vec::new();
    loop {
        let drawn = draw.next::<Stones>(37).unwrap();
        if drawn.is_empty() {
            return (all, draw.end::<Stones>().unwrap());
        }
        all.extend(drawn.iter().map(|sample| (sample.record.number, sample.ply)));
    }
}

fn sorted(mut positions: Vec<(u64, u32)>) -> Vec<(u64, u32)> {
    positions.sort_unstable();
    positions
}

#[test]
fn an_epoch_has_every_position_once_and_no_held_out_game() {
    let (folder, dataset) = dataset("epochs", 12);
    assert_eq!((dataset.games(), dataset.folders().len()), (241, 2));
    let once = Epochs { count: 1, ..EPOCHS };
    let all = |settings| drawn(&dataset, once, Cursor::default(), settings);
    let (learnt, end) = all(settings(u64::MAX));
    let (held_out, _) = all(DrawSettings { from_held_out: true, ..settings(u64::MAX) });
    assert_eq!(end, Cursor { epoch: 1, ..Cursor::default() });
    let mut both = learnt.clone();
    both.extend(&held_out);
    let expected = games(0..240).into_iter().chain(games(1_000_000..1_000_001));
    let expected = expected.flat_map(|game| (0..game.plies.len() as u32).map(move |ply| (game.number, ply)));
    assert_eq!(sorted(both), sorted(expected.collect()), "each position of each game");
    let numbers = |positions: &[(u64, u32)]| positions.iter().map(|(number, _)| *number).collect::<Vec<_>>();
    let apart: std::collections::HashSet<u64> = numbers(&held_out).into_iter().collect();
    assert!((10..50).contains(&apart.len()) && numbers(&learnt).iter().all(|number| !apart.contains(number)));
    // Games are spread over the epoch, and the next one has another order.
    let tenth = learnt.len() / 10;
    let early: std::collections::HashSet<u64> = numbers(&learnt[..tenth]).into_iter().collect();
    assert!(early.len() > 100, "{}", early.len());
    let (second, end) = drawn(&dataset, EPOCHS, end, settings(learnt.len() as u64));
    assert_eq!((end.epoch, sorted(second.clone()) == sorted(learnt.clone()), second == learnt), (2, true, false));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn draws_that_follow_each_other_make_up_an_epoch() {
    let (folder, dataset) = dataset("parts", 3);
    let epochs = Epochs { count: 2, ..EPOCHS };
    let (all, _) = drawn(&dataset, Epochs { count: 1, ..EPOCHS }, Cursor::default(), settings(u64::MAX));
    let (mut cursor, mut twice) = (Cursor::default(), Vec::new());
    // As generations do, each of which begins where the last one ended.
    while cursor.epoch < 2 {
        let samples = settings(101);
        let (part, end) = drawn(&dataset, epochs, cursor, samples);
        assert_eq!(drawn(&dataset, epochs, cursor, samples), (part.clone(), end), "it can be repeated");
        assert!(part.len() == 101 || end.epoch == 2, "{}", part.len());
        twice.extend(part);
        cursor = end;
    }
    assert_eq!(sorted(twice), sorted([all.clone(), all].concat()));
    assert_eq!(drawn(&dataset, epochs, cursor, settings(9)), (Vec::new(), cursor), "there is no third one");
    let progress = |cursor| EpochDraw::progress(&dataset, cursor);
    assert_eq!((progress(cursor), progress(Cursor { epoch: 1, visit: 28, position: 3 })), (2.0, 1.5));
    // Nothing to draw from ends as well.
    let none =
        DrawSettings { sampling: Sampling { held_out: 0.0, symmetries: false }, from_held_out: true, ..settings(9) };
    assert_eq!(drawn(&dataset, EPOCHS, Cursor::default(), none).0, []);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_folder_is_known_by_its_games() {
    let (folder, dataset) = dataset("known", 2);
    let open =
        |path: &Path| Dataset::open::<Connect4>(&[path.to_owned()], &()).map(|dataset| dataset.folders()[0].clone());
    let (a, moved) = (folder.join("a"), folder.join("moved"));
    let before = open(&a).unwrap();
    assert_eq!(&before, &dataset.folders()[0]);
    assert_eq!((before.games, before.positions), (20, games(0..20).iter().map(|game| game.plies.len() as u64).sum()));
    std::fs::rename(&a, &moved).unwrap();
    assert_eq!(open(&moved).unwrap().fingerprint, before.fingerprint);
    let refused = |path: &Path| open(path).unwrap_err().to_string();
    assert!(refused(&a).starts_with("there is no folder "), "{}", refused(&a));
    // As many games and positions, but others.
    let path = moved.join("000001.games");
    let mut others = games(10..20);
    others[3].number = 99;
    write_chunk::<Connect4>(&path, &others).unwrap();
    let after = open(&moved).unwrap();
    assert_eq!((after.games, after.positions), (before.games, before.positions));
    assert_ne!(after.fingerprint, before.fingerprint);
    // A damaged file is named, and stays where it is.
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[30] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    assert!(
        refused(&moved).contains("000001.games: it is not a file of games, or it is damaged"),
        "{}",
        refused(&moved)
    );
    assert_eq!(chunks(&moved).unwrap().len(), 2);
    let other = Dataset::open::<alfil_game::tictactoe::TicTacToe>(&[folder.join("b")], &()).unwrap_err().to_string();
    assert!(other.ends_with("they are games of connect4, not of tictactoe"), "{other}");
    std::fs::remove_dir_all(&moved).unwrap();
    std::fs::create_dir_all(&moved).unwrap();
    assert!(refused(&moved).starts_with("there are no games in "), "{}", refused(&moved));
    std::fs::remove_dir_all(folder).unwrap();
}
