//! A server, and requests to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread::JoinHandle;
use std::time::Duration;

use alfil_web::{Server, WebSettings};
use serde_json::Value;

/// A server that ends with its test.
pub struct Running {
    pub address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    /// Without any data.
    pub fn new() -> Running {
        Running::of(Path::new("there-is-no-such-folder"))
    }

    /// With the runs, contests and networks in a folder.
    pub fn of(data: &Path) -> Running {
        Running::with(WebSettings::local(0, data))
    }

    pub fn with(settings: WebSettings) -> Running {
        let server = Server::bind(settings).unwrap();
        let page = server.page();
        let address = page.trim_start_matches("http://").split('/').next().unwrap().parse().unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || server.run(&stopped).unwrap());
        Running { address, stop, thread: Some(thread) }
    }

    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], "")
    }

    pub fn post(&self, path: &str, body: &str) -> Answer {
        self.ask("POST", path, &[], body)
    }

    /// A request with these headers; one named `host` takes the place of the usual one.
    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        request(self.address, method, path, headers, body)
    }

    /// A new game; its name.
    pub fn game(&self, request: &str) -> String {
        let answer = self.post("/api/v1/games", request);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()["id"].as_str().unwrap().to_owned()
    }

    /// A stream of events.
    pub fn events(&self, path: &str) -> Events {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address).unwrap();
        let mut reader = BufReader::new(stream);
        let status = head(&mut reader).0;
        assert_eq!(status, 200);
        Events { lines: BufReader::new(Chunked { reader, left: 0 }) }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.store(true, SeqCst);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The sentence of an error.
    pub fn error(&self) -> String {
        self.json()["error"].as_str().unwrap().to_owned()
    }
}

pub fn request(address: SocketAddr, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        head += &format!("Host: {address}\r\n");
    }
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
    // The server may have refused by the head alone.
    let _ = stream.write_all(body.as_bytes());
    read(BufReader::new(stream))
}

fn read(mut reader: BufReader<TcpStream>) -> Answer {
    let (status, headers) = head(&mut reader);
    let length = headers.iter().find(|(name, _)| name == "content-length").map(|(_, value)| value.parse().unwrap());
    let mut bytes = Vec::new();
    match length {
        Some(length) => {
            bytes.resize(length, 0);
            reader.read_exact(&mut bytes).unwrap();
        }
        None => {
            let _ = Chunked { reader, left: 0 }.read_to_end(&mut bytes);
        }
    }
    Answer { status, headers, body: String::from_utf8(bytes).unwrap() }
}

fn head(reader: &mut impl BufRead) -> (u16, Vec<(String, String)>) {
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let status = line.split(' ').nth(1).unwrap_or_else(|| panic!("no answer: {line:?}")).parse().unwrap();
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line).unwrap();
        match line.trim_end().split_once(':') {
            Some((name, value)) => headers.push((name.to_lowercase(), value.trim().to_owned())),
            None => return (status, headers),
        }
    }
}

/// What a chunked body contains.
struct Chunked<R> {
    reader: R,
    left: usize,
}

impl<R: BufRead> Read for Chunked<R> {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        while self.left == 0 {
            let mut line = String::new();
            if self.reader.read_line(&mut line)? == 0 {
                return Ok(0);
            }
            match usize::from_str_radix(line.trim(), 16) {
                Ok(0) => return Ok(0),
                Ok(length) => self.left = length,
                // The end of the last chunk.
                Err(_) => {}
            }
        }
        let most = bytes.len().min(self.left);
        let read = self.reader.read(&mut bytes[..most])?;
        self.left -= read;
        Ok(read)
    }
}

/// A stream of events.
pub struct Events {
    lines: BufReader<Chunked<BufReader<TcpStream>>>,
}

impl Events {
    /// The next event: its name and its contents.
    pub fn next(&mut self) -> (String, Value) {
        let mut name = String::new();
        loop {
            let mut line = String::new();
            assert!(self.lines.read_line(&mut line).unwrap() > 0, "the stream has ended");
            if let Some(rest) = line.strip_prefix("event:") {
                name = rest.trim().to_owned();
            } else if let Some(rest) = line.strip_prefix("data:") {
                return (name, serde_json::from_str(rest).unwrap());
            }
        }
    }

    /// The first event that fulfils something.
    pub fn until(&mut self, fits: impl Fn(&str, &Value) -> bool) -> Value {
        loop {
            let (name, value) = self.next();
            assert_ne!(name, "failure", "{value}");
            if fits(&name, &value) {
                return value;
            }
        }
    }
}
