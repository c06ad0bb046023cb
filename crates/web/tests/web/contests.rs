//! Matches and ladders, from files as they write them.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use alfil_arena::contest::{Archive, Match, MatchSettings};
use alfil_arena::ladder::Ladder;
use alfil_arena::opening::Openings;
use alfil_arena::player::{Entrant, RandomPlayer};
use alfil_arena::stats::Sprt;
use alfil_game::tictactoe::TicTacToe;
use serde_json::json;

use crate::http::Running;

fn player(name: &str) -> Entrant<TicTacToe> {
    Entrant::new(name, name, || Box::new(RandomPlayer::default()))
}

/// Plays a match until it has this many games.
pub fn play(folder: &Path, games: u64) {
    play_until(folder, "random", games, None);
}

/// The same with a sequential test.
fn play_until(folder: &Path, name: &str, games: u64, sprt: Option<Sprt>) {
    std::fs::create_dir_all(folder).unwrap();
    let pgn = folder.join(format!("{name}.pgn"));
    let (a, b) = (player("one"), player("other"));
    let archive = Archive { journal: Some(folder.join(format!("{name}.pgn.journal"))), pgn: Some(pgn) };
    let settings = MatchSettings { games, concurrency: 1, seed: 1, sprt };
    let openings = &mut Openings::random(1, &Default::default());
    let contest = Match { a: &a, b: &b, openings, settings, adjudicator: Default::default(), archive };
    contest.run(&mut |_| {}, &AtomicBool::new(false)).unwrap();
}

/// A data folder with a match of ten games and a ladder of three players.
pub fn folder(name: &str) -> PathBuf {
    let data = std::env::temp_dir().join(format!("alfil-web-{name}-{}", std::process::id()));
    let folder = data.join("contests");
    play(&folder, 10);
    let ladder = Ladder {
        players: ["random", "second", "<b>third</b>"].map(player).to_vec(),
        anchor: 0,
        anchor_elo: 0.0,
        games: 12,
        newcomer: None,
        concurrency: 1,
        seed: 1,
        openings: Openings::random(1, &Default::default()),
        state: Some(folder.join("ladder.jsonl")),
    };
    ladder.run(&mut |_| {}, &AtomicBool::new(false)).unwrap();
    std::fs::write(folder.join("notes.jsonl"), "{}\n").unwrap();
    data
}

#[test]
fn contests_are_shown_from_their_files_while_they_go_on() {
    let data = folder("contests");
    let server = Running::of(&data);
    let all = server.get("/api/v1/contests").json();
    let mut kinds: Vec<&str> = all.as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap()).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["ladder", "match"], "{all}");
    let at = "/api/v1/contests/random.pgn.journal";
    let mut events = server.events(&format!("{at}/events?elo0=0&elo1=50"));
    let report = events.until(|name, _| name == "contest")["report"].clone();
    assert_eq!((&report["a"], &report["b"], &report["games"]), (&json!("one"), &json!("other"), &json!(10)));
    assert_eq!((&report["sprt"]["elo1"], &report["sprt"]["decision"]), (&json!(50.0), &json!(null)));
    play(&data.join("contests"), 14);
    events.until(|name, contest| name == "contest" && contest["report"]["games"] == 14);
    let games = server.get(&format!("{at}/games")).json();
    assert_eq!((games.as_array().unwrap().len(), &games[0]["white"]), (14, &json!("other")));
    server.game(&json!({ "game": "tictactoe", "side": "both", "pgn": games[0]["pgn"] }).to_string());

    // Without bounds, the test is that of the match.
    assert_eq!(server.get(at).json()["report"]["sprt"], json!(null));
    play_until(&data.join("contests"), "tested", 4, "elo0=-200,elo1=200,alpha=0.01".parse().ok());
    let own = |query: &str| {
        server.get(&format!("/api/v1/contests/tested.pgn.journal{query}")).json()["report"]["sprt"].clone()
    };
    assert_eq!((&own("")["elo1"], &own("")["alpha"]), (&json!(200.0), &json!(0.01)));
    assert_eq!(own("?elo0=0&elo1=5")["elo1"], json!(5.0));

    let ladder = server.get("/api/v1/contests/ladder.jsonl").json();
    let players = ladder["players"].as_array().unwrap();
    assert_eq!((players.len(), &ladder["game"]), (3, &json!("tictactoe")));
    let anchor = players.iter().find(|player| player["anchor"] == true).unwrap();
    assert_eq!((&anchor["name"], &anchor["elo"][0]), (&json!("random"), &json!(0.0)));
    assert_eq!(server.get("/api/v1/contests/ladder.jsonl/games").error(), "a ladder keeps results, not games");

    for (path, status) in [
        ("random.pgn", 404),
        ("notes.jsonl", 404),
        ("..%2fruns", 404),
        ("random.pgn.journal?elo0=1", 400),
        ("random.pgn.journal?elo0=5&elo1=1", 400),
        ("random.pgn.journal?elo0=nan&elo1=1", 400),
    ] {
        let answer = server.get(&format!("/api/v1/contests/{path}"));
        assert_eq!(answer.status, status, "{path}: {}", answer.body);
    }
    std::fs::write(data.join("contests/ladder.jsonl"), "{\"alfil-ladder\":2,\"game\":\"chess\"}\nx\n").unwrap();
    let all = server.get("/api/v1/contests").json();
    assert!(all.to_string().contains("damaged"), "{all}");
    std::fs::remove_dir_all(data).unwrap();
}
