//! Matches and ladders as users of the command line see them.

#[cfg(unix)]
use std::process::{Command, Stdio};

use super::support::{Folder, alfil, complaint, json, stdout};
#[cfg(unix)]
use super::support::{comes, ends, interrupt};

#[test]
fn a_match_is_summed_up() {
    let text = stdout(&["match", "alphabeta:depth=2", "random", "--games", "6"]);
    assert!(text.contains("chess: 6 games in 3 pairs") && text.contains("Elo of A over B"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let report = json(&["match", "oracle", "random", "--game", "tictactoe", "--games", "20", "--json"]);
    assert_eq!((&report["a"], &report["b"]), (&"oracle".into(), &"random".into()));
    let count = |key: &str| report[key].as_u64().unwrap();
    assert_eq!((count("games"), count("losses")), (20, 0));
    assert_eq!(count("wins") + count("draws"), 20);
    for key in ["elo", "elo_low", "elo_high", "sprt"] {
        assert!(report.as_object().unwrap().contains_key(key), "{report}");
    }
    let test = ["match", "oracle", "random", "--game", "tictactoe", "--games", "5000", "--sprt", "elo0=0,elo1=50"];
    let report = json(&[&test[..], &["--json"]].concat());
    assert_eq!(report["sprt"]["decision"], "H1");
    assert!(report["games"].as_u64().unwrap() < 5000);
}

#[test]
fn a_match_resumes_from_its_journal() {
    let folder = Folder::new("resume");
    let (pgn, journal) = (folder.file("games.pgn"), folder.file("games.pgn.journal"));
    let play = |games: &str| json(&["match", "random", "alphabeta:depth=1", "--games", games, "--pgn", &pgn, "--json"]);
    assert_eq!(play("4")["resumed"], 0);
    assert_eq!(play("4")["resumed"], 4);
    let report = play("8");
    assert_eq!((&report["games"], &report["resumed"]), (&8.into(), &4.into()));
    assert_eq!(json(&["pgn", "check", &pgn, "--json"])["games"], 8);
    assert!(std::fs::metadata(&journal).unwrap().len() > 0);
    let other = ["match", "random", "alphabeta:depth=2", "--games", "4", "--pgn", &pgn];
    let expected = "another match (player B is alphabeta:depth=1 there, alphabeta:depth=2 here)";
    assert!(complaint(&other).contains(expected), "{}", complaint(&other));
    let elsewhere = folder.file("state");
    assert!(complaint(&[&other[..], &["--state", &elsewhere]].concat()).contains("holds other games"));
}

#[test]
fn networks_play_matches_and_ladders() {
    let folder = Folder::new("ladder");
    let (one, two) = (folder.file("one.safetensors"), folder.file("two.safetensors"));
    for (file, seed) in [(&one, "1"), (&two, "2")] {
        stdout(&["net", "random", "--game", "tictactoe", "--arch", "8x1", "--seed", seed, "-o", file]);
    }
    let (a, b) = (format!("{one}:visits=60"), format!("{two}:movetime=0.001,threads=2,name=Two"));
    let report = json(&["match", &a, &b, "--game", "tictactoe", "--games", "4", "--json"]);
    assert_eq!((&report["a"], &report["b"]), (&"one:visits=60".into(), &"Two".into()));
    let rows =
        json(&["ladder", &format!("{}:visits=4", folder.file("")), "--game", "tictactoe", "--games", "4", "--json"]);
    let names: Vec<&str> =
        rows["players"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"one:visits=4") && names.contains(&"two:visits=4"), "{rows}");
    let (state, picture) = (folder.file("state"), folder.file("ladder.svg"));
    let ladder = ["ladder", &a, "--game", "tictactoe", "--games", "12", "--state", &state, "--svg", &picture];
    let text = stdout(&ladder);
    assert!(
        text.contains("one:visits=60") && text.contains("anchor") && text.contains("12 games played now"),
        "{text}"
    );
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(std::fs::read_to_string(&picture).unwrap().starts_with("<svg"));
    let joined = json(&[&ladder[..], &["oracle", "--anchor", "random=-50", "--json"]].concat());
    assert_eq!((&joined["played"], joined["players"].as_array().unwrap().len()), (&12.into(), 3));
    assert_eq!(json(&[&ladder[..], &["--json"]].concat())["played"], 0);
    let wrong = ["match", &a, "random", "--game", "chess"];
    assert!(complaint(&wrong).contains("made for tictactoe/stones"), "{}", complaint(&wrong));
}

#[test]
fn openings_come_from_files() {
    let folder = Folder::new("openings");
    let book = folder.file("book.epd");
    std::fs::write(&book, "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4;\n").unwrap();
    let pgn = folder.file("games.pgn");
    let play = ["match", "random", "random", "--games", "2", "--openings", &book, "--pgn", &pgn];
    stdout(&play);
    let games = std::fs::read_to_string(&pgn).unwrap();
    assert_eq!(games.matches("[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]").count(), 2, "{games}");
    std::fs::write(&book, "e4 e5\ne4 Ke7\n").unwrap();
    assert!(
        complaint(&["match", "random", "random", "--openings", &book]).contains("line 2: 'Ke7' is not a legal move")
    );
}

#[test]
fn mistakes_get_one_clear_sentence() {
    assert!(complaint(&["match", "randm", "random"]).contains("did you mean random?"));
    assert!(complaint(&["match", "random", "alphabeta:dept=3"]).contains("did you mean depth?"));
    assert!(complaint(&["match", "random", "no/such.safetensors:visits=8"]).contains("no/such.safetensors"));
    assert!(complaint(&["match", "random", "random", "--game", "ches"]).contains("did you mean chess?"));
    assert!(complaint(&["match", "oracle", "random"]).contains("the oracle does not play chess"));
    assert!(complaint(&["match", "uci:/no/such,nodes=1", "random"]).contains("cannot use the engine '/no/such'"));
    assert!(complaint(&["match", "uci:/bin/false,nodes=1", "random"]).contains("it crashed"));
    assert!(complaint(&["match", "random", "random", "--openings", "/no/book"]).contains("/no/book"));
    assert!(complaint(&["match", "random", "random", "--sprt", "elo0=5"]).contains("--sprt"));
    assert!(complaint(&["match", "random", "random", "--pgn", "/no/such/x.pgn"]).contains("/no/such/x.pgn"));
    assert!(complaint(&["ladder", "random", "--anchor", "random"]).contains("as in random=0"));
    assert!(complaint(&["ladder", "random", "--state", "/no/such/x"]).contains("/no/such/x"));
    let unwritable = ["ladder", "random", "--svg", "/no/such/x.svg"];
    assert!(complaint(&unwritable).contains("there is no folder /no/such"));
    let bad: [&[&str]; 3] = [
        &["match", "random", "random", "--games", "0"],
        &["match", "random", "random", "--concurrency", "0"],
        &["ladder"],
    ];
    for arguments in bad {
        assert_eq!(alfil(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn the_engine_plays_any_game_in_a_match() {
    let folder = Folder::new("engine");
    let (program, pgn) = (env!("CARGO_BIN_EXE_alfil"), folder.file("games.pgn"));
    let line = |name: &str| format!("uci:{program} uci,nodes=20,option.Hash=4,name={name}");
    let play = ["match", &line("A"), &line("B"), "--game", "connect4", "--games", "2", "--pgn", &pgn, "--json"];
    let report = json(&play);
    assert_eq!((&report["games"], report["faults"].as_array().map_or(0, Vec::len)), (&2.into(), 0), "{report}");
    assert_eq!(json(&["pgn", "check", &pgn, "--game", "connect4", "--json"])["games"], 2);
    assert_eq!(alfil(&["pgn", "check", &pgn]).status.code(), Some(1), "they are not games of chess");
}

#[test]
fn rules_are_chosen_and_remembered() {
    let folder = Folder::new("rules");
    let (state, pgn) = (folder.file("state"), folder.file("games.pgn"));
    let play = ["match", "random", "random", "--games", "2", "--pgn", &pgn, "--state", &state];
    stdout(&[&play[..], &["--rules", "ply_cap=10"]].concat());
    assert_eq!(json(&["pgn", "check", &pgn, "--json"])["plies"], 20);
    assert!(complaint(&play).contains("another match (the choice of rules is "), "{}", complaint(&play));
    let wrong = [&play[..], &["--rules", "pawns=9"]].concat();
    assert!(complaint(&wrong).contains("there is no 'pawns', only chess960 and ply_cap"));
    let castled = ["game", "show", "chess", "--rules", "chess960=true", "--moves", "e4 e5 Nf3 Nf6 Bc4 Bc5 e1h1"];
    assert!(stdout(&castled).contains("RNBQ1RK1 b kq"));
    assert_eq!(alfil(&["game", "check", "chess", "--games", "1", "--rules", "ply_cap=6"]).status.code(), Some(0));
}

#[cfg(unix)]
#[test]
fn interrupted_contests_print_what_they_have_found() {
    let folder = Folder::new("interrupted");
    for contest in ["match", "ladder"] {
        let state = folder.file(contest);
        let mut child = Command::new(env!("CARGO_BIN_EXE_alfil"))
            .args([contest, "random", "alphabeta:depth=1", "--game", "tictactoe", "--games", "1000000"])
            .args(["--state", &state, "--json"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let has_games = || std::fs::read_to_string(&state).is_ok_and(|text| text.lines().count() > 10);
        let begins = comes(|| {
            assert!(child.try_wait().unwrap().is_none(), "{contest}");
            has_games()
        });
        assert!(begins, "{contest}");
        interrupt(&child);
        ends(&mut child);
        let text = child.wait_with_output().unwrap().stdout;
        let report: serde_json::Value = serde_json::from_slice(&text).unwrap();
        let games = if contest == "match" { &report["games"] } else { &report["played"] };
        assert!(report["stopped"] == true && games.as_u64().unwrap() >= 2, "{report}");
    }
}

/// The engine only plays an illegal move.
#[cfg(unix)]
#[test]
fn a_match_with_faults_has_failed() {
    let folder = Folder::new("faults");
    let engine = folder.file("engine");
    let script = "while read -r line; do case $line in uci) echo uciok;; isready) echo readyok;; quit) exit;; \
                  go*) echo bestmove a1a1;; esac; done\n";
    std::fs::write(&engine, script).unwrap();
    let line = format!("uci:/bin/sh {engine},nodes=1");
    for contest in [&["match", &line, "random"][..], &["ladder", &line]] {
        let output = alfil(&[contest, &["--games", "2"]].concat());
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{text}");
    }
}

#[cfg(unix)]
#[test]
fn an_engine_named_without_a_path_is_found() {
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::new("named");
    let engine = folder.file("fake-engine");
    // The shell is named by its path: PATH holds only the engine.
    let script = "#!/bin/sh\nwhile read -r line; do case $line in uci) echo uciok;; isready) echo readyok;; quit) exit;; \
                  go*) echo bestmove a1a1;; esac; done\n";
    std::fs::write(&engine, script).unwrap();
    std::fs::set_permissions(&engine, std::fs::Permissions::from_mode(0o755)).unwrap();
    let play = |path: &str| {
        let arguments = ["match", "uci:fake-engine,nodes=1", "random", "--games", "2"];
        Command::new(env!("CARGO_BIN_EXE_alfil")).env("PATH", path).args(arguments).output().unwrap()
    };
    // It is found: it plays, although an illegal move.
    let found = play(&folder.file(""));
    assert_eq!(found.status.code(), Some(1), "{found:?}");
    assert!(String::from_utf8_lossy(&found.stdout).contains("not a legal move"), "{found:?}");
    let nowhere = play("/nowhere");
    let text = String::from_utf8(nowhere.stderr).unwrap();
    assert_eq!(nowhere.status.code(), Some(2), "{text}");
    assert!(text.contains("there is no program 'fake-engine' in PATH, /usr/games or /usr/local/games"), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
}

/// An engine that writes a number of a process to the file `pid`, and then never answers.
#[cfg(target_os = "linux")]
fn stalled_match(folder: &Folder, on_go: &str) -> (std::process::Child, String) {
    let (engine, pid) = (folder.file("engine"), folder.file("pid"));
    let script = format!(
        "pid={pid}; while read -r line; do case $line in uci) echo uciok;; isready) echo readyok;; \
         quit) exit;; go*) {on_go};; esac; done\n"
    );
    std::fs::write(&engine, script).unwrap();
    let line = format!("uci:/bin/sh {engine},nodes=1");
    let contest = Command::new(env!("CARGO_BIN_EXE_alfil"))
        .args(["match", &line, "random", "--games", "2"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until(|| std::path::Path::new(&pid).exists());
    (contest, std::fs::read_to_string(&pid).unwrap().trim().to_owned())
}

#[cfg(target_os = "linux")]
fn wait_until(done: impl Fn() -> bool) {
    assert!(comes(done), "it never happened");
}

/// Whether a process has ended. One that was not reaped yet is a zombie.
#[cfg(target_os = "linux")]
fn is_gone(process: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{process}/stat")).map_or(true, |stat| stat.contains(") Z "))
}

/// The engine does not notice that its input is closed.
#[cfg(target_os = "linux")]
#[test]
fn a_killed_match_leaves_no_engine_behind() {
    let folder = Folder::new("killed");
    let (mut contest, engine) = stalled_match(&folder, "echo $$ > $pid.new; mv $pid.new $pid; exec sleep 60");
    contest.kill().unwrap();
    contest.wait().unwrap();
    wait_until(|| is_gone(&engine));
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_match_does_not_wait_for_its_engine_and_leaves_nothing_behind() {
    let folder = Folder::new("untimed");
    let (mut contest, grandchild) = stalled_match(&folder, "sleep 300 & echo $! > $pid.new; mv $pid.new $pid; wait");
    interrupt(&contest);
    ends(&mut contest);
    assert_eq!(contest.wait().unwrap().code(), Some(0));
    wait_until(|| is_gone(&grandchild));
}
