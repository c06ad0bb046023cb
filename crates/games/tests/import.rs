//! Files of games become folders of chunks: which games, how often, and what is left after an interruption.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use alfil_game::chess::Chess;
use alfil_game::connect4::Connect4;
use alfil_game::pgn::PlayerName;
use alfil_game::{First, Game, Notation, Score, Side};
use alfil_games::{Filter, Import, ImportError, Imported, Sides, Skip, Skipped, read_records};
use alfil_selfplay::{End, GameRecord, chunks, read_chunk};

const GAMES: &str = r#"
[Event "Club"]
[Date "2019.05.17"]
[White "Ada, A."]
[Black "Bob"]
[WhiteElo "1850"]
[BlackElo "2100"]
[TimeControl "600+5"]
[ECO "C20"]
[Result "0-1"]

1. f3 e5 2. g4 Qh4# 0-1

[Date "2020.??.??"]
[White "Bob"]
[Black "Cleo"]
[WhiteElo "2110"]
[BlackElo "2050"]
[Result "1/2-1/2"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1/2-1/2

[White "Ada"]
[Black "Cleo"]
[Result "1-0"]

1. e4 {a comment} e5 (1... c5) 2. Qh5 Ke7 3. Qxe5# 1-0

[White "Nobody"]
[Black "Nobody"]
[Result "*"]

1. e4 *

[White "Nobody"]
[Black "Nobody"]
[Result "1-0"]

1. e4 e5 2. Ke3 1-0

[White "Nobody"]
[Black "Nobody"]
[Result "1-0"]

1-0
"#;

/// A new folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("import-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn import<G: Notation>(files: &[PathBuf], filter: Filter, to: &Path) -> Result<Imported, ImportError> {
    let import = Import::<G> { files, rules: G::Rules::default(), filter, except: &[], folder: to };
    import.run(&mut |_| {}, &AtomicBool::new(false))
}

fn records<G: Notation>(folder: &Path) -> Vec<GameRecord> {
    chunks(folder).unwrap().iter().flat_map(|path| read_chunk::<G>(path).unwrap()).collect()
}

/// What can be read of a path without importing it, sorted by number, and what is left out.
fn read(path: &Path) -> Result<(Vec<GameRecord>, Skipped), ImportError> {
    let mut records = Vec::new();
    let mut take = |record| records.push(record);
    let skipped = read_records::<Chess>(path, &Default::default(), &mut take, &mut |_| {}, &AtomicBool::new(false))?;
    records.sort_by_key(|record| record.number);
    Ok((records, skipped))
}

#[test]
fn a_file_and_the_folder_that_it_is_imported_to_have_the_same_records() {
    let folder = folder("read");
    let (file, out) = (folder.join("games.pgn"), folder.join("out"));
    std::fs::write(&file, GAMES.repeat(2)).unwrap();
    import::<Chess>(std::slice::from_ref(&file), Filter::default(), &out).unwrap();
    let (records, skipped) = read(&file).unwrap();
    let skipped: Vec<_> = skipped.iter().collect();
    assert_eq!(records, read(&out).unwrap().0);
    assert_eq!(records.len(), 3);
    assert_eq!(skipped, [(Skip::Unreadable, 2), (Skip::Empty, 2), (Skip::Unfinished, 2), (Skip::Duplicate, 3)]);
    let empty = folder.join("empty");
    std::fs::create_dir_all(&empty).unwrap();
    assert!(read(&empty).unwrap_err().to_string().contains("there are no games in"));
    assert!(matches!(read(&folder.join("none")), Err(ImportError::Read { .. })));
    let stopped = AtomicBool::new(true);
    let stopped = read_records::<Chess>(&file, &Default::default(), &mut |_| {}, &mut |_| {}, &stopped);
    assert!(matches!(stopped, Err(ImportError::Stopped)));
    std::fs::remove_dir_all(folder).unwrap();
}

/// The white players of what passes a filter, sorted, and the reasons why others did not.
fn passing(name: &str, filter: Filter) -> (Vec<String>, Vec<(Skip, u64)>) {
    let folder = folder(name);
    let file = folder.join("games.pgn");
    std::fs::write(&file, GAMES).unwrap();
    let to = folder.join("out");
    let skipped = match import::<Chess>(&[file], filter, &to) {
        Ok(imported) => imported.skipped.iter().collect(),
        Err(ImportError::Nothing(_)) => Vec::new(),
        Err(error) => panic!("{error}"),
    };
    let white = |record: &GameRecord| record.tags.iter().find(|(name, _)| name == "White").unwrap().1.clone();
    let mut players: Vec<String> = records::<Chess>(&to).iter().map(white).collect();
    players.sort();
    std::fs::remove_dir_all(folder).unwrap();
    (players, skipped)
}

#[test]
fn games_become_records_and_what_is_not_a_game_is_counted() {
    let folder = folder("records");
    let file = folder.join("games.pgn");
    std::fs::write(&file, GAMES).unwrap();
    let imported = import::<Chess>(&[file], Filter::default(), &folder.join("out")).unwrap();
    assert_eq!((imported.games, imported.positions, imported.learnt), (3, 4 + 6 + 5, 15));
    let skipped: Vec<_> = imported.skipped.iter().collect();
    assert_eq!(skipped, [(Skip::Unreadable, 1), (Skip::Empty, 1), (Skip::Unfinished, 1)]);

    let records = records::<Chess>(&folder.join("out"));
    let by = |name: &str| {
        records.iter().find(|record| record.tags.contains(&("White".to_owned(), name.to_owned()))).unwrap()
    };
    let mate = by("Ada, A.");
    assert_eq!((mate.score(), mate.end, mate.start.as_str()), (First(Score::LOSS), End::Rules, ""));
    assert!(mate.tags.contains(&("BlackElo".to_owned(), "2100".to_owned())));
    let mut texts = Vec::new();
    mate.replay::<Chess>(&Default::default(), |game, moves, ply| {
        let played = moves.iter().copied().find(|&m| u16::from(m) == ply.code).unwrap();
        texts.push(game.move_name(played));
        let policy = ply.policy(moves).unwrap();
        assert_eq!(policy.iter().sum::<f32>(), 1.0);
        assert_eq!(policy[moves.iter().position(|&m| m == played).unwrap()], 1.0);
    })
    .unwrap();
    assert_eq!(texts, ["f3", "e5", "g4", "Qh4#"]);
    // White has lost, which is what its moves learn; Black has won.
    assert_eq!([0, 1].map(|ply| mate.plies[ply].value().0), [-1.0, 1.0]);
    assert_eq!(by("Bob").end, End::Adjudicated);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn filters_choose_games_by_what_their_tags_say() {
    let all = Filter::default;
    let elo = Some("2000..2199".parse().unwrap());
    assert_eq!(passing("elo", Filter { elo: elo.clone(), ..all() }).0, ["Bob"]);
    let one = passing("one", Filter { elo, elo_of: Sides::One, ..all() });
    assert_eq!(one.0, ["Ada, A.", "Bob"]);
    assert!(one.1.contains(&(Skip::Rating, 1)), "{one:?}");
    assert_eq!(
        passing("player", Filter { player: Some(PlayerName::new("ADA", false)), ..all() }).0,
        ["Ada", "Ada, A."]
    );
    let part = passing("part", Filter { player: Some(PlayerName::new("Cle", false)), ..all() });
    assert!(part.0.is_empty(), "a part of a name is another name: {part:?}");
    assert_eq!(passing("result", Filter { results: vec!["1-0".to_owned()], ..all() }).0, ["Ada"]);
    let date = |text: &str| Filter { date: Some(text.parse().unwrap()), ..all() };
    assert_eq!(passing("year", date("2019..2020")).0, ["Ada, A.", "Bob"]);
    assert_eq!(passing("month", date("2019.05..")).0, ["Ada, A."], "the month of the other game is not known");
    assert_eq!(passing("plies", Filter { plies: Some("5..".parse().unwrap()), ..all() }).0, ["Ada", "Bob"]);
    assert_eq!(passing("time", Filter { time_control: Some("600".to_owned()), ..all() }).0, ["Ada, A."]);
    assert_eq!(passing("opening", Filter { opening: Some("c2".to_owned()), ..all() }).0, ["Ada, A."]);
    assert!(passing("none", Filter { opening: Some("E".to_owned()), ..all() }).0.is_empty());
}

#[test]
fn only_the_moves_of_those_who_are_asked_for_are_learnt() {
    let folder = folder("sides");
    let file = folder.join("games.pgn");
    std::fs::write(&file, GAMES).unwrap();
    let filter = Filter { player: Some(PlayerName::new("cleo", false)), ..Filter::default() };
    let imported = import::<Chess>(&[file], filter, &folder.join("out")).unwrap();
    assert_eq!((imported.games, imported.positions, imported.learnt), (2, 11, 5));
    for record in records::<Chess>(&folder.join("out")) {
        assert!(record.plies.iter().enumerate().all(|(number, ply)| ply.has_policy() == (number % 2 == 1)));
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn packed_files_give_the_same_and_no_game_twice_in_any_of_them() {
    let folder = folder("packed");
    let [plain, gzip, zstd] = ["games.pgn", "games.pgn.gz", "games.pgn.zst"].map(|name| folder.join(name));
    std::fs::write(&plain, GAMES).unwrap();
    let mut packer = flate2::write::GzEncoder::new(std::fs::File::create(&gzip).unwrap(), Default::default());
    packer.write_all(GAMES.as_bytes()).unwrap();
    packer.finish().unwrap();
    std::fs::write(&zstd, zstd::encode_all(GAMES.as_bytes(), 3).unwrap()).unwrap();

    let alone = [&plain, &gzip, &zstd].map(|file| {
        let to = folder.join("alone");
        import::<Chess>(std::slice::from_ref(file), Filter::default(), &to).unwrap();
        let bytes: Vec<Vec<u8>> = chunks(&to).unwrap().iter().map(|path| std::fs::read(path).unwrap()).collect();
        std::fs::remove_dir_all(to).unwrap();
        bytes
    });
    assert!(alone[0] == alone[1] && alone[0] == alone[2]);
    let together = import::<Chess>(&[plain, gzip.clone(), zstd], Filter::default(), &folder.join("all")).unwrap();
    assert_eq!(together.games, 3);
    assert!(together.skipped.iter().any(|skipped| skipped == (Skip::Duplicate, 6)));

    // A file that ends too early is an error, and leaves no folder.
    let bytes = std::fs::read(&gzip).unwrap();
    std::fs::write(&gzip, &bytes[..bytes.len() - 20]).unwrap();
    let error = import::<Chess>(std::slice::from_ref(&gzip), Filter::default(), &folder.join("cut")).unwrap_err();
    assert!(error.to_string().contains("games.pgn.gz"), "{error}");
    assert!(!folder.join("cut").exists());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_folder_is_whole_or_not_there_and_is_never_overwritten() {
    let folder = folder("whole");
    let file = folder.join("games.pgn");
    std::fs::write(&file, GAMES.repeat(3)).unwrap();
    let to = folder.join("out");
    let import = Import::<Chess> {
        files: std::slice::from_ref(&file),
        rules: Default::default(),
        filter: Filter::default(),
        except: &[],
        folder: &to,
    };
    let stopped = import.run(&mut |_| {}, &AtomicBool::new(true));
    assert!(matches!(stopped, Err(ImportError::Stopped)) && !to.exists());
    // What a killed import has left.
    let left = to.with_added_extension("unfinished");
    std::fs::create_dir_all(&left).unwrap();
    std::fs::write(left.join("999999-0000.games"), "half").unwrap();
    import.run(&mut |_| {}, &AtomicBool::new(false)).unwrap();
    assert!(!left.exists());
    assert_eq!(records::<Chess>(&to).len(), 3);
    let again = import.run(&mut |_| {}, &AtomicBool::new(false)).unwrap_err();
    assert!(again.to_string().ends_with("is not empty: name a folder that does not exist yet, or remove it first"));
    let missing = Import { files: &[folder.join("none.pgn")], folder: &folder.join("other"), ..import };
    let error = missing.run(&mut |_| {}, &AtomicBool::new(false)).unwrap_err();
    assert!(error.to_string().contains("none.pgn") && !folder.join("other").exists(), "{error}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn short_games_are_the_same_however_databases_spell_them() {
    let folder = folder("spelling");
    let file = folder.join("games.pgn");
    let game = |white: &str, date: &str| {
        format!(
            "[White \"{white}\"]\n[Black \"Potter, W.\"]\n[Date \"{date}\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 1-0\n\n"
        )
    };
    let same = [("Steinitz, William", "1873.05.17"), ("W. Steinitz", "1873.??.??"), ("STEINITZ W", "1873.05")];
    let others = [("Steinitz, William", "1874.05.17"), ("Steinitzer, William", "1873.05.17"), ("", "1873.05.17")];
    let text: String = same.iter().chain(&others).map(|(white, date)| game(white, date)).collect();
    std::fs::write(&file, text).unwrap();
    let imported = import::<Chess>(&[file], Filter::default(), &folder.join("out")).unwrap();
    assert_eq!((imported.games, imported.skipped.iter().collect::<Vec<_>>()), (4, vec![(Skip::Duplicate, 2)]));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn games_to_be_measured_on_are_left_out() {
    let folder = folder("except");
    let [all, few, same] = ["all.pgn", "few.pgn", "same"].map(|name| folder.join(name));
    std::fs::write(&all, GAMES).unwrap();
    std::fs::write(&few, GAMES.split("[Date \"2020").next().unwrap()).unwrap();
    import::<Chess>(std::slice::from_ref(&few), Filter::default(), &same).unwrap();
    for (number, except) in [few, same].into_iter().enumerate() {
        let to = folder.join(number.to_string());
        let import = Import::<Chess> {
            files: std::slice::from_ref(&all),
            rules: Default::default(),
            filter: Filter::default(),
            except: &[except],
            folder: &to,
        };
        let imported = import.run(&mut |_| {}, &AtomicBool::new(false)).unwrap();
        assert_eq!(imported.games, 2);
        assert!(imported.skipped.iter().any(|skipped| skipped == (Skip::Excepted, 1)));
        assert!(records::<Chess>(&to).iter().all(|record| !record.tags.iter().any(|(_, value)| value == "Ada, A.")));
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn games_begin_where_their_file_says() {
    let folder = folder("starts");
    let file = folder.join("games.pgn");
    let ending = "[Fen \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n";
    // The king of this game castles with a rook on g1.
    let fen = "4k3/8/8/8/8/8/8/4K1R1 w G - 0 1";
    let shuffled = format!("[Variant \"Chess960\"]\n[FEN \"{fen}\"]\n[Result \"1-0\"]\n\n1. O-O 1-0\n\n");
    std::fs::write(&file, format!("{ending}{shuffled}")).unwrap();
    let imported = import::<Chess>(&[file], Filter::default(), &folder.join("out")).unwrap();
    assert_eq!((imported.games, imported.skipped.total()), (2, 0));
    let records = records::<Chess>(&folder.join("out"));
    assert!(records.iter().any(|record| record.start.starts_with("4k3/8/8/8/8/8/4P3/4K3 w")));
    // Records do not say by which rules they were played.
    assert!(records.iter().all(|record| record.replay::<Chess>(&Default::default(), |_, _, _| {}).is_some()));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn any_game_with_pgn_can_be_imported() {
    let folder = folder("connect4");
    let file = folder.join("games.pgn");
    std::fs::write(
        &file,
        "[Variant \"connect4\"]\n\n1. 4 4 2. 3 5 3. 2 1-0\n\n[White \"B\"]\n[Variant \"connect4\"]\n\n1. 1 1-0\n",
    )
    .unwrap();
    let imported = import::<Connect4>(&[file], Filter::default(), &folder.join("out")).unwrap();
    assert_eq!((imported.games, imported.positions), (2, 6));
    std::fs::remove_dir_all(folder).unwrap();
}

/// A game that Leela's program wrote, and what it says of it.
struct Golden {
    file: PathBuf,
    result: String,
    moves: Vec<String>,
}

/// Four of them; none where they are not installed.
fn golden() -> Option<Vec<Golden>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/golden/lc0-training");
    let Ok(list) = std::fs::read_to_string(folder.join("games.txt")) else {
        alfil_skipped::skip("the import of Leela's training data", "the folder shared beside this clone");
        return None;
    };
    let game = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let after = |name: &str| words.iter().position(|word| *word == name).map(|at| at + 1).unwrap();
        let moves = words[after("moves")..].iter().map(|word| word.to_string()).collect();
        Golden { file: folder.join(words[after("file")]), result: words[after("result")].to_owned(), moves }
    };
    Some(list.lines().filter(|line| line.contains("gameready")).map(game).collect())
}

#[test]
fn the_training_data_of_leela_gives_back_every_position_and_move() {
    let Some(games) = golden() else { return };
    assert_eq!(games.len(), 4);
    let folder = folder("leela");
    let mut archive = tar::Builder::new(std::fs::File::create(folder.join("all.tar")).unwrap());
    for (number, Golden { file, result, moves: expected }) in games.iter().enumerate() {
        archive.append_path_with_name(file, format!("game{number}.gz")).unwrap();
        let to = folder.join(number.to_string());
        let imported = import::<Chess>(std::slice::from_ref(file), Filter::default(), &to).unwrap();
        assert_eq!((imported.games, imported.positions), (1, expected.len() as u64));
        let record = records::<Chess>(&to).remove(0);
        let score = if result == "whitewon" { Score::WIN } else { Score::LOSS };
        assert_eq!((record.score(), record.start.as_str()), (First(score), ""));
        let mut texts = Vec::new();
        record
            .replay::<Chess>(&Default::default(), |game, moves, ply| {
                let played = moves.iter().copied().find(|&m| u16::from(m) == ply.code).unwrap();
                texts.push(as_leela_writes(game, &game.move_text(played)));
                assert!((ply.policy(moves).unwrap().iter().sum::<f32>() - 1.0).abs() < 1e-3);
            })
            .unwrap();
        assert_eq!(&texts, expected);
        // The values are those of the search and not of the result, and agree with it in the end.
        assert!(record.plies.iter().any(|ply| ply.value().0.abs() < 0.5));
        let last = record.plies.last().unwrap().value().0;
        let mover = if expected.len() % 2 == 1 { Side::First } else { Side::Second };
        assert_eq!(last > 0.0, (mover == Side::First) == (score == Score::WIN), "{last}");
    }
    archive.finish().unwrap();
    let imported = import::<Chess>(&[folder.join("all.tar")], Filter::default(), &folder.join("all")).unwrap();
    assert_eq!(imported.games, 4);
    let error = import::<Connect4>(&[folder.join("all.tar")], Filter::default(), &folder.join("no")).unwrap_err();
    assert!(error.to_string().ends_with("which plays chess, and the game is connect4"), "{error}");
    std::fs::remove_dir_all(folder).unwrap();
}

/// Castling as the king that takes its rook.
fn as_leela_writes(game: &Chess, text: &str) -> String {
    let position = game.position();
    let is_king = |square: &str| matches!((square, position.contains(" w ")), ("e1", true) | ("e8", false));
    match (text.get(..2), text.get(2..)) {
        (Some(from), Some("g1" | "g8")) if is_king(from) && castles(game, text) => format!("{from}h{}", &from[1..]),
        (Some(from), Some("c1" | "c8")) if is_king(from) && castles(game, text) => format!("{from}a{}", &from[1..]),
        _ => text.to_owned(),
    }
}

fn castles(game: &Chess, text: &str) -> bool {
    game.move_name(game.parse_move(text).unwrap()).starts_with("O-O")
}

#[test]
fn damaged_training_data_is_counted_and_no_crash() {
    let Some(games) = golden() else { return };
    let folder = folder("damaged");
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(
        &mut flate2::read::GzDecoder::new(std::fs::File::open(&games[0].file).unwrap()),
        &mut bytes,
    )
    .unwrap();
    let import_bytes = |name: &str, bytes: &[u8]| {
        let file = folder.join(name);
        std::fs::write(&file, bytes).unwrap();
        import::<Chess>(&[file], Filter::default(), &folder.join(format!("{name}-out")))
    };
    assert!(matches!(import_bytes("cut", &bytes[..bytes.len() - 1]), Err(ImportError::Nothing(_))));
    for place in (0..8_356).step_by(97) {
        let mut damaged = bytes.clone();
        damaged[5 * 8_356 + place] ^= 0x41;
        match import_bytes(&format!("bit{place}"), &damaged) {
            Ok(_) | Err(ImportError::Nothing(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }
    let formats = bytes.chunks(8_356).flat_map(|record| [&record[..4], &[3, 0, 0, 0], &record[8..]].concat());
    let Err(ImportError::Nothing(why)) = import_bytes("format", &formats.collect::<Vec<u8>>()) else { panic!() };
    assert!(why.contains("1 unreadable"), "{why}");
    // A damaged member of an archive is counted, with its name, and the others are read.
    let mut archive = tar::Builder::new(std::fs::File::create(folder.join("some.tar")).unwrap());
    let packed = std::fs::read(&games[0].file).unwrap();
    let members = [("cut.gz", &packed[..packed.len() / 2]), ("text", b"no game".as_slice()), ("whole.gz", &packed[..])];
    for (name, bytes) in members {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        archive.append_data(&mut header, name, bytes).unwrap();
    }
    archive.finish().unwrap();
    let imported = import::<Chess>(&[folder.join("some.tar")], Filter::default(), &folder.join("some")).unwrap();
    assert_eq!((imported.games, imported.skipped.iter().collect::<Vec<_>>()), (1, vec![(Skip::Unreadable, 2)]));
    assert!(imported.first_unreadable.as_ref().is_some_and(|first| first.contains("cut.gz")), "{imported:?}");
    // Version 7 has more at the end of each record.
    let longer = |record: &[u8]| [&[7, 0, 0, 0], &record[4..], &[0; 40]].concat();
    let version_7 = bytes.chunks(8_356).flat_map(longer).collect::<Vec<u8>>();
    let imported = import_bytes("version-7", &version_7).unwrap();
    assert_eq!((imported.games, imported.positions), (1, games[0].moves.len() as u64));
    assert_eq!(records::<Chess>(&folder.join("version-7-out")), records::<Chess>(&folder.join("some")));
    // Without its tenth position the game is two.
    let gap = [&bytes[..9 * 8_356], &bytes[10 * 8_356..]].concat();
    let imported = import_bytes("gap", &gap).unwrap();
    assert_eq!((imported.games, imported.positions), (2, games[0].moves.len() as u64 - 1));
    std::fs::remove_dir_all(folder).unwrap();
}
