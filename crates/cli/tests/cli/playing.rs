//! `alfil play` and `alfil study` as their users see them.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use super::support::{Folder, alfil, complaint, json, stdout};

/// A game with these lines typed in.
fn script(arguments: &[&str], lines: &str) -> Output {
    let mut play = Command::new(env!("CARGO_BIN_EXE_alfil"))
        .arg("play")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A game that ends in the middle of the script does not read the rest.
    let _ = play.stdin.take().unwrap().write_all(lines.as_bytes());
    play.wait_with_output().unwrap()
}

fn played(arguments: &[&str], lines: &str) -> String {
    let output = script(arguments, lines);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains('\u{1b}'), "escape codes in a pipe: {text:?}");
    // Lines with paths and positions may be longer.
    let mut lines = text.lines().filter(|line| !line.contains('/'));
    assert!(lines.all(|line| line.chars().count() <= 80), "{text}");
    text
}

#[test]
fn a_game_is_played_to_its_end() {
    let text = played(&["chess", "--side", "both"], "f3\ne5\ng2g4\nQh4\nhint\n");
    assert!(text.contains("last move: Qh4# by black. black wins: checkmate\nsave FILE keeps the game"), "{text}");
    assert!(text.trim_end().ends_with("the game is over: there is only undo, save FILE, load FILE, new and quit"));
    // Perfect play does not lose against any moves.
    for moves in ["1\n2\n3\n4\n5\n6\n7\n8\n9\n", "5\n1\n3\n7\n2\n8\n4\n6\n9\n"] {
        let text = played(&["tictactoe", "--side", "x", "--player", "oracle"], &format!("{moves}{moves}{moves}"));
        assert!(text.starts_with("The engine: oracle.\nYou play x. Type a move, or help.\n"), "{text}");
        assert!(text.contains("o wins: three in a row") || text.contains("draw: the board is full"), "{text}");
    }
}

#[test]
fn the_engine_plays_the_other_side_or_both() {
    let text = played(&["chess", "--side", "black", "--player", "alphabeta:depth=1"], "a6\nquit\nh6\n");
    assert_eq!(text.matches("white plays ").count(), 2, "{text}");
    let again = "\n  alfil play chess --side black --player alphabeta:depth=1 --position 'rnbq";
    assert!(text.contains(again) && text.ends_with("keeps the whole game for --load FILE\n"), "{text}");
    let rules = ["hexchess", "--side", "both", "--level", "2", "--rules", "stalemate=3/4"];
    let text = played(&rules, "f6\n");
    assert!(text.contains("  alfil play hexchess --side both --level 2 --rules stalemate=3/4 --position "), "{text}");
    assert!(!text.contains("h6 by black"), "{text}");
    let watched = played(&["connect4", "--side", "none", "--level", "1"], "");
    assert!(watched.contains("level 1 of 10, a tree search with the bundled network"), "{watched}");
    assert!(watched.contains(" wins: four in a row") || watched.contains("draw: "), "{watched}");
    let boards = watched.matches("1 2 3 4 5 6 7").count();
    assert_eq!(boards, watched.matches(" plays ").count() + 1, "{watched}");
    let mate = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
    let text = played(&["chess", "--position", mate], "hint\nRa8\n");
    assert!(text.contains("a tree search with the bundled network"), "it is the strongest: {text}");
    assert!(text.contains("hint: Ra8#, which wins in 1 turn\n") && text.contains("white wins: checkmate"), "{text}");
    let text = played(&["chess", "--net", "trained"], "e4\nquit\n");
    assert!(text.contains("the bundled network") && text.contains(" --net trained --position "), "{text}");
    for (game, why) in [("tictactoe", "there is no network"), ("hexchess", "the network is weaker")] {
        let text = played(&[game], "quit\n");
        assert!(text.contains("a tree search with the handcrafted evaluation"), "{why}: {text}");
    }
}

#[test]
fn decisions_are_taken_back() {
    let text = played(
        &["connect4", "--side", "o", "--player", "alphabeta:depth=1"],
        "undo\n4\n4\nundo\nundo\nundo\nresign\nundo\nmoves\nnew\nquit\n",
    );
    assert_eq!(text.matches("there is no move of yours to take back").count(), 2, "{text}");
    assert!(text.contains("x wins: resignation"), "{text}");
    // Once at first, twice after the user's moves, and once in the new game: undo stops at the user, not before the engine.
    assert_eq!(text.matches("x plays ").count(), 4, "{text}");
    assert!(text.contains("  1  2  3  4  5  6  7\n"), "{text}");
}

#[test]
fn games_are_saved_and_loaded() {
    let folder = Folder::new("play");
    let (file, other) = (folder.file("my game.txt"), folder.file("other.txt"));
    std::fs::write(&other, "precious").unwrap();
    let lines = format!("4\n4\n3\nsave {file}\n5\nload {file}\nresign\nsave {file}\nsave {other}\nsave {file}/x\n");
    let text = played(&["connect4", "--side", "both"], &lines);
    assert_eq!(text.matches("saved: ").count(), 2, "{text}");
    assert!(
        text.contains("other.txt exists and is not a single saved game of connect4: choose another name"),
        "{text}"
    );
    assert!(text.contains("cannot write "), "{text}");
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "precious");
    let saved = std::fs::read_to_string(&file).unwrap();
    assert!(saved.contains("[Variant \"connect4\"]") && saved.ends_with("\n1. 4 4 2. 3 1-0\n\n"), "{saved}");
    let again =
        played(&["connect4", "--side", "both", "--load", &file], &format!("undo\n5\nundo\nresign\nsave {file}"));
    assert!(again.contains("last move: 3 by x. x wins: resignation"), "{again}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), saved);
    assert!(complaint(&["play", "chess", "--load", &file]).contains("the variant 'connect4' is not chess"));
    assert!(played(&["chess", "--side", "both"], "load /no/such").contains("cannot read /no/such: "));
}

#[test]
fn games_that_other_programs_ended_stay_ended() {
    let folder = Folder::new("agreed");
    let file = folder.file("drawn.pgn");
    std::fs::write(&file, "[Event \"?\"]\n\n1. e4 e5 1/2-1/2\n").unwrap();
    let text = played(&["chess", "--load", &file], "undo\n");
    assert!(text.contains("last move: e5 by black. draw: agreement\n"), "{text}");
    assert!(text.contains("last move: e5 by black. white to move\n"), "{text}");
}

/// The engine crashes when it is first asked for a move.
#[cfg(unix)]
#[test]
fn a_game_outlives_its_engine() {
    let folder = Folder::new("crash");
    let (engine, crashed) = (folder.file("engine"), folder.file("crashed"));
    let script = format!(
        "while read -r line; do case $line in uci) echo uciok;; isready) echo readyok;; quit) exit;; \
         go*) if [ -e {crashed} ]; then echo bestmove e7e5; else touch {crashed}; exit 3; fi;; esac; done\n"
    );
    std::fs::write(&engine, script).unwrap();
    let line = format!("uci:/bin/sh {engine},nodes=1");
    let text = played(&["chess", "--player", &line], "d4\nhelp\nundo\ne4\nresign\n");
    assert!(text.contains("the engine cannot continue: it crashed: it ended with exit status: 3\nsave FILE"), "{text}");
    assert!(text.contains("last move: d4 by white. black to move\nA move, as programs"), "{text}");
    assert!(text.contains("black plays e5\n") && text.contains("black wins: resignation"), "{text}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_game_that_waits_for_its_user() {
    use std::io::Read;

    use super::support::{ends, interrupt};

    let mut play = Command::new(env!("CARGO_BIN_EXE_alfil"))
        .args(["play", "tictactoe"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut text = String::new();
    while !text.contains("x to move") {
        let mut bytes = [0; 1000];
        let read = play.stdout.as_mut().unwrap().read(&mut bytes).unwrap();
        assert!(read > 0, "{text}");
        text += &String::from_utf8_lossy(&bytes[..read]);
    }
    interrupt(&play);
    // Its input stays open, so that nothing else ends it.
    let input = play.stdin.take();
    ends(&mut play);
    drop(input);
}

#[test]
fn typing_mistakes_get_one_sentence_and_the_game_continues() {
    let text = played(&["chess", "--side", "both"], "\nhepl\nNf4\nundo 2\nsave\nhelp\n\u{1b}[31m\ne4\n");
    let start = text.find("white to move\n'hepl'").unwrap();
    let answers: Vec<&str> = text[start..].lines().skip(1).take(4).collect();
    assert!(answers[0].contains("(did you mean help?)") && answers[1].contains("(did you mean Nf3?)"), "{answers:?}");
    assert_eq!(answers[2], "undo takes no argument");
    assert_eq!(answers[3], "save needs the name of a file, as in save game.pgn");
    assert!(text.contains("\n  resign  resigns the game\n") && text.contains("last move: e4 by white"), "{text}");
    let endless = script(&["chess", "--side", "both"], &"x".repeat(100_000));
    assert_eq!(endless.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&endless.stderr).contains("a line of 4096 bytes or more"));
}

#[test]
fn wrong_arguments_get_one_clear_sentence() {
    assert!(complaint(&["play", "ches"]).contains("did you mean chess?"));
    assert!(complaint(&["play", "chess", "--side", "wite"]).contains("(did you mean white?): use white, black, both"));
    assert!(complaint(&["play", "chess", "--net", "/no/such"]).contains("network file '/no/such'"));
    assert!(complaint(&["play", "chess", "--player", "alphabeta:dept=2"]).contains("did you mean depth?"));
    assert!(complaint(&["play", "chess", "--position", "nonsense"]).contains("six fields"));
    assert!(complaint(&["play", "chess", "--load", "/no/such"]).contains("cannot read /no/such"));
    assert!(complaint(&["study", "branching", "ches"]).contains("did you mean chess?"));
    assert!(complaint(&["study", "branching", "chess", "--player", "oracle"]).contains("no exact solver"));
    let unwritable = ["study", "branching", "tictactoe", "--plot", "/no/such/x.svg"];
    assert!(complaint(&unwritable).contains("there is no folder /no/such"));
    let bad: [&[&str]; 5] = [
        &["play"],
        &["play", "chess", "--level", "11"],
        &["play", "chess", "--level", "3", "--player", "random"],
        &["study"],
        &["study", "branching", "chess", "--games", "0"],
    ];
    for arguments in bad {
        assert_eq!(alfil(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn games_are_compared_with_each_other() {
    let folder = Folder::new("study");
    let picture = folder.file("plot.svg");
    let study = ["study", "branching", "connect4", "--against", "tictactoe", "--games", "50"];
    let report = json(&[&study[..], &["--json", "--plot", &picture]].concat());
    assert_eq!(json(&[&study[..], &["--json"]].concat()), report, "the same seed gives the same games");
    let [four, three] = [&report["studies"][0], &report["studies"][1]];
    assert_eq!((&four["game"], &three["game"]), (&"connect4".into(), &"tictactoe".into()));
    assert_eq!((&four["branching"]["max"], &three["branching"]["max"]), (&7.into(), &9.into()));
    assert_eq!(three["ends"].as_object().unwrap().values().map(|games| games.as_u64().unwrap()).sum::<u64>(), 50);
    let text = stdout(&study);
    assert!(text.starts_with("50 games each, random against itself, seed 1."), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.contains("10 to 19") && text.contains("how games of tictactoe ended"), "{text}");
    assert!(std::fs::read_to_string(&picture).unwrap().starts_with("<svg"));
    let alone = json(&["study", "branching", "chess", "--games", "2", "--player", "alphabeta:depth=1", "--json"]);
    assert_eq!(alone["studies"].as_array().unwrap().len(), 1);
    assert_eq!(alone["studies"][0]["by_ply"][0]["positions"], 20);
    let short =
        ["study", "branching", "chess", "--against", "tictactoe", "--games", "5", "--rules", "ply_cap=6", "--json"];
    let short = json(&short);
    assert_eq!((&short["studies"][0]["length"]["max"], &short["rules"]), (&6.into(), &"ply_cap=6".into()), "{short}");
}
