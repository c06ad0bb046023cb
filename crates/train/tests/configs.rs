//! The configurations in `configs/`.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::path::{Path, PathBuf};

use alfil_game::with_encoding;
use alfil_nn::learning::{Optimizer, OptimizerKind};
use alfil_selfplay::{SearchKind, SearchSettings};
use alfil_train::{Config, GateKind, Run};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs")
}

#[test]
fn every_configuration_can_be_used_as_it_is() {
    let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|ending| ending == "toml")).collect();
    assert!(files.len() >= 4, "{files:?}");
    for path in files {
        let config = Config::load(&path, &[]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(config.warnings(), [], "{}", path.display());
        config.architecture().unwrap();
        with_encoding!(&config.encoding, E => Run::<E>::check(&config).map(drop)).unwrap().unwrap();
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
    // The keys and defaults of commit de99b77.
    assert_eq!(Config::parse(include_str!("defaults.toml"), &[]).unwrap(), Config::default());
}
