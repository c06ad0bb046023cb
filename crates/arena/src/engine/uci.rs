//! The conversation.

use std::time::{Duration, Instant};

use super::process::Process;
use super::reply::{MOST_OPTIONS, best_move, opinion, option_name};
use crate::player::{Opinion, PlayerError};
use crate::wording::{did_you_mean, shorten};

/// An engine that is ready to play.
pub(crate) struct Uci {
    process: Process,
    /// How long it may take to answer anything but `go`.
    patience: Duration,
}

/// What an engine plays.
pub(crate) struct Answer {
    /// Its move, as it wrote it.
    pub best: String,
    /// What it thinks of it.
    pub opinion: Option<Opinion>,
}

impl Uci {
    /// Starts an engine and sets its options, which it must have.
    pub fn start(command: &str, options: &[(String, String)], patience: Duration) -> Result<Uci, PlayerError> {
        let process = Process::start(command).map_err(|error| PlayerError::Start(error.to_string()))?;
        let mut engine = Uci { process, patience };
        let known = engine.handshake()?;
        for (name, value) in options {
            if !known.iter().any(|known| known.eq_ignore_ascii_case(name)) {
                let nearest = did_you_mean(name, known.iter().map(String::as_str));
                return Err(PlayerError::NoOption { name: shorten(name), nearest });
            }
            let value = if value.is_empty() { String::new() } else { format!(" value {value}") };
            engine.process.send(&format!("setoption name {name}{value}"))?;
        }
        engine.synchronise()?;
        Ok(engine)
    }

    /// Says that the next position is from another game.
    pub fn new_game(&mut self) -> Result<(), PlayerError> {
        self.process.send("ucinewgame")?;
        self.synchronise()
    }

    /// Has it choose a move within `time`. None if it took longer.
    pub fn go(&mut self, position: &str, go: &str, time: Duration) -> Result<Option<Answer>, PlayerError> {
        self.process.send(position)?;
        // An answer to an earlier question must not be taken for one to this.
        self.synchronise()?;
        self.process.send(go)?;
        let deadline = Instant::now() + time;
        let mut last = None;
        while let Some(line) = self.process.receive(deadline)? {
            if let Some(best) = best_move(&line) {
                return Ok(Some(Answer { best: best.to_owned(), opinion: last }));
            }
            last = opinion(&line).or(last);
        }
        Ok(None)
    }

    /// The names of its options.
    fn handshake(&mut self) -> Result<Vec<String>, PlayerError> {
        self.process.send("uci")?;
        let mut names = Vec::new();
        self.wait_for("uciok", |line| {
            if let Some(name) = option_name(line).filter(|_| names.len() < MOST_OPTIONS) {
                names.push(name.to_owned());
            }
        })?;
        Ok(names)
    }

    fn synchronise(&mut self) -> Result<(), PlayerError> {
        self.process.send("isready")?;
        self.wait_for("readyok", |_| {})
    }

    fn wait_for(&mut self, word: &str, mut see: impl FnMut(&str)) -> Result<(), PlayerError> {
        let deadline = Instant::now() + self.patience;
        while let Some(line) = self.process.receive(deadline)? {
            if line == word {
                return Ok(());
            }
            see(&line);
        }
        Err(PlayerError::Stalled(self.patience))
    }
}
