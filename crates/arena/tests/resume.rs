//! An interrupted match resumes.
#![allow(clippy::unwrap_used)]

mod common;

use std::path::Path;

use alfil_arena::contest::{Archive, MatchSettings};
use alfil_game::chess::Chess;
use alfil_game::headquarters::Headquarters;
use alfil_game::read_rules;
use alfil_game::tictactoe::TicTacToe;
use common::{Folder, entrant, play, play_by, settings};

fn journal(path: &Path) -> Archive {
    Archive { journal: Some(path.to_owned()), pgn: None }
}

/// Everything in a journal except the times that moves took.
fn timeless(path: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &mut lines[1..] {
        line.as_object_mut().unwrap().remove("notes");
    }
    lines
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
    let damaged = [
        text.replace("\"pair\":0", "\"pair\":1"),
        text.replace("\"score\":", "\"score\":7"),
        text.replace(lines[1], "{}"),
        format!("{}\n{}\n{}\n", lines[0], lines[2], lines[1]),
        text.replace("\"first\":\"b\"", "\"first\":\"c\""),
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
fn a_journal_is_for_one_match_at_a_time() {
    let folder = Folder::new("busy");
    let path = folder.file("journal");
    let file = std::fs::File::create(&path).unwrap();
    file.lock().unwrap();
    let error = play(&entrant::<TicTacToe>("random"), &entrant("oracle"), settings(2, 1), journal(&path)).unwrap_err();
    assert!(error.to_string().starts_with("another contest is using"), "{error}");
}
