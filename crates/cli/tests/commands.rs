//! The command line as its users see it.
#![allow(clippy::unwrap_used)]

use std::process::{Command, Output};

fn alfil(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_alfil")).args(arguments).output().unwrap()
}

fn stdout(arguments: &[&str]) -> String {
    let output = alfil(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&stdout(arguments)).unwrap()
}

/// What a command says when it is given something wrong: one line, and exit code 2.
fn complaint(arguments: &[&str]) -> String {
    let output = alfil(arguments);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
    assert!(output.stdout.is_empty(), "{arguments:?} printed something all the same");
    assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    text
}

#[test]
fn perft_ends_with_the_count_alone() {
    assert_eq!(stdout(&["game", "perft", "chess", "4"]).lines().last(), Some("197281"));
    assert_eq!(stdout(&["game", "perft", "chess", "0"]).lines().last(), Some("1"));
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    assert_eq!(json(&["game", "perft", "chess", "3", "--position", kiwipete, "--json"])["nodes"], 97_862);
}

#[test]
fn games_are_listed() {
    let text = stdout(&["game", "list"]);
    assert!(text.contains("chess/az119") && text.contains("tictactoe"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80));
    assert_eq!(json(&["game", "list", "--json"])[0]["encodings"][0]["policy"], 4_672);
}

#[test]
fn a_position_is_shown_with_its_moves() {
    let text = stdout(&["game", "show", "chess", "--moves", "e4", "c7c5", "Nf3"]);
    assert!(text.contains("rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"), "{text}");
    assert!(text.contains("Black to move") && text.contains("22 legal moves"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let over = json(&["game", "show", "chess", "--moves", "f3 e5 g4 Qh4", "--json"]);
    assert_eq!(over["outcome"]["reason"], "checkmate");
    assert_eq!(over["outcome"]["first"], 0.0);
}

#[test]
fn connect_four_is_solved() {
    let report = json(&["game", "solve", "connect4", "--moves", "7422341735647741166133573473242566", "--json"]);
    assert_eq!(report["result"], "win");
    assert_eq!(report["moves"][0]["plies"], 7);
}

#[test]
fn games_are_checked() {
    let report = json(&["game", "check", "tictactoe", "--games", "5", "--json"]);
    assert_eq!(report["passed"], true);
    assert!(report["checks"].as_array().unwrap().len() >= 12);
}

#[test]
fn a_pgn_file_is_checked_and_bad_games_are_counted() {
    let sorts = concat!(env!("CARGO_MANIFEST_DIR"), "/../game/tests/fixtures/all-sorts.pgn");
    let output = alfil(&["pgn", "check", sorts, "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["games"], 5);
    assert_eq!(report["bad"][0]["game"], 2);
}

#[test]
fn bad_input_gets_one_clear_sentence() {
    assert!(complaint(&["game", "show", "ches"]).contains("did you mean chess?"));
    assert!(complaint(&["game", "show", "chess", "--position", "nonsense"]).contains("six fields"));
    assert!(complaint(&["game", "show", "chess", "--moves", "e5"]).contains("'e5' is not a legal move here"));
    assert!(complaint(&["game", "show", "connect4", "--moves", "48"]).contains("a column from 1 to 7"));
    assert!(complaint(&["game", "solve", "chess"]).contains("no exact solver"));
    assert!(complaint(&["game", "solve", "connect4", "--moves", "1212121"]).contains("the game is over"));
    assert!(complaint(&["pgn", "check", "/no/such/file"]).contains("cannot read /no/such/file"));
    assert!(complaint(&["pgn", "check", "/"]).contains("cannot read /"));
}

#[test]
fn usage_errors_exit_with_2() {
    for arguments in [&[][..], &["gmae"], &["game", "perft", "chess", "x"], &["game", "perft", "chess", "99"]] {
        assert_eq!(alfil(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn the_doctor_sees_this_machine() {
    let report = json(&["doctor", "--json"]);
    assert!(report["threads"].as_u64().unwrap() >= 1);
    assert_eq!(report["libtorch"].is_object(), cfg!(feature = "torch"));
}
