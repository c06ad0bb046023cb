//! Runs that learn from folders of games: instead of self-play, and beside it.

use alfil_game::{First, Game, Score, Wdl};
use alfil_selfplay::{End, Ply};
use alfil_train::run::FolderMetrics;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;

/// A game of random moves, whose number follows from them as that of an imported game does.
fn random_game(seed: u64) -> GameRecord {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (mut game, mut moves, mut plies) = (TicTacToe::new(&()), Vec::new(), Vec::new());
    while game.legal_moves(&mut moves).is_none() {
        let m = moves[random.random_range(0..moves.len())];
        plies.push(Ply::new(m.into(), [(m.into(), 1.0)], Mover(Wdl::DRAW)));
        game.play(m);
    }
    let score = game.outcome().map_or(First(Score::DRAW), |outcome| outcome.score);
    GameRecord::new(random.random::<u64>() >> 24, String::new(), plies, score, End::Rules)
}

/// Writes some chunks of twelve games. Returns the setting that names their folder.
fn write_games(path: &Path, chunks: u64) -> String {
    std::fs::create_dir_all(path).unwrap();
    for chunk in 0..chunks {
        let games: Vec<GameRecord> = (12 * chunk..12 * (chunk + 1)).map(random_game).collect();
        write_chunk::<TicTacToe>(&path.join(format!("{chunk:06}-0000.games")), &games).unwrap();
    }
    format!("games.folders=[\"{}\"]", path.display())
}

/// The bytes of all files of a folder.
fn bytes(path: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = alfil_core::disk::list(path).unwrap();
    files.into_iter().map(|file| (file.clone(), std::fs::read(file).unwrap())).collect()
}

/// How many positions of a folder are learnt from.
fn learnt(path: &Path, held_out: f64) -> u64 {
    let settings = alfil_selfplay::replay::DrawSettings {
        samples: u64::MAX,
        sampling: alfil_selfplay::replay::Sampling { held_out, symmetries: false },
        from_held_out: false,
        target: alfil_selfplay::replay::ValueTarget::default(),
        seed: 0,
    };
    let dataset = alfil_selfplay::replay::Dataset::open::<TicTacToe>(&[path.to_owned()], &()).unwrap();
    let once = alfil_selfplay::replay::Epochs { seed: 0, count: 1 };
    let mut draw = alfil_selfplay::replay::EpochDraw::new(&dataset, once, Default::default(), settings);
    draw.next::<Stones>(1 << 16).unwrap().len() as u64
}

#[test]
fn a_run_learns_from_a_folder_and_plays_no_games() {
    let (folder, games) = (Folder::new("folder"), Folder::new("folder-games"));
    let named = write_games(&games.0, 5);
    let before = bytes(&games.0);
    let settings = ["generations=3", "gate.kind=auto", "games.positions=64", &named];
    assert_eq!(folder.go(false, &settings), Finish::Complete);
    assert_eq!(bytes(&games.0), before, "it is only read");
    let metrics = Metrics::load(&folder.run()).unwrap();
    assert_eq!(metrics.iter().map(|line| line.learning.steps).collect::<Vec<_>>(), [4, 8, 12]);
    let epochs: Vec<f64> = metrics.iter().map(|line| line.games.unwrap().epochs).collect();
    assert!(epochs[0] > 0.0 && epochs.is_sorted() && epochs[2] < 1.0, "{epochs:?}");
    for line in &metrics {
        let FolderMetrics { games, positions, share, held_out, .. } = line.games.unwrap();
        assert!(games == 60 && (300..540).contains(&positions) && share == 1.0 && held_out.is_none());
        assert!(line.learning.held_out.is_some() && line.gate.is_none() && line.promoted, "{line:?}");
        assert!(line.selfplay.games == 0 && !line.plays_games() && line.positions_per_hour().is_none(), "{line:?}");
    }
    // There are no numbers of games that were not played.
    let text = std::fs::read_to_string(folder.run().metrics()).unwrap();
    assert!(!text.contains("selfplay"), "{text}");
    assert!(chunks(&folder.run().replay()).unwrap().is_empty());
    assert_eq!(std::fs::read_dir(folder.run().games()).unwrap().count(), 0);
    let state = std::fs::read_to_string(folder.run().state()).unwrap();
    assert!(state.contains("\"fingerprint\"") && state.contains(&games.0.display().to_string()), "{state}");
}

#[test]
fn a_run_ends_after_its_epochs() {
    let (folder, games) = (Folder::new("epochs"), Folder::new("epochs-games"));
    let named = write_games(&games.0, 3);
    let settings = ["generations=0", "games.epochs=2", "games.positions=160", "rating.every=0", &named];
    assert_eq!(folder.go(false, &settings), Finish::Complete);
    let metrics = Metrics::load(&folder.run()).unwrap();
    assert_eq!(metrics.last().unwrap().games.unwrap().epochs, 2.0);
    // Ten steps of sixteen positions per generation, and what is left in the last one.
    let all = 2 * learnt(&games.0, 0.3);
    let steps = |positions: u64| positions / 16 + u64::from(positions % 16 >= 2);
    assert_eq!(metrics.last().unwrap().learning.steps, steps(all));
    assert_eq!(metrics.len() as u64, all.div_ceil(160));
    // It goes on from there if it is given more.
    let more = ["generations=0", "games.epochs=3", "games.positions=160", "rating.every=0", &named];
    assert_eq!(folder.go(false, &more), Finish::Complete);
    assert_eq!(Metrics::load(&folder.run()).unwrap().last().unwrap().games.unwrap().epochs, 3.0);
}

/// All phases, over the end of an epoch, and a stage.
fn supervised(named: &str) -> Vec<&str> {
    vec![
        "[[stage]]\nfrom_generation = 2\ntraining = {batch = 12, rate = 0.1}\ngames.positions = 130",
        "generations=2",
        "games.positions=96",
        "training={checkpoint_steps=2,statistics_batches=2}",
        "gate={kind=\"score\",score=0.0,games=4,visits=2}",
        "rating={every=2,games=4,visits=2,positions=4,players=[\"random\"]}",
        named,
    ]
}

#[test]
fn a_run_on_a_folder_resumes_after_any_file_operation_failed() {
    let games = Folder::new("folder-faults-games");
    let named = write_games(&games.0, 3);
    fail_everywhere("folder-faults", &supervised(&named), false, 7);
    fail_everywhere("folder-faults", &supervised(&named), true, 17);
}

#[test]
fn a_mixed_run_resumes_after_any_file_operation_failed() {
    let games = Folder::new("mixed-faults-games");
    let named = write_games(&games.0, 3);
    let settings = [&EVERYTHING[..], &["games.share=0.3", &named]].concat();
    fail_everywhere("mixed-faults", &settings, false, 11);
}

/// Stopped after each of its steps, the network has seen the same samples in the same order.
#[test]
fn a_run_on_a_folder_that_is_stopped_at_every_step_ends_as_one_that_is_not() {
    let games = Folder::new("steps-games");
    let named = write_games(&games.0, 3);
    for share in ["games.share=1.0", "games.share=0.4"] {
        let settings = [&supervised(&named)[..], &["selfplay.games=4", share]].concat();
        let (calm, rough) = (Folder::new("steps-calm"), Folder::new("steps-rough"));
        attempt(&calm, false, &settings).unwrap();
        let mut stops = 0;
        loop {
            let stop = AtomicBool::new(false);
            let (mut run, _) = rough.open(false, &settings).unwrap();
            let mut tell = |event: Event<'_>| {
                if let Event::Step { .. } = event {
                    stop.store(true, Relaxed);
                }
            };
            match run.go(&stop, &mut tell).unwrap() {
                Finish::Complete => break,
                Finish::Stopped => stops += 1,
            }
        }
        assert!(stops > 10, "{stops}");
        assert_eq!(outcome(&rough), outcome(&calm), "{share}");
    }
}

#[test]
fn a_share_of_every_batch_is_from_the_folder() {
    let (folder, games) = (Folder::new("mixed"), Folder::new("mixed-games"));
    let named = write_games(&games.0, 5);
    let settings = ["generations=2", "selfplay.games=40", "games.share=0.25", "training.reuse=2", &named];
    assert_eq!(folder.go(false, &settings), Finish::Complete);
    let metrics = Metrics::load(&folder.run()).unwrap();
    for line in &metrics {
        let FolderMetrics { share, held_out, .. } = line.games.unwrap();
        assert!(line.selfplay.games == 40 && line.plays_games() && share == 0.25 && held_out.is_some(), "{line:?}");
    }
    // The games of self-play are used as often as without the folder: three of ten are held out.
    let steps = |positions: u64| (positions as f64 * 0.7 * 2.0 / 12.0).round() as u64;
    assert_eq!(metrics[0].learning.steps, steps(metrics[0].selfplay.positions));
    let drawn = 4 * metrics[1].learning.steps;
    let all = learnt(&games.0, 0.3);
    let epochs = metrics[1].games.unwrap().epochs;
    assert!((epochs - drawn as f64 / all as f64).abs() < 0.15, "{epochs} for {drawn} of {all}");
}

#[test]
fn a_network_that_has_learnt_from_a_folder_goes_on_by_itself() {
    for overlap in [false, true] {
        let (folder, games) = (Folder::new(&format!("on-{overlap}")), Folder::new(&format!("on-games-{overlap}")));
        let named = write_games(&games.0, 5);
        let stages =
            "[[stage]]\nfrom_generation = 2\ngames.share = 0.5\n[[stage]]\nfrom_generation = 4\ngames.share = 1";
        let chunks = "selfplay={games=256,at_once=256,visits=2}";
        let settings = ["generations=4", chunks, "training.steps=4", "games.positions=64", stages, &named];
        assert_eq!(folder.go(overlap, &settings), Finish::Complete);
        let metrics = Metrics::load(&folder.run()).unwrap();
        let played: Vec<bool> = metrics.iter().map(|line| line.selfplay.games >= 256).collect();
        assert_eq!(played, [false, true, true, false], "{overlap}");
        let epochs: Vec<f64> = metrics.iter().map(|line| line.games.unwrap().epochs).collect();
        assert!(epochs.is_sorted_by(|a, b| a < b), "{epochs:?}");
    }
}

#[test]
fn folders_that_cannot_be_used_are_refused_in_one_sentence() {
    let (folder, games) = (Folder::new("refused"), Folder::new("refused-games"));
    let path = games.0.display().to_string();
    let refused = |settings: &[&str]| folder.open(false, settings).err().unwrap().to_string();
    let named = format!("games.folders=[\"{path}\"]");
    let help = "alfil games import makes folders of games";
    assert_eq!(refused(&[&named]), format!("games.folders cannot be used: there is no folder {path}: {help}"));
    std::fs::create_dir_all(&games.0).unwrap();
    assert_eq!(refused(&[&named]), format!("games.folders cannot be used: there are no games in {path}: {help}"));
    let chess = GameRecord::new(0, String::new(), Vec::new(), First(Score::DRAW), End::Rules);
    write_chunk::<alfil_game::chess::Chess>(&games.0.join("0.games"), &[chess]).unwrap();
    assert!(refused(&[&named]).ends_with("they are games of chess, not of tictactoe"), "{}", refused(&[&named]));
    let mut illegal = random_game(1);
    illegal.plies[1].code = illegal.plies[0].code;
    write_chunk::<TicTacToe>(&games.0.join("0.games"), &[illegal]).unwrap();
    assert!(
        refused(&[&named]).ends_with("were not played by the rules of the configuration"),
        "{}",
        refused(&[&named])
    );
    assert!(!folder.0.exists(), "nothing is written");
    let staged = Config::parse("[[stage]]\nfrom_generation = 2\ngames.folders = []", &[]).unwrap_err().to_string();
    assert_eq!(staged, "stage 1: games.folders cannot change within a run");
}

#[test]
fn a_run_goes_on_with_the_games_that_it_began_with() {
    let (folder, games, others) = (Folder::new("same"), Folder::new("same-games"), Folder::new("same-others"));
    let named = write_games(&games.0, 2);
    let run = folder.0.display().to_string();
    let go = |generations: u32, more: &[&str]| {
        let generations = format!("generations={generations}");
        let settings = [&[generations.as_str(), "games.positions=64"], more].concat();
        attempt(&folder, false, &settings).map_err(|error| error.to_string())
    };
    go(1, &[&named]).unwrap();
    // The folder may be moved, and the run may go on without it, but not with other games.
    let moved = games.0.join("moved");
    std::fs::create_dir_all(&moved).unwrap();
    for path in chunks(&games.0).unwrap() {
        std::fs::rename(&path, moved.join(path.file_name().unwrap())).unwrap();
    }
    let moved_setting = format!("games.folders=[\"{}\"]", moved.display());
    go(2, &[&moved_setting]).unwrap();
    let more = write_games(&others.0, 3);
    let refused = go(3, &[&more]).unwrap_err();
    let end = "; restore them, or choose another name with --run";
    let (old, new) = (moved.display(), others.0.display());
    let why = format!("it learns from {old}, whose games are not those of {new}");
    assert_eq!(refused, format!("the run {run} learns from other games: {why}{end}"));
    let both = format!("games.folders=[\"{old}\", \"{new}\"]");
    let why = format!("it learns from {old}, not from {old}, {new}");
    assert_eq!(go(3, &[&both]).unwrap_err(), format!("the run {run} learns from other games: {why}{end}"));
    let positions =
        |path: &Path| -> u64 { chunks(path).unwrap().iter().map(|path| read_header(path).unwrap().positions).sum() };
    let before = positions(&moved);
    let path = moved.join("000001-0000.games");
    write_chunk::<TicTacToe>(&path, &[random_game(7)]).unwrap();
    let why = format!(
        "{old} had 24 games with {before} positions when it began, and has 13 games with {} positions",
        positions(&moved)
    );
    assert_eq!(go(3, &[&moved_setting]).unwrap_err(), format!("the run {run} learns from other games: {why}{end}"));
    let mut same: Vec<GameRecord> = (12..24).map(random_game).collect();
    same[0].number += 1;
    write_chunk::<TicTacToe>(&path, &same).unwrap();
    let why = format!("the games in {old} are no longer those that it began with");
    assert_eq!(go(3, &[&moved_setting]).unwrap_err(), format!("the run {run} learns from other games: {why}{end}"));
    go(3, &[]).unwrap();
    let metrics = Metrics::load(&folder.run()).unwrap();
    assert_eq!(metrics.iter().map(|line| line.selfplay.games).collect::<Vec<_>>(), [0, 0, 8]);
}
