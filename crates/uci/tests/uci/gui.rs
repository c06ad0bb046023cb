//! A chess program for tests: sends lines to an engine and waits for its answers.

use std::io::{BufReader, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use alfil_nn::Devices;
use alfil_uci::UciError;
use alfil_uci::options::Options;

/// Far longer than anything here takes: after this, the engine hangs.
pub const TIMEOUT: Duration = Duration::from_secs(120);

pub struct Gui {
    to: Option<Sender<Vec<u8>>>,
    from: Receiver<String>,
    engine: Option<JoinHandle<Result<(), UciError>>>,
}

impl Gui {
    pub fn new(options: Options) -> Gui {
        Gui::on(options, None)
    }

    /// An engine with devices other than the CPU.
    pub fn on(options: Options, devices: Option<&'static dyn Devices>) -> Gui {
        let (to, input) = Input::new();
        let (output, from) = channel();
        let output = Output { to: output, line: Vec::new() };
        let engine = std::thread::spawn(move || alfil_uci::run(input, output, options, devices));
        Gui { to: Some(to), from, engine: Some(engine) }
    }

    /// An engine with little memory.
    pub fn small() -> Gui {
        Gui::new(Options { hash: 8, ..Options::default() })
    }

    pub fn say(&self, line: &str) {
        self.say_bytes(format!("{line}\n").into_bytes());
    }

    pub fn say_bytes(&self, bytes: Vec<u8>) {
        // After a quit the receiver is gone.
        let _ = self.to.as_ref().unwrap().send(bytes);
    }

    /// The next line that begins with `beginning`, and all before it.
    pub fn wait(&self, beginning: &str) -> Vec<String> {
        let mut heard = Vec::new();
        loop {
            match self.from.recv_timeout(TIMEOUT) {
                Ok(line) => {
                    let found = line.starts_with(beginning);
                    heard.push(line);
                    if found {
                        return heard;
                    }
                }
                Err(error) => panic!("{error:?} instead of '{beginning}' after {heard:#?}"),
            }
        }
    }

    /// Sends a line and waits for the move.
    pub fn best(&self, go: &str) -> String {
        self.say(go);
        let heard = self.wait("bestmove ");
        heard.last().unwrap().split(' ').nth(1).unwrap().to_owned()
    }

    /// What the engine writes within a short time, to check that something is missing.
    pub fn overhear(&self, time: Duration) -> Vec<String> {
        std::thread::sleep(time);
        self.from.try_iter().collect()
    }

    /// Waits for the engine to end with an error, without another command.
    pub fn failure(mut self) -> String {
        self.engine.take().unwrap().join().unwrap().unwrap_err().to_string()
    }

    /// Ends the input, waits for the engine to end and returns what it wrote until then.
    pub fn end(mut self) -> Vec<String> {
        self.to = None;
        let mut heard = Vec::new();
        loop {
            match self.from.recv_timeout(TIMEOUT) {
                Ok(line) => heard.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("the engine does not end after {heard:#?}"),
            }
        }
        self.engine.take().unwrap().join().unwrap().unwrap();
        heard
    }
}

/// What is sent, as it would be read; it ends when the sender is dropped.
pub struct Input {
    lines: Receiver<Vec<u8>>,
    rest: Vec<u8>,
}

impl Input {
    pub fn new() -> (Sender<Vec<u8>>, BufReader<Input>) {
        let (to, lines) = channel();
        (to, BufReader::new(Input { lines, rest: Vec::new() }))
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while self.rest.is_empty() {
            match self.lines.recv() {
                Ok(bytes) => self.rest = bytes,
                Err(_) => return Ok(0),
            }
        }
        let count = self.rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.rest[..count]);
        self.rest.drain(..count);
        Ok(count)
    }
}

struct Output {
    to: Sender<String>,
    line: Vec<u8>,
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        for &byte in bytes {
            if byte == b'\n' {
                let _ = self.to.send(String::from_utf8(std::mem::take(&mut self.line)).unwrap());
            } else {
                self.line.push(byte);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
