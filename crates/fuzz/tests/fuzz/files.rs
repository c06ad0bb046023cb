//! Files that the program writes, and those of other programs.

use std::io::Read;

use alfil_fuzz::{Edit, ITERATIONS, TIME, edited, edits};
use alfil_game::book::{BookMaker, CountedBook};
use alfil_game::chess::{Chess, Lc0};
use alfil_game::tictactoe::{Stones, TicTacToe};
use alfil_game::{Encoding, First, Game, References, Score};
use alfil_games::{Filter, Import, ImportError};
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

/// A game of four plies as Leela's program writes it.
fn training_data() -> Vec<u8> {
    let mut game = Chess::new(&Default::default());
    let (mut bytes, mut moves) = (Vec::new(), Vec::new());
    for ply in 0..4u8 {
        game.generate(&mut moves);
        let indices: Vec<usize> = moves.iter().map(|&m| Lc0::index(&game, m)).collect();
        let mut record = vec![0; 8_356];
        (record[0], record[4], record[8_276]) = (6, 1, ply % 2);
        record[8_272..8_276].fill(1);
        for index in 0..1_858 {
            let share: f32 = if indices.contains(&index) { 1.0 / moves.len() as f32 } else { -1.0 };
            record[8 + 4 * index..][..4].copy_from_slice(&share.to_le_bytes());
        }
        let mut planes = vec![0.0; Lc0::PLANES * 64];
        Lc0::planes(&game, &mut planes);
        for (row, cells) in planes.chunks_exact(8).take(104 * 8).enumerate() {
            record[7_440 + row] = cells.iter().fold(0, |bits, cell| bits << 1 | u8::from(*cell == 1.0));
        }
        record[8_344..8_346].copy_from_slice(&(indices[usize::from(ply)] as u16).to_le_bytes());
        bytes.extend(record);
        game.play(moves[usize::from(ply)]);
    }
    bytes
}

#[test]
fn games_to_import() {
    let folder = Folder::new("import");
    let (file, out) = (folder.file("games"), folder.file("out"));
    let pgn = b"[White \"A\"]\n[WhiteElo \"2000\"]\n[Result \"1-0\"]\n\n1. e4 {x} e5 (1... c5) 2. Nf3 1-0\n".to_vec();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), Default::default());
    std::io::Write::write_all(&mut packed, &pgn).unwrap();
    let files = [training_data(), packed.finish().unwrap(), pgn];
    let import = |bytes: &[u8]| {
        let _ = std::fs::remove_dir_all(&out);
        std::fs::write(&file, bytes).unwrap();
        let files = std::slice::from_ref(&file);
        let import =
            Import::<Chess> { files, rules: Default::default(), filter: Filter::default(), except: &[], folder: &out };
        import.run(&mut |_| {}, &Default::default())
    };
    for whole in &files {
        assert_eq!(import(whole).unwrap().games, 1);
    }
    check!().with_iterations(ITERATIONS).with_test_time(TIME).with_generator(edits()).for_each(|edits: &Vec<Edit>| {
        for whole in &files {
            match import(&edited(whole, edits)) {
                Ok(imported) => {
                    let paths = alfil_selfplay::chunks(&out).unwrap();
                    let records: Vec<_> = paths.iter().flat_map(|path| read_chunk::<Chess>(path).unwrap()).collect();
                    assert_eq!(records.len() as u64, imported.games);
                    records
                        .iter()
                        .for_each(|record| record.replay::<Chess>(&Default::default(), |_, _, _| {}).unwrap());
                }
                Err(ImportError::Nothing(_) | ImportError::Read { .. }) => {}
                Err(error) => panic!("{error}"),
            }
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
        if let Ok(book) = Chess::book(&path) {
            let found = book.probe(&game, &mut |most| most - 1).unwrap();
            assert!(found.is_none_or(|m| moves.contains(&m)));
            assert!(found.is_some() || bytes != whole);
        }
    });
    // Our own format carries a checksum: what is edited is refused, or was not changed.
    let mut maker = BookMaker::new(usize::MAX);
    maker.add(&game, moves.iter().copied().take(1), First(Score::WIN), |game, m| (game.key(), m.into())).unwrap();
    let whole = maker.finish::<Chess>(1);
    check!().with_iterations(ITERATIONS).with_test_time(TIME).with_generator(edits()).for_each(|edits: &Vec<Edit>| {
        let bytes = edited(&whole, edits);
        assert_eq!(CountedBook::read::<Chess>(&bytes).is_ok(), bytes == whole);
        let _ = CountedBook::game(&bytes);
    });
}
