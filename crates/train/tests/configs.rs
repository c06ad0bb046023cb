//! The configurations that come with the program.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use alfil_game::with_encoding;
use alfil_nn::learning::Optimizer;
use alfil_selfplay::SearchKind;
use alfil_train::config::GateKind;
use alfil_train::{Config, Run};

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
fn the_papers_configuration_is_the_papers() {
    let config = Config::load(&folder().join("chess-paper.toml"), &[]).unwrap();
    let learning = config.learning();
    assert_eq!(learning.optimizer, Optimizer::Sgd { momentum: 0.9, weight_decay: 1e-4 });
    for (step, rate) in [(0, 0.2), (99_999, 0.2), (100_000, 0.02), (300_000, 0.002), (699_999, 0.0002)] {
        assert!((learning.schedule.at(step) / rate - 1.0).abs() < 1e-9, "{step}");
    }
    assert_eq!((config.training.batch, config.training.steps * u64::from(config.generations)), (4_096, 700_000));
    let settings = config.selfplay_settings::<alfil_game::chess::Chess>(&Default::default()).unwrap();
    assert_eq!(settings.search, SearchKind::ALPHA_ZERO);
    assert_eq!(settings.temperature, alfil_selfplay::Temperature::ALPHA_ZERO);
    // Even the shortest usual games give a generation all of its steps.
    assert!(config.selfplay.games as f64 * 66.0 * config.training.reuse >= 1_000.0 * 4_096.0);
    assert_eq!(config.window_settings().positions(1_000_000_000), 130_000_000);
    assert_eq!(config.gate.kind, GateKind::None);
}
