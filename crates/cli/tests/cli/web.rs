//! `alfil web` from its first line to its end, and a run that its page shows.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::support::{Folder, complaint, ends, interrupt};

/// The page of a folder, as long as this lives.
struct Page {
    child: Child,
    /// Stays open: the program may print more.
    _out: BufReader<ChildStdout>,
    /// Host and port.
    address: String,
}

impl Page {
    /// Serves the page in a folder, at any free port.
    fn open(folder: &Folder, arguments: &[&str]) -> Page {
        let mut command = Command::new(env!("CARGO_BIN_EXE_alfil"));
        command.args(["web", "--port", "0"]).args(arguments).current_dir(folder.file(""));
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let (mut line, mut out) = (String::new(), BufReader::new(child.stdout.take().unwrap()));
        out.read_line(&mut line).unwrap();
        let address = line.strip_prefix("the page is http://").and_then(|rest| rest.split('/').next());
        let address = address.unwrap_or_else(|| panic!("{line}")).to_owned();
        Page { child, _out: out, address }
    }

    /// The head and the body of the answer to a request.
    fn get(&self, path: &str) -> (String, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.to_owned(), body.to_owned())
    }

    fn json(&self, path: &str) -> Value {
        let (head, body) = self.get(path);
        serde_json::from_str(&body).unwrap_or_else(|why| panic!("{why}: {head}\n{body}"))
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_page_answers_until_it_is_interrupted() {
    let folder = Folder::new("web");
    let mut page = Page::open(&folder, &[]);
    let (head, body) = page.get("/");
    assert!(head.starts_with("HTTP/1.1 200") && body.contains("<title>Alfil</title>"), "{head}");
    assert_eq!(page.json("/api/v1/runs"), serde_json::json!([]));
    assert!(page.json("/api/v1/catalogue")["games"].as_array().unwrap().len() > 4);
    interrupt(&page.child);
    ends(&mut page.child);
    assert!(page.child.wait().unwrap().success());
    TcpStream::connect(&page.address).unwrap_err();
}

#[test]
fn a_page_for_every_address_is_printed_with_one_that_can_be_opened() {
    let folder = Folder::new("web-all");
    let page = Page::open(&folder, &["--address", "0.0.0.0", "--token", "sixteen-letters-or-more"]);
    assert!(page.address.starts_with("127.0.0.1:"), "{}", page.address);
    assert!(page.get("/").0.starts_with("HTTP/1.1 401"));
    assert!(page.get("/?token=sixteen-letters-or-more").0.starts_with("HTTP/1.1 303"));
    assert!(complaint(&["web", "--port", "0", "--host", "board.example"]).contains("goes with a --token"));
    assert!(complaint(&["web", "--port", "0", "--address", "0.0.0.0"]).contains("give --token"));
}

/// A run of tic-tac-toe is followed from its first event to the one that says that it is complete.
#[cfg(feature = "torch")]
#[test]
fn a_run_is_watched_until_it_is_complete() {
    let folder = Folder::new("web-run");
    let run = folder.file("data/runs/watched");
    std::fs::create_dir_all(folder.file("data/runs")).unwrap();
    let page = Page::open(&folder, &[]);
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/../../configs/tictactoe.toml");
    let keys = ["generations=2", "network.size=8x1", "selfplay.games=200", "gate.games=4", "rating.every=9"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_alfil"));
    command.args(["train", config, "--run", &run]).args(keys.iter().flat_map(|key| ["--set", key]));
    let mut training = command.stdout(Stdio::null()).spawn().unwrap();
    // The run is there as soon as it has a state.
    let begun = || page.json("/api/v1/runs").as_array().is_some_and(|runs| !runs.is_empty());
    assert!((0..2400).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        begun() || training.try_wait().unwrap().is_some_and(|ended| !ended.success())
    }));
    let mut stream = TcpStream::connect(&page.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
    write!(stream, "GET /api/v1/runs/watched/events HTTP/1.1\r\nHost: {}\r\n\r\n", page.address).unwrap();
    let (mut generations, mut silent) = (0, 0);
    for line in BufReader::new(stream).lines() {
        let line = line.unwrap();
        // Every ten seconds, a stream only shows that it is alive.
        if line.starts_with(':')
            && let Some(ended) = training.try_wait().unwrap()
        {
            silent += 1;
            assert!(ended.success() && silent < 12, "the end was not told: {ended}");
        }
        let Some(event) = line.strip_prefix("data:").and_then(|data| serde_json::from_str::<Value>(data).ok()) else {
            continue;
        };
        generations += event["metrics"].as_array().map_or(0, Vec::len);
        if event["run"]["is_complete"] == true {
            break;
        }
    }
    assert_eq!(generations, 2);
    assert!(training.wait().unwrap().success());
}
