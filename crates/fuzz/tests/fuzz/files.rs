//! Files that the program writes, and those of other programs.

use std::io::Read;

use alfil_fuzz::{Edit, ITERATIONS, TIME, edited, edits};
use alfil_game::chess::{Chess, Lc0};
use alfil_game::tictactoe::{Stones, TicTacToe};
use alfil_game::{Encoding, Game, References};
use alfil_nn::{Architecture, HeadShape, Network, lc0};
use alfil_selfplay::{read_chunk, read_header, write_chunk};
use alfil_train::run::State;
use alfil_train::{RunDirectory, report};
use bolero::check;

use super::{Folder, fixture};

/// The build script's reader, as it is.
#[path = "../../../nn/src/manifest.rs"]
#[allow(dead_code, missing_docs)]
mod manifest;

fn network<E: Encoding>() -> Network {
    let mut architecture = Architecture::new::<E>("8x1s2".parse().unwrap());
    architecture.moves_left = Some(HeadShape { filters: 2, hidden: 3 });
    Network::random::<E>(architecture, 1)
}

#[test]
fn chunks() {
    let folder = Folder::new("chunks");
    let (path, copy) = (folder.file("a.games"), folder.file("b.games"));
    // Versions 3 and 4.
    let files = [
        fixture("runs/old/replay/000001-0000.games"),
        include_bytes!("../../../selfplay/tests/version4/tictactoe.games").to_vec(),
    ];
    check!().with_iterations(ITERATIONS).with_test_time(TIME).with_generator(edits()).for_each(|edits: &Vec<Edit>| {
        for whole in &files {
            let bytes = edited(whole, edits);
            std::fs::write(&path, &bytes).unwrap();
            let _ = read_header(&path);
            if let Ok(mut records) = read_chunk::<TicTacToe>(&path) {
                assert_eq!(&bytes, whole, "a damaged file was read");
                records.iter_mut().for_each(|record| record.resolve::<TicTacToe>(&()).unwrap());
                write_chunk::<TicTacToe>(&copy, &records).unwrap();
                assert_eq!(read_chunk::<TicTacToe>(&copy).unwrap(), records);
                assert_eq!(read_header(&copy).unwrap().games, records.len() as u64);
            }
            assert!(read_chunk::<Chess>(&path).is_err(), "games of another game were read");
        }
    });
}

#[test]
fn networks() {
    let whole = network::<Stones>().to_bytes().unwrap();
    check!().with_iterations(ITERATIONS).with_test_time(TIME).with_generator(edits()).for_each(|edits: &Vec<Edit>| {
        if let Ok(network) = Network::from_bytes(&edited(&whole, edits)) {
            assert_eq!(Network::from_bytes(&network.to_bytes().unwrap()).unwrap(), network);
            network.check_encoding::<Stones>().unwrap();
        }
    });
}

#[test]
fn networks_of_leela() {
    let whole = lc0::export_bytes(&network::<Lc0>()).unwrap();
    // Packed, a change seldom gets further than the checksum of gzip.
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(whole.as_slice()).read_to_end(&mut plain).unwrap();
    check!().with_iterations(ITERATIONS).with_test_time(TIME).with_generator(edits()).for_each(|edits: &Vec<Edit>| {
        for bytes in [&whole, &plain] {
            if let Ok(network) = lc0::import_bytes(&edited(bytes, edits)) {
                let again = lc0::import_bytes(&lc0::export_bytes(&network).unwrap()).unwrap();
                assert_eq!(again.architecture, network.architecture);
            }
        }
    });
}

#[test]
fn states() {
    let folder = Folder::new("states");
    let directory = RunDirectory::new(folder.file(""));
    let first = fixture("runs/old/state.json");
    let second = include_bytes!("../../../train/tests/version2/state.json");
    check!().with_iterations(ITERATIONS).with_test_time(TIME).with_generator(edits()).for_each(|edits: &Vec<Edit>| {
        std::fs::write(directory.state(), edited(&first, edits)).unwrap();
        if let Ok(state) = State::load(&directory) {
            state.save(&directory).unwrap();
            assert_eq!(State::load(&directory).unwrap(), state);
        }
        let bytes = edited(second, edits);
        std::fs::write(directory.state(), &bytes).unwrap();
        assert!(State::load(&directory).is_err() || bytes == second, "a damaged state was read");
    });
}

/// Metrics are read by the page of a run, which has to cope with whatever numbers are there.
#[test]
fn metrics() {
    let folder = Folder::new("metrics");
    let directory = RunDirectory::new(folder.file(""));
    for file in ["state.json", "config.toml"] {
        std::fs::write(folder.file(file), fixture(&format!("runs/old/{file}"))).unwrap();
    }
    let (whole, page) = (fixture("runs/old/metrics.jsonl"), folder.file("page.html"));
    check!().with_iterations(ITERATIONS).with_test_time(TIME).with_generator(edits()).for_each(|edits: &Vec<Edit>| {
        std::fs::write(directory.metrics(), edited(&whole, edits)).unwrap();
        if report::write(&directory, &page).is_ok() {
            let page = std::fs::read_to_string(&page).unwrap();
            assert!(!page.contains("NaN") && page.trim_end().ends_with("</html>"), "{page}");
        }
    });
}

#[test]
fn manifests() {
    let whole = include_bytes!("../../../../models/manifest.toml");
    check!().with_iterations(ITERATIONS).with_test_time(TIME).with_generator(edits()).for_each(|edits: &Vec<Edit>| {
        let text = String::from_utf8_lossy(&edited(whole, edits)).into_owned();
        if let Ok(manifest) = manifest::Manifest::read(&text, |_| Some(1)) {
            let names: Vec<&str> = manifest.networks.iter().map(|entry| entry.name.as_str()).collect();
            assert!(names.iter().enumerate().all(|(number, name)| !names[..number].contains(name)), "{names:?}");
        }
    });
}

#[test]
fn books() {
    let folder = Folder::new("books");
    let path = folder.file("book.bin");
    let game = Chess::new(&Default::default());
    // Polyglot's key of the start position, with e2e4 and d2d4.
    let key = 0x463b_9618_1691_fc9c_u64.to_be_bytes();
    let entry = |code: u16| [&key[..], &code.to_be_bytes(), &[0, 3], &[0; 4]].concat();
    let whole = [entry(0x031c), entry(0x02db)].concat();
    let mut moves = Vec::new();
    game.generate(&mut moves);
    check!().with_iterations(ITERATIONS).with_test_time(TIME).with_generator(edits()).for_each(|edits: &Vec<Edit>| {
        let bytes = edited(&whole, edits);
        std::fs::write(&path, &bytes).unwrap();
        if let Ok(mut book) = Chess::book(&path) {
            let found = book.probe(&game, &mut |most| most - 1).unwrap();
            assert!(found.is_none_or(|m| moves.contains(&m)));
            assert!(found.is_some() || bytes != whole);
        }
    });
}
