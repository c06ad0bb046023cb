//! An interrupted match resumes.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod common;

use std::path::Path;

use alfil_arena::contest::{Archive, MatchSettings, SavedMatch};
use alfil_arena::stats::Sprt;
use alfil_core::lines::{seal, unseal};
use alfil_game::chess::Chess;
use alfil_game::headquarters::Headquarters;
use alfil_game::read_rules;
use alfil_game::tictactoe::TicTacToe;
use common::{Folder, entrant, play, play_by, settings, timeless};

fn journal(path: &Path) -> Archive {
    Archive { journal: Some(path.to_owned()), pgn: None }
}

#[test]
fn a_journal_cut_anywhere_gives_the_same_result() {
    let folder = Folder::new("cut");
    let path = folder.file("journal");
    let (a, b) = (entrant::<TicTacToe>("random"), entrant("random:name=other"));
    let (pairs, whole) = play(&a, &b, settings(4, 1), journal(&path)).unwrap();
    assert_eq!(pairs.len(), 2);
    let bytes = std::fs::read(&path).unwrap();
    let complete = timeless(&path);
    for cut in 0..=bytes.len() {
        std::fs::write(&path, &bytes[..cut]).unwrap();
        let (_, report) = play(&a, &b, settings(4, 1), journal(&path)).unwrap();
        assert_eq!((report.pairs, report.wins, report.draws), (whole.pairs, whole.wins, whole.draws), "cut at {cut}");
        assert_eq!(timeless(&path), complete, "cut at {cut}");
        let lines_kept = bytes[..cut].iter().filter(|byte| **byte == b'\n').count();
        let expected = [0, 0, 0, 2, 2, 4][lines_kept];
        assert_eq!(report.resumed, expected, "finished pairs are not played again: cut at {cut}");
    }
}

#[test]
fn journals_of_other_matches_are_refused_and_left_alone() {
    let folder = Folder::new("other");
    let path = folder.file("journal");
    let (a, b) = (entrant::<TicTacToe>("random"), entrant("oracle"));
    play(&a, &b, settings(4, 1), journal(&path)).unwrap();
    let before = std::fs::read(&path).unwrap();
    let refused = |a: &str, b: &str, settings: MatchSettings| {
        let error = play(&entrant::<TicTacToe>(a), &entrant(b), settings, journal(&path)).unwrap_err().to_string();
        assert_eq!(std::fs::read(&path).unwrap(), before, "{error}");
        error
    };
    let seeded = MatchSettings { seed: 8, ..settings(4, 1) };
    assert!(refused("random", "oracle", seeded).contains("another match (seed is 7 there, 8 here)"));
    assert!(refused("oracle", "random", settings(4, 1)).contains("player A is random there, oracle here"));
    // The name does not identify a player.
    assert_eq!(play(&a, &entrant("oracle:name=Z"), settings(4, 1), journal(&path)).unwrap().1.resumed, 4);
    for text in ["", "{", "x", "x\n", "{\"a\":1}\n", "{\"alfil-match\":1}"] {
        std::fs::write(&path, text).unwrap();
        let result = play(&a, &b, settings(4, 1), journal(&path));
        if "{\"alfil-match\":1,".starts_with(text) {
            result.unwrap();
        } else {
            assert!(result.unwrap_err().to_string().contains("belongs to something else"), "{text}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }
}

#[test]
fn other_rules_are_another_match() {
    let folder = Folder::new("rules");
    let path = folder.file("journal");
    let (a, b) = (entrant::<Chess>("random"), entrant("random:name=other"));
    let play = |text: &str| play_by(&read_rules::<Chess>(text).unwrap(), &a, &b, settings(2, 1), journal(&path));
    let (pairs, _) = play("ply_cap=12").unwrap();
    assert!(pairs[0].iter().all(|record| record.moves.split(' ').count() <= 12), "{pairs:?}");
    assert_eq!(play("ply_cap = 12").unwrap().1.resumed, 2);
    let error = play("").unwrap_err().to_string();
    assert!(error.contains("(the choice of rules is ply_cap=12 there, the usual one here)"), "{error}");
    let path = folder.file("weights");
    let (a, b) = (entrant::<Headquarters>("random"), entrant("random:name=other"));
    let map = concat!(env!("CARGO_MANIFEST_DIR"), "/../../configs/maps/uneven.txt");
    let play = |text: &str| play_by(&read_rules::<Headquarters>(text).unwrap(), &a, &b, settings(2, 1), journal(&path));
    play("turn_cap=4,distance=2").unwrap();
    let error = play("turn_cap=4,distance=3").unwrap_err().to_string();
    assert!(error.contains("is turn_cap=4,distance=2 there, turn_cap=4,distance=3 here)"), "{error}");
    let error = play(&format!("map={map}")).unwrap_err().to_string();
    assert!(error.contains("there, from 15/15/"), "{error}");
}

#[test]
fn damaged_journals_are_refused() {
    let folder = Folder::new("damaged");
    let path = folder.file("journal");
    let (a, b) = (entrant::<TicTacToe>("random"), entrant("oracle"));
    play(&a, &b, settings(4, 1), journal(&path)).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<_> = text.lines().collect();
    // With checksums that match.
    let forge = |from: &str, to: &str| {
        let json = text.lines().map(|line| unseal(line).unwrap().0);
        json.map(|json| seal(&json.replace(from, to))).collect::<String>()
    };
    let damaged = [
        forge("\"pair\":0", "\"pair\":1"),
        forge("\"score\":", "\"score\":7"),
        forge(&unseal(lines[1]).unwrap().0, "{}"),
        format!("{}\n{}\n{}\n", lines[0], lines[2], lines[1]),
        forge("\"first\":\"b\"", "\"first\":\"c\""),
        // Without, or with another line's.
        text.replace(lines[1], &unseal(lines[1]).unwrap().0),
        text.replace("\"end\":\"", "\"end\":\"x"),
    ];
    for damaged in damaged {
        std::fs::write(&path, &damaged).unwrap();
        let error = play(&a, &b, settings(4, 1), journal(&path)).unwrap_err().to_string();
        assert!(error.starts_with("line ") && error.ends_with("is damaged"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), damaged);
    }
    std::fs::write(&path, b"\xff\xfe\n").unwrap();
    play(&a, &b, settings(4, 1), journal(&path)).unwrap_err();
    play(&a, &b, settings(4, 1), journal(Path::new("/no/such/folder/x"))).unwrap_err();
}

#[test]
fn a_journal_tells_the_test_that_its_match_began_with() {
    let folder = Folder::new("test");
    let path = folder.file("journal");
    let (a, b) = (entrant::<TicTacToe>("random"), entrant("random:name=other"));
    let sprt: Sprt = "elo0=-300,elo1=300,alpha=0.01".parse().unwrap();
    let tested = |games| MatchSettings { sprt: Some(sprt), ..settings(games, 1) };
    play(&a, &b, tested(2), journal(&path)).unwrap();
    let saved = || SavedMatch::read(&path).unwrap().unwrap().sprt();
    assert_eq!(saved(), Some(sprt));
    // Another test, or none, goes on with the same match.
    assert_eq!(play(&a, &b, settings(4, 1), journal(&path)).unwrap().1.resumed, 2);
    let other = MatchSettings { sprt: "elo0=0,elo1=5".parse().ok(), ..settings(6, 1) };
    assert_eq!(play(&a, &b, other, journal(&path)).unwrap().1.resumed, 4);
    assert_eq!(saved(), Some(sprt));
    // So does a journal of a match without a test.
    let path = folder.file("without");
    play(&a, &b, settings(2, 1), journal(&path)).unwrap();
    assert_eq!(play(&a, &b, tested(4), journal(&path)).unwrap().1.resumed, 2);
    assert_eq!(SavedMatch::read(&path).unwrap().unwrap().sprt(), None);
}

#[test]
fn a_journal_is_for_one_match_at_a_time() {
    let folder = Folder::new("busy");
    let path = folder.file("journal");
    let file = std::fs::File::create(&path).unwrap();
    file.lock().unwrap();
    let error = play(&entrant::<TicTacToe>("random"), &entrant("oracle"), settings(2, 1), journal(&path)).unwrap_err();
    assert!(error.to_string().starts_with("another process is using"), "{error}");
}

#[test]
fn a_journal_without_checksums_goes_on_with_them() {
    let folder = Folder::new("version");
    let path = folder.file("journal");
    let (a, b) = (entrant::<TicTacToe>("random"), entrant("random:name=other"));
    let (_, whole) = play(&a, &b, settings(6, 1), journal(&path)).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let complete = timeless(&path);
    // As version 1 wrote it, with one pair of three.
    let plain = text.lines().take(3).map(|line| unseal(line).unwrap().0 + "\n").collect::<String>();
    let old = plain.replace("{\"alfil-match\":2,", "{\"alfil-match\":1,");
    std::fs::write(&path, &old).unwrap();
    let (_, report) = play(&a, &b, settings(6, 1), journal(&path)).unwrap();
    assert_eq!((report.resumed, report.pairs), (2, whole.pairs));
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.starts_with(&old) && timeless(&path)[1..] == complete[1..]);
    assert!(text.lines().skip(3).all(|line| unseal(line).unwrap().1), "{text}");
    assert_eq!(play(&a, &b, settings(6, 1), journal(&path)).unwrap().1.resumed, 6);
    let last = text.rfind("\"end\":\"").unwrap() + 8;
    std::fs::write(&path, format!("{}X{}", &text[..last], &text[last + 1..])).unwrap();
    let error = play(&a, &b, settings(6, 1), journal(&path)).unwrap_err().to_string();
    assert!(error.starts_with("line 7 "), "{error}");
}

#[test]
fn what_a_newer_program_has_added_is_ignored_and_what_it_has_changed_is_refused() {
    let folder = Folder::new("newer");
    let path = folder.file("journal");
    let (a, b) = (entrant::<TicTacToe>("random"), entrant("random:name=other"));
    play(&a, &b, settings(6, 1), journal(&path)).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let lines = || text.lines().map(|line| unseal(line).unwrap().0);
    let more = lines().map(|line| seal(&line.replacen('{', "{\"mood\":[\"good\"],", 1))).collect::<String>();
    std::fs::write(&path, &more).unwrap();
    assert_eq!(play(&a, &b, settings(8, 1), journal(&path)).unwrap().1.resumed, 6);
    assert!(std::fs::read_to_string(&path).unwrap().starts_with(&more));
    // Whatever the lines of the next version look like.
    let first = lines().next().unwrap().replace("match\":2", "match\":3");
    for newer in [seal(&first) + "x\n", first + "\n{}\n"] {
        std::fs::write(&path, &newer).unwrap();
        let error = play(&a, &b, settings(6, 1), journal(&path)).unwrap_err().to_string();
        assert_eq!(
            error,
            format!(
                "{} was written by a newer alfil, in version 3 of its format, and this one knows 2: update it",
                path.display()
            )
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), newer);
    }
}

#[test]
fn a_journal_that_lost_pairs_does_not_double_games_in_the_pgn() {
    let folder = Folder::new("lost");
    let (path, pgn) = (folder.file("journal"), folder.file("pgn"));
    let archive = || Archive { journal: Some(path.clone()), pgn: Some(pgn.clone()) };
    let (a, b) = (entrant::<TicTacToe>("random"), entrant("random:name=other"));
    play(&a, &b, settings(6, 1), archive()).unwrap();
    let games = std::fs::read_to_string(&pgn).unwrap();
    let journal = std::fs::read_to_string(&path).unwrap();
    // A shorter match is over, and nothing is added.
    assert_eq!(play(&a, &b, settings(4, 1), archive()).unwrap().1.resumed, 4);
    let kept: Vec<&str> = journal.lines().take(3).collect();
    std::fs::write(&path, kept.join("\n") + "\n").unwrap();
    let error = play(&a, &b, settings(6, 1), archive()).unwrap_err().to_string();
    assert!(error.contains("holds other games"), "{error}");
    assert_eq!(std::fs::read_to_string(&pgn).unwrap(), games);
    std::fs::remove_file(&pgn).unwrap();
    play(&a, &b, settings(6, 1), archive()).unwrap();
    assert_eq!(std::fs::read_to_string(&pgn).unwrap().matches("[Round ").count(), 6);
}

#[test]
fn a_journal_is_read_while_the_match_goes_on() {
    let folder = Folder::new("saved");
    let path = folder.file("journal");
    let (a, b) = (entrant::<TicTacToe>("random"), entrant("oracle"));
    let (_, report) = play(&a, &b, settings(6, 1), journal(&path)).unwrap();
    // Whoever plays it holds a lock, and has not finished the last line.
    let mut bytes = std::fs::read(&path).unwrap();
    let held = std::fs::File::open(&path).unwrap();
    held.lock().unwrap();
    let saved = SavedMatch::read(&path).unwrap().unwrap();
    assert_eq!((saved.game(), saved.identities()), ("tictactoe", ["random", "oracle"]));
    let sprt: Sprt = "elo0=0,elo1=10".parse().unwrap();
    let told = saved.report(["first", "second"], Some(sprt));
    assert_eq!(
        (told.pairs, told.wins, told.draws, told.losses),
        (report.pairs, report.wins, report.draws, report.losses)
    );
    assert_eq!((told.a.as_str(), told.b.as_str()), ("first", "second"));
    assert_eq!(told.sprt, Some((sprt, sprt.state(&report.pairs))));
    let games = saved.latest::<TicTacToe>(["first", "second"], 3);
    assert_eq!(games.len(), 3);
    assert!(games[0].contains("[White \"second\"]") && games[1].contains("[White \"first\"]"), "{games:?}");
    bytes.truncate(bytes.len() - 2);
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(SavedMatch::read(&path).unwrap().unwrap().report(["a", "b"], None).games(), 4, "one pair is not whole");
    for text in ["", "{", "x\n", "{\"alfil-ladder\":2,\"game\":\"chess\"}\n"] {
        std::fs::write(&path, text).unwrap();
        assert!(SavedMatch::read(&path).unwrap().is_none(), "{text}");
    }
    let mut damaged = bytes.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    std::fs::write(&path, &damaged).unwrap();
    assert!(SavedMatch::read(&path).unwrap_err().to_string().contains("is damaged"));
}
