//! Games and searches.

use alfil_game::registry;
use serde_json::{Value, json};

use crate::http::Running;

fn moves(state: &Value) -> usize {
    state["moves"].as_array().unwrap().len()
}

fn play(server: &Running, id: &str, text: &str, ply: usize) -> crate::http::Answer {
    server.post(&format!("/api/v1/games/{id}/moves"), &json!({ "move": text, "ply": ply }).to_string())
}

#[test]
fn the_catalogue_has_every_game_with_its_board() {
    let catalogue = Running::new().get("/api/v1/catalogue").json();
    let games = catalogue["games"].as_array().unwrap();
    let names: Vec<&str> = games.iter().map(|game| game["name"].as_str().unwrap()).collect();
    assert_eq!(names, registry::names());
    assert_eq!(
        games[0]["rules"][0],
        json!({ "key": "chess960", "meaning": "Castling as in Chess960", "values": ["false", "true"] })
    );
    for game in games {
        assert!(!game["start"]["board"]["cells"].as_array().unwrap().is_empty(), "{game}");
        let evaluators = game["evaluators"].as_array().unwrap();
        assert!(evaluators.iter().any(|evaluator| evaluator["id"] == game["strongest"]), "{game}");
    }
}

#[test]
fn every_game_is_played_to_its_end_against_random_moves() {
    let server = Running::new();
    for name in ["connect4", "tictactoe", "nim"] {
        let id = server.game(&json!({ "game": name, "opponent": { "kind": "random" } }).to_string());
        let mut events = server.events(&format!("/api/v1/games/{id}/events"));
        loop {
            let state = events.until(|name, state| name == "state" && (state["thinking"] == false));
            if let Some(words) = state["result"]["words"].as_str() {
                assert!(words.contains(':'), "{words}");
                break;
            }
            let legal = state["shown"]["legal"].as_array().unwrap();
            let text = legal.last().unwrap()["move"].as_str().unwrap();
            assert_eq!(play(&server, &id, text, moves(&state)).status, 200);
        }
    }
}

#[test]
fn an_opponent_of_every_kind_answers() {
    let server = Running::new();
    let opponents = [
        ("chess", json!({ "kind": "level", "level": 1 })),
        ("chess", json!({ "kind": "level", "level": 1, "evaluator": "chess" })),
        ("hexchess", json!({ "kind": "alphabeta", "depth": 1 })),
        ("connect4", json!({ "kind": "level", "level": 2 })),
        ("connect4", json!({ "kind": "policy", "temperature": 0.5 })),
        ("tictactoe", json!({ "kind": "oracle" })),
        ("headquarters", json!({ "kind": "turns", "depth": 1 })),
    ];
    for (game, opponent) in opponents {
        let second = server.get("/api/v1/catalogue").json()["games"]
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["name"] == game)
            .unwrap()["sides"][1]
            .clone();
        let id = server.game(&json!({ "game": game, "side": second, "opponent": opponent }).to_string());
        let before = server.get(&format!("/api/v1/games/{id}")).json();
        assert_eq!((moves(&before), &before["thinking"]), (0, &json!(true)), "nobody listens yet");
        let mut events = server.events(&format!("/api/v1/games/{id}/events"));
        events.until(|_, state| moves(state) > 0);
    }
}

/// Of all opponents, these search longest: more of them than may think at a time.
#[test]
fn opponents_whose_pages_are_closed_hold_up_nobody() {
    let server = Running::new();
    let opponents = [
        ("connect4", json!({ "kind": "oracle" })),
        ("chess", json!({ "kind": "alphabeta", "depth": 4 })),
        ("hexchess", json!({ "kind": "alphabeta", "depth": 4 })),
        ("headquarters", json!({ "kind": "turns", "depth": 3 })),
    ];
    for (game, opponent) in opponents.iter().cycle().take(4 * alfil_core::cores() + 8) {
        let request = json!({ "game": game, "side": "none", "opponent": opponent });
        let id = server.game(&request.to_string());
        let mut events = server.events(&format!("/api/v1/games/{id}/events"));
        events.until(|_, state| state["thinking"] == true);
    }
    let id = server.game(r#"{ "game": "chess", "side": "black", "opponent": { "kind": "level", "level": 1 } }"#);
    server.events(&format!("/api/v1/games/{id}/events")).until(|_, state| moves(state) == 1);
}

#[test]
fn a_game_of_thousands_of_moves_goes_on_and_has_an_end() {
    let server = Running::new();
    let begin = |plies: usize| {
        let request =
            json!({ "game": "headquarters", "side": "both", "rules": "turn_cap=10000", "moves": "end ".repeat(plies) });
        server.post("/api/v1/games", &request.to_string())
    };
    assert_eq!(begin(4097).error(), "a game has at most 4096 moves here");
    assert_eq!(begin(20_000).status, 400);
    let state = begin(4095).json();
    let id = state["id"].as_str().unwrap();
    assert_eq!((moves(&state), &state["moves"][4094]["number"]), (4095, &json!("2048.")));
    let state = play(&server, id, "end", 4095).json();
    assert_eq!((moves(&state), &state["moves"][4095]["side"]), (4096, &json!(1)));
    assert_eq!(play(&server, id, "end", 4096).error(), "a game has at most 4096 moves here");
    assert_eq!(moves(&server.post(&format!("/api/v1/games/{id}/undo"), "").json()), 4095);
}

#[test]
fn moves_are_checked_taken_back_and_resigned() {
    let server = Running::new();
    let id = server.game(r#"{ "game": "chess", "side": "both" }"#);
    let at = |path: &str| format!("/api/v1/games/{id}{path}");
    assert_eq!(play(&server, &id, "e2e5", 0).error(), "'e2e5' is not a legal move here");
    assert_eq!(play(&server, &id, "e2e4", 1).status, 409);
    assert_eq!(moves(&play(&server, &id, "e2e4", 0).json()), 1);
    let state = play(&server, &id, "e5", 1).json();
    assert_eq!((moves(&state), &state["shown"]["last"]), (2, &json!(["e7", "e5"])));
    let first = server.get(&at("?ply=1")).json();
    assert_eq!(first["shown"]["position"], "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    assert_eq!(server.get(&at("?ply=3")).status, 404);
    // People who have both sides may go back and play something else.
    let state = play(&server, &id, "d7d5", 1).json();
    assert_eq!((moves(&state), &state["moves"][1]["name"]), (2, &json!("d5")));
    assert_eq!(moves(&server.post(&at("/undo"), "").json()), 1);
    let state = server.post(&at("/resign"), "").json();
    assert_eq!(state["result"]["words"], "white wins: resignation");
    assert_eq!(play(&server, &id, "d7d5", 1).status, 409);
    let pgn = server.get(&at("/pgn")).body;
    assert!(pgn.contains("1. e4 1-0"), "{pgn}");
    let again = server.game(&json!({ "game": "chess", "side": "both", "pgn": pgn }).to_string());
    assert_eq!(server.get(&format!("/api/v1/games/{again}")).json()["result"]["words"], "white wins: resignation");
    assert!(server.post(&at("/undo"), "").json()["result"].is_null());
}

#[test]
fn a_hint_is_a_legal_move() {
    let server = Running::new();
    let id = server.game(r#"{ "game": "connect4", "moves": "4 1 4 1 4 1" }"#);
    let hint = server.post(&format!("/api/v1/games/{id}/hint"), "").json();
    assert_eq!((&hint["move"], &hint["cells"]), (&json!("4"), &json!(["row 4, column 4"])));
}

#[test]
fn a_search_tells_what_it_finds_and_shows_its_tree() {
    let server = Running::new();
    let id = server.game(r#"{ "game": "chess", "side": "both", "position": "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1" }"#);
    let mut events = server.events(&format!("/api/v1/games/{id}/search?evaluator=handcrafted&lines=3"));
    let search = events.until(|name, _| name == "search")["id"].as_str().unwrap().to_owned();
    let report = events.until(|name, report| name == "report" && report["ended"] == "proven");
    assert_eq!(
        (&report["lines"][0]["name"], &report["lines"][0]["proof"]),
        (&json!("Ra8#"), &json!("white wins in 1"))
    );
    assert_eq!(report["wdl"], json!([1.0, 0.0, 0.0]));
    assert_eq!(
        report["policy"].as_array().unwrap().len(),
        server.get(&format!("/api/v1/games/{id}")).json()["shown"]["legal"].as_array().unwrap().len()
    );
    let tree = server.get(&format!("/api/v1/searches/{search}/tree")).json();
    assert_eq!(tree["children"][0]["name"], "Ra8#");
    let after = server.get(&format!("/api/v1/searches/{search}/tree?line=a1a8")).json();
    assert_eq!((&after["turn"], &after["proof"]), (&json!(1), &json!("white wins in 0")));
    assert_eq!(server.get(&format!("/api/v1/searches/{search}/tree?line=a1b9")).status, 400);
    drop(events);
    // The search ends when nobody listens.
    let gone = || server.get(&format!("/api/v1/searches/{search}/tree")).status == 404;
    assert!((0..1_200).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        gone()
    }));
}

#[test]
fn what_is_asked_for_wrongly_is_answered_in_a_sentence() {
    let server = Running::new();
    let wrong = [
        ("{", "the request is not what is expected: EOF while parsing an object at line 1 column 1"),
        (r#"{ "game": "checkers" }"#, "there is no game 'checkers'"),
        (r#"{ "game": "chess", "side": "red" }"#, "chess has no side 'red': use white, black, both or none"),
        (r#"{ "game": "chess", "opponent": { "kind": "level", "level": 11 } }"#, "the level is a number from 1 to 10"),
        (
            r#"{ "game": "chess", "opponent": { "kind": "alphabeta", "depth": 9 } }"#,
            "the depth is a number from 1 to 4",
        ),
        (r#"{ "game": "chess", "opponent": { "kind": "oracle" } }"#, "chess has no exact solver"),
        (r#"{ "game": "chess", "position": "x" }"#, "'x' is not a chess position"),
        (r#"{ "game": "chess", "moves": "e4 e4" }"#, "'e4' is not a legal move here"),
        (r#"{ "game": "headquarters", "rules": "map=/etc/passwd" }"#, "is not valid for the rules of headquarters"),
    ];
    for (body, sentence) in wrong {
        let answer = server.post("/api/v1/games", body);
        assert!(matches!(answer.status, 400 | 404), "{body}: {}", answer.status);
        assert!(answer.error().contains(sentence), "{body}: {}", answer.error());
    }
    let id = server.game(r#"{ "game": "tictactoe", "moves": "1 2 5 3 9" }"#);
    let search = |query: &str| server.get(&format!("/api/v1/games/{id}/search{query}"));
    assert_eq!(search("").error(), "the game is over here: x wins: three in a row");
    assert_eq!(search("?ply=0&lines=99").error(), "lines is a number from 1 to 20");
    assert_eq!(
        search("?evaluator=/etc/passwd").error(),
        "tictactoe has no such evaluator: choose one of the catalogue"
    );
    assert_eq!(search("?ply=zero").status, 400);
}

#[test]
fn a_game_with_a_clock_is_lost_on_time_and_only_while_somebody_looks() {
    let server = Running::new();
    let id = server.game(r#"{ "game": "chess", "side": "both", "clock": { "seconds": 1, "increment": 0 } }"#);
    let at = |path: &str| format!("/api/v1/games/{id}{path}");
    let state = play(&server, &id, "e2e4", 0).json();
    assert_eq!((&state["clock"]["running"], &state["clock"]["left"][1]), (&Value::Null, &json!(1.0)), "nobody looks");
    let mut events = server.events(&at("/events"));
    let state = events.until(|_, state| !state["result"].is_null());
    assert_eq!(state["result"]["words"], "white wins: time");
    assert_eq!((&state["clock"]["running"], &state["clock"]["left"]), (&Value::Null, &json!([1.0, 0.0])));
    assert_eq!(play(&server, &id, "e7e5", 1).status, 409);
    assert_eq!(server.post(&at("/undo"), "").error(), "the time is over: nothing can be taken back");
    assert!(server.get(&at("/pgn")).body.contains("[TimeControl \"1+0\"]"));
    for clock in [r#"{ "seconds": 0 }"#, r#"{ "seconds": 99999999 }"#, r#"{ "seconds": 60, "increment": 9999 }"#] {
        let answer = server.post("/api/v1/games", &format!(r#"{{ "game": "chess", "clock": {clock} }}"#));
        assert!(answer.status == 400 && answer.error().starts_with("a clock has from 1"), "{}", answer.body);
    }
}

#[test]
fn networks_of_the_data_folder_are_played_with() {
    let data = std::env::temp_dir().join(format!("alfil-web-networks-{}", std::process::id()));
    std::fs::create_dir_all(data.join("networks")).unwrap();
    let models = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/connect4.safetensors");
    std::fs::copy(models, data.join("networks/mine.safetensors")).unwrap();
    std::fs::write(data.join("networks/broken.safetensors"), "nothing").unwrap();
    let server = Running::of(&data);
    let catalogue = server.get("/api/v1/catalogue").json();
    let named = |game: &str| {
        let games = catalogue["games"].as_array().unwrap();
        let of = games.iter().find(|one| one["name"] == game).unwrap();
        of["evaluators"].as_array().unwrap().iter().any(|one| one["id"] == "file:mine.safetensors")
    };
    assert!(named("connect4") && !named("chess") && !catalogue.to_string().contains("broken"));
    let opponent = json!({ "kind": "policy", "evaluator": "file:mine.safetensors" });
    let id = server.game(&json!({ "game": "connect4", "side": "o", "opponent": opponent }).to_string());
    server.events(&format!("/api/v1/games/{id}/events")).until(|_, state| moves(state) == 1);
    for evaluator in ["file:../networks/mine.safetensors", "file:broken.safetensors", "file:", "file:mine"] {
        let opponent = json!({ "kind": "policy", "evaluator": evaluator });
        assert_eq!(
            server.post("/api/v1/games", &json!({ "game": "connect4", "opponent": opponent }).to_string()).status,
            400
        );
    }
    std::fs::remove_dir_all(data).unwrap();
}
