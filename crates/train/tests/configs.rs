//! The configurations in `configs/`.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::path::{Path, PathBuf};

use alfil_game::{Encoding, First, Game, Mover, Score, Wdl, with_encoding};
use alfil_nn::learning::{Optimizer, OptimizerKind};
use alfil_selfplay::{End, GameRecord, Ply, SearchKind, SearchSettings, write_chunk};
use alfil_train::{Config, FolderSettings, GateKind, GateSettings, Run};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs")
}

#[test]
fn every_configuration_can_be_used_as_it_is() {
    let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|ending| ending == "toml")).collect();
    assert!(files.len() >= 4, "{files:?}");
    let games = std::env::temp_dir().join(format!("alfil-configs-{}", std::process::id()));
    std::fs::create_dir_all(&games).unwrap();
    for path in files {
        // Networks to begin with, and folders of games, do not ship with the program.
        let config = Config::load(&path, &["network.start=".to_owned()]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(config.warnings(), [], "{}", path.display());
        config.architecture().unwrap();
        let there = with_encoding!(&config.encoding, E => write_game::<<E as Encoding>::Game>(&games)).unwrap();
        let folders = if config.games.folders.is_empty() { Vec::new() } else { vec![there] };
        let config = Config { games: FolderSettings { folders, ..config.games }, ..config };
        with_encoding!(&config.encoding, E => Run::<E>::check(&config).map(drop)).unwrap().unwrap();
    }
    std::fs::remove_dir_all(games).unwrap();
}

/// A folder with a game of one move.
fn write_game<G: Game>(folder: &Path) -> String {
    let mut moves = Vec::new();
    G::new(&G::Rules::default()).generate(&mut moves);
    let ply = Ply::new(moves[0].into(), [(moves[0].into(), 1.0)], Mover(Wdl::DRAW));
    let record = GameRecord::new(0, String::new(), vec![ply], First(Score::DRAW), End::Adjudicated);
    write_chunk::<G>(&folder.join("000000-0000.games"), &[record]).unwrap();
    folder.display().to_string()
}

/// What is learnt from people is what they played and how it ended; what is learnt from a teacher is what it says.
#[test]
fn the_configurations_for_folders_learn_what_is_in_them() {
    for (name, search_value) in [("chess-people.toml", 0.0), ("chess-player.toml", 0.0), ("chess-teacher.toml", 1.0)] {
        let config = Config::load(&folder().join(name), &[]).unwrap();
        assert!(!config.plays_games() && config.gate_kind() == GateKind::None, "{name}");
        assert_eq!((config.training.target.search_value, config.training.target.td_lambda), (search_value, 0.0));
    }
}

#[test]
fn the_paper_configuration_has_the_settings_of_alphazero() {
    let config = Config::load(&folder().join("chess-paper.toml"), &[]).unwrap();
    let learning = &config.training.learning;
    let sgd = Optimizer { kind: OptimizerKind::Sgd, momentum: 0.9, weight_decay: 1e-4, ..Optimizer::default() };
    assert_eq!(learning.optimizer, sgd);
    for (step, rate) in [(0, 0.2), (99_999, 0.2), (100_000, 0.02), (300_000, 0.002), (699_999, 0.0002)] {
        assert!((learning.schedule.at(step) / rate - 1.0).abs() < 1e-9, "{step}");
    }
    assert_eq!((config.training.batch, config.training.steps * u64::from(config.generations)), (4_096, 700_000));
    let search = SearchSettings { kind: SearchKind::Puct, visits: 800, ..SearchSettings::default() };
    assert_eq!((search.noise_share, search.noise_alpha, search.forced), (0.25, 0.3, 0.0));
    assert_eq!(config.selfplay.search, search);
    assert_eq!(config.selfplay.temperature, alfil_selfplay::Temperature::ALPHA_ZERO);
    // Even games of 66 plies, as short as they usually get, give a generation all of its steps.
    assert!(config.selfplay.games as f64 * 66.0 * config.training.reuse >= 1_000.0 * 4_096.0);
    assert_eq!(config.window.size.positions(1_000_000_000), 130_000_000);
    assert_eq!(config.gate.kind, GateKind::None);
}

/// Configurations name only the keys that differ: a changed default would change them all.
#[test]
fn the_defaults_are_those_that_configurations_were_written_for() {
    // The keys and defaults of commit de99b77. Where games are played, auto is the sequential test that was the default then.
    let old = Config::parse(include_str!("defaults.toml"), &[]).unwrap();
    assert_eq!((old.gate.kind, Config::default().gate_kind()), (GateKind::Sprt, GateKind::Sprt));
    let gate = GateSettings { kind: GateKind::Auto, ..old.gate };
    assert_eq!(Config { gate, ..old }, Config::default());
}
