//! Chunks of earlier versions: every game in them can be read and played again, and learnt from as before.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use alfil_game::chess::Az21;
use alfil_game::tictactoe::TicTacToe;
use alfil_game::{Encoding, Game, connect4, headquarters, hexchess, tictactoe};
use alfil_nn::Architecture;
use alfil_nn::learning::Samples;
use alfil_selfplay::replay::{Sample, SharedRecord, ValueTarget, build};
use alfil_selfplay::{GameRecord, read_chunk, write_chunk};

/// What is learnt from all positions of some games.
fn samples<E: Encoding>(records: &[GameRecord]) -> Samples {
    let mut samples = Vec::new();
    for record in records {
        let record = Arc::new(SharedRecord::new(record.clone()));
        let target = ValueTarget { search_value: 0.5, ..ValueTarget::default() };
        let sample = |ply| Sample { record: Arc::clone(&record), ply, symmetry: None, target };
        samples.extend((0..record.plies.len() as u32).map(sample));
    }
    build::<E>(&Architecture::new::<E>("4x1".parse().unwrap()), &Default::default(), &samples)
}

/// A chunk of the tests.
fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// Reads the chunk that commit de99b77 wrote, follows its games move by move, and brings them into today's version.
fn follow<E: Encoding>(games: usize) {
    let name = E::Game::NAME;
    let path = fixture(&format!("de99b77/{name}.games"));
    let mut records = read_chunk::<E::Game>(&path).unwrap();
    assert_eq!(records.len(), games);
    let rules = Default::default();
    for record in &records {
        let mut game: E::Game = record.begin(&rules).unwrap();
        let play = |_: &E::Game, _: &[_], ply: &alfil_selfplay::Ply| game.play(ply.code.try_into().ok().unwrap());
        record.replay::<E::Game>(&rules, play).unwrap();
        assert_eq!(game.outcome().unwrap().score, record.score());
    }
    let old = samples::<E>(&records);
    let positions: usize = records.iter().map(|record| record.plies.len()).sum();
    assert_eq!(old.len(), positions);
    let path = std::env::temp_dir().join(format!("alfil-selfplay-old-{name}-{}.games", std::process::id()));
    let error = write_chunk::<E::Game>(&path, &records).unwrap_err().to_string();
    assert!(error.contains("have not been resolved"), "{error}");
    records.iter_mut().for_each(|record| record.resolve::<E::Game>(&rules).unwrap());
    write_chunk::<E::Game>(&path, &records).unwrap();
    let again = read_chunk::<E::Game>(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(again, records);
    let new = samples::<E>(&again);
    assert_eq!((old.wdl(), old.moves_left()), (new.wdl(), new.moves_left()));
    for number in 0..positions {
        assert_eq!(old.policy(number), new.policy(number), "{name}, position {number}");
        assert_eq!(old.batch().indices(number), new.batch().indices(number));
        assert_eq!(old.batch().planes_of(number), new.batch().planes_of(number));
    }
    assert!((0..positions).any(|number| old.policy(number).len() > 1), "{name}");
}

#[test]
fn games_of_version_3_are_learnt_from_as_those_of_version_4() {
    follow::<Az21>(4);
    follow::<hexchess::Grid>(2);
    follow::<connect4::Stones>(6);
    follow::<tictactoe::Stones>(40);
    follow::<headquarters::Grid>(2);
}

/// The file of version 4 has the first games of the one of version 3, with tags.
#[test]
fn games_of_version_4_are_read() {
    let mut old = read_chunk::<TicTacToe>(&fixture("de99b77/tictactoe.games")).unwrap();
    old.truncate(3);
    for record in &mut old {
        record.resolve::<TicTacToe>(&()).unwrap();
        record.tags = vec![("White".to_owned(), "Ana".to_owned()), ("WhiteElo".to_owned(), "1500".to_owned())];
    }
    assert_eq!(read_chunk::<TicTacToe>(&fixture("version4/tictactoe.games")).unwrap(), old);
}
