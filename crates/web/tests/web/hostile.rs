//! Requests that nobody should send.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use alfil_web::{Server, WebSettings};

use crate::http::Running;

#[test]
fn other_hosts_and_origins_are_refused() {
    let server = Running::new();
    let own = format!("http://{}", server.address);
    let ask = |method: &str, headers: &[(&str, &str)]| {
        server.ask(method, "/api/v1/games", headers, r#"{"game":"nim"}"#).status
    };
    assert_eq!(ask("POST", &[("origin", &own)]), 200);
    assert_eq!(ask("POST", &[("origin", "http://evil.example")]), 403);
    assert_eq!(ask("POST", &[("origin", "null")]), 403);
    assert_eq!(ask("POST", &[("host", "evil.example")]), 403);
    assert_eq!(ask("POST", &[("host", &format!("evil.example:{}", server.address.port()))]), 403);
    assert_eq!(ask("POST", &[("sec-fetch-site", "cross-site")]), 403);
    let page = server.get("/");
    assert_eq!(page.status, 200);
    assert!(page.header("content-security-policy").unwrap().contains("default-src 'none'"));
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(server.ask("GET", "/", &[("host", "evil.example")], "").status, 403);
}

#[test]
fn a_token_is_wanted_once_and_kept_in_a_cookie() {
    let token = "a-token-that-nobody-guesses";
    let settings = WebSettings::local(0, Path::new("no-data"));
    let server = Running::with(WebSettings { token: Some(token.to_owned()), ..settings });
    assert_eq!(server.get("/").status, 401);
    assert_eq!(server.get("/?token=a-token-that-nobody-guessed").status, 401);
    let welcome = server.get(&format!("/runs?token={token}"));
    assert_eq!((welcome.status, welcome.header("location")), (303, Some("/runs")));
    let cookie = welcome.header("set-cookie").unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let pair = cookie.split(';').next().unwrap();
    assert_eq!(server.ask("GET", "/runs", &[("cookie", pair)], "").status, 200);
    assert_eq!(server.ask("GET", "/api/v1/runs", &[("authorization", &format!("Bearer {token}"))], "").status, 200);
    assert_eq!(
        server.ask("POST", "/api/v1/games", &[("cookie", pair), ("origin", "http://evil.example")], "{}").status,
        403
    );
}

#[test]
fn addresses_that_others_reach_need_a_good_token() {
    let bind = |token: Option<&str>| {
        let (token, usual) = (token.map(str::to_owned), WebSettings::local(0, Path::new("no-data")));
        Server::bind(WebSettings { address: ([0, 0, 0, 0], 0).into(), token, ..usual }).map(drop)
    };
    assert!(bind(None).unwrap_err().to_string().contains("give --token"));
    assert!(bind(Some("short")).is_err() && bind(Some("sixteen letters or more")).is_err());
    assert!(bind(Some("sixteen-letters-or-more")).is_ok());
    // What is printed can be opened, and names go with a token.
    let settings = |hosts: &[&str], token: Option<&str>| WebSettings {
        address: ([0, 0, 0, 0], 0).into(),
        token: token.map(str::to_owned),
        hosts: hosts.iter().map(|host| (*host).to_owned()).collect(),
        ..WebSettings::local(0, Path::new("no-data"))
    };
    let token = Some("sixteen-letters-or-more");
    assert!(Server::bind(settings(&["board.example"], token)).unwrap().page().starts_with("http://127.0.0.1:"));
    assert!(Server::bind(settings(&["http://board.example"], token)).is_err());
    let local = WebSettings { address: ([127, 0, 0, 1], 0).into(), ..settings(&["board.example"], None) };
    assert!(Server::bind(local).err().unwrap().to_string().contains("goes with a --token"));
}

#[test]
fn huge_broken_and_unknown_requests_are_refused() {
    let server = Running::new();
    let huge = format!(r#"{{"game":"chess","pgn":"{}"}}"#, "x".repeat(1 << 20));
    let answer = server.post("/api/v1/games", &huge);
    assert_eq!((answer.status, &answer.error()[..]), (413, "a request has at most 256 KiB"));
    assert_eq!(server.post("/api/v1/games", &"[".repeat(100_000)).status, 400);
    assert_eq!(server.post("/api/v1/games", r#"{"game":"chess","evil":1}"#).status, 400);
    let paths = [
        "/api/v1/games/0",
        "/api/v1/games/..%2f..%2fetc%2fpasswd",
        "/api/v1/searches/0/tree",
        "/api/v1/runs/..",
        "/api/v1/runs/%2e%2e%2f%2e%2e/config",
        "/api/v1/runs/x/games/..%2f..%2fstate",
        "/assets/..%2fsrc%2flib.rs",
        "/assets/../Cargo.toml",
        "/etc/passwd",
        "/play",
        "/api/v1/games/%ff",
    ];
    for path in paths {
        let status = server.get(path).status;
        assert!(matches!(status, 400 | 404), "{path}: {status}");
    }
    let answer = server.ask("DELETE", "/api/v1/games", &[], "");
    assert_eq!((answer.status, &answer.error()[..]), (405, "this address is asked in another way"));
    let long = format!("/api/v1/games/{}", "x".repeat(60_000));
    assert!(matches!(server.get(&long).status, 404 | 414 | 431));
}

#[test]
fn slow_senders_and_many_streams_stop_nobody() {
    let server = Running::new();
    let slow: Vec<TcpStream> = (0..50)
        .map(|_| {
            let mut stream = TcpStream::connect(server.address).unwrap();
            stream.write_all(b"POST /api/v1/games HTTP/1.1\r\nHost: ").unwrap();
            stream
        })
        .collect();
    let id = server.game(r#"{ "game": "nim", "side": "both" }"#);
    let mut refused = 0;
    // A few more than there may be, and then thousands, of which the server closes each.
    let streams: Vec<TcpStream> = (0..450)
        .map(|_| {
            let mut stream = TcpStream::connect(server.address).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
            write!(stream, "GET /api/v1/games/{id}/events HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).unwrap();
            let mut start = [0; 12];
            stream.read_exact(&mut start).unwrap();
            if start.ends_with(b"503") {
                refused += 1;
                // The server closes what it refuses.
                stream.read_to_end(&mut Vec::new()).unwrap();
            }
            stream
        })
        .collect();
    assert_eq!((streams.len(), refused), (450, 50));
    for number in 0..2_000 {
        assert_eq!(server.get(&format!("/api/v1/games/{id}/events")).status, 503);
        // Everybody else is answered meanwhile.
        if number % 100 == 0 {
            assert_eq!(server.get("/api/v1/catalogue").status, 200);
            server.game(r#"{ "game": "chess" }"#);
        }
    }
    drop((slow, streams));
    // Once they are closed, others may listen.
    assert!((0..600).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        write!(stream, "GET /api/v1/games/{id}/events HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).unwrap();
        let mut start = [0; 12];
        stream.read_exact(&mut start).unwrap();
        start.ends_with(b"200")
    }));
}

#[test]
fn people_get_pages_and_programs_get_json() {
    let token = "a-token-that-nobody-guesses";
    let settings =
        WebSettings { hosts: vec!["board.example".to_owned()], ..WebSettings::local(0, Path::new("no-data")) };
    let server = Running::with(WebSettings { token: Some(token.to_owned()), ..settings });
    let browser = ("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
    let page = server.ask("GET", "/runs", &[browser], "");
    assert_eq!((page.status, page.header("content-type")), (401, Some("text/html; charset=utf-8")));
    assert!(page.body.contains("<p>This server needs its token: open the whole address that it printed.</p>"));
    assert!(page.header("content-security-policy").is_some());
    assert_eq!(server.ask("GET", "/api/v1/runs", &[browser], "").header("content-type"), Some("application/json"));
    let bearer = format!("Bearer {token}");
    let with = |host: &str, path: &str| {
        server.ask("GET", path, &[("host", host), ("authorization", &bearer), browser], "").status
    };
    assert_eq!(with("board.example", "/runs"), 200);
    assert_eq!(with("board.example", "/nowhere"), 404);
    assert_eq!(with("evil.example", "/runs"), 403);
    assert_eq!(with("evil.example", &format!("/runs?token={token}")), 403);
}
