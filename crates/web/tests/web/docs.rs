//! The examples of docs/web-api.md work as they are written.

use serde_json::{Value, json};

use crate::http::Running;

/// Replaces the names that change from one server to the next.
fn filled(text: &str, game: &str) -> String {
    text.replace("GAME_ID", game)
}

/// Whether `shown` is a part of `answer`: all its keys with their values, where `"…"` is any value.
fn is_part(shown: &Value, answer: &Value) -> bool {
    match (shown, answer) {
        (Value::String(any), _) if any == "…" => true,
        (Value::Object(shown), Value::Object(answer)) => {
            shown.iter().all(|(key, value)| answer.get(key).is_some_and(|answer| is_part(value, answer)))
        }
        (Value::Array(shown), Value::Array(answer)) => {
            let mut answers = answer.iter();
            shown.iter().all(|shown| *shown == json!("…") || answers.any(|answer| is_part(shown, answer)))
        }
        (shown, answer) => shown == answer,
    }
}

#[test]
fn every_example_is_answered_as_it_says() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/web-api.md")).unwrap();
    let server = Running::new();
    let mut game = String::new();
    let mut examples = 0;
    // A block is a request line, perhaps a body, an empty line, a status and what the answer has at least.
    for block in text.split("```http\n").skip(1).map(|rest| rest.split("```").next().unwrap()) {
        let (asked, answered) = block.split_once("\n\n").unwrap();
        let (line, body) = asked.split_once('\n').unwrap_or((asked, ""));
        let (method, path) = line.split_once(' ').unwrap();
        let (status, shown) = answered.split_once('\n').unwrap();
        let path = filled(path, &game);
        let shown: Value =
            serde_json::from_str(&filled(shown, &game)).unwrap_or_else(|error| panic!("{error}: {shown}"));
        let answer = server.ask(method, &path, &[], body);
        assert_eq!(answer.status.to_string(), status.trim(), "{block}\n{}", answer.body);
        assert!(is_part(&shown, &answer.json()), "{block}\n{}", answer.body);
        if method == "POST" && path == "/api/v1/games" && answer.status == 200 {
            game = answer.json()["id"].as_str().unwrap().to_owned();
        }
        examples += 1;
    }
    assert!(examples >= 8, "{examples}");
    // Every address of the reference is one of the server.
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`')?.0.split_once(' '));
    for (method, path) in rows {
        let path = path.replace("ID", "unknown").replace("NAME", "unknown").replace("FILE", "unknown");
        let answer = server.ask(method, &path, &[], "");
        assert!(!answer.body.contains("there is nothing at this address") && answer.status != 405, "{method} {path}");
    }
}
