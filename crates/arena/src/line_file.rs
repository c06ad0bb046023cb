//! A file that grows by whole lines and survives truncation anywhere.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

/// No line that we write is longer.
const LONGEST_LINE: u64 = 1 << 22;

/// Why a file of lines cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// It could not be opened, read or written.
    #[error("cannot use {path}: {why}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        why: io::Error,
    },
    /// Another process is using it.
    #[error("another contest is using {0}")]
    Busy(PathBuf),
    /// It is not a file of ours, or belongs to another contest.
    #[error("{path} belongs to {other}: name another file or move it away")]
    Other {
        /// The file.
        path: PathBuf,
        /// What it is, in words.
        other: String,
    },
    /// A line that we cannot have written, before the last one.
    #[error("line {line} of {path} is damaged")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
    },
    /// Text files with other contents are not overwritten.
    #[error("{0} holds other games, or those of players with other names: name another file or move it away")]
    OtherGames(PathBuf),
}

/// The open file.
pub(crate) struct LineFile {
    path: PathBuf,
    file: File,
}

impl LineFile {
    /// Opens or creates the file of a contest, which begins with a line that identifies the contest, and locks it.
    /// Returns the complete lines after that one. `describe` puts another contest's first line into words.
    pub fn open(
        path: &Path,
        contest: &impl Serialize,
        describe: impl Fn(&str) -> Option<String>,
    ) -> Result<(LineFile, Vec<String>), StateError> {
        let fail = |why| StateError::Io { path: path.to_owned(), why };
        let file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(fail)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => StateError::Busy(path.to_owned()),
            TryLockError::Error(why) => fail(why),
        })?;
        let mut file = LineFile { path: path.to_owned(), file };
        let (mut lines, rest) = file.read()?;
        let header = to_line(contest);
        let other = |first: &str| {
            let other = describe(first).unwrap_or_else(|| "something else".to_owned());
            StateError::Other { path: path.to_owned(), other }
        };
        match lines.first() {
            Some(first) if *first == header.trim_end() => {
                lines.remove(0);
            }
            Some(first) => return Err(other(first)),
            // Not even the first line is complete.
            None if header.starts_with(&rest) => {
                file.keep(0)?;
                file.append(&header)?;
            }
            None => return Err(other(&rest)),
        }
        Ok((file, lines))
    }

    /// The complete lines, and what follows them.
    fn read(&self) -> Result<(Vec<String>, String), StateError> {
        let mut reader = BufReader::new(&self.file);
        let mut lines = Vec::new();
        loop {
            let mut line = Vec::new();
            reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(|why| self.fail(why))?;
            let ended = line.pop_if(|byte| *byte == b'\n').is_some();
            if line.len() as u64 >= LONGEST_LINE {
                return Err(self.damaged(lines.len() + 1));
            }
            if !ended {
                return Ok((lines, String::from_utf8_lossy(&line).into_owned()));
            }
            lines.push(String::from_utf8(line).map_err(|_| self.damaged(lines.len() + 1))?);
        }
    }

    /// Cuts off everything after the first line and `lines`.
    pub fn keep_lines(&mut self, contest: &impl Serialize, lines: &[String]) -> Result<(), StateError> {
        self.keep(to_line(contest).len() as u64 + lines.iter().map(|line| line.len() as u64 + 1).sum::<u64>())
    }

    fn keep(&mut self, bytes: u64) -> Result<(), StateError> {
        self.file.set_len(bytes).and_then(|()| self.file.sync_all()).map_err(|why| self.fail(why))
    }

    /// Adds complete lines, and returns when they have reached the disk.
    pub fn append(&mut self, lines: &str) -> Result<(), StateError> {
        self.file.write_all(lines.as_bytes()).and_then(|()| self.file.sync_data()).map_err(|why| self.fail(why))
    }

    /// The error for a line, counted from 1, that we cannot have written.
    pub fn damaged(&self, line: usize) -> StateError {
        StateError::Damaged { path: self.path.clone(), line }
    }

    fn fail(&self, why: io::Error) -> StateError {
        StateError::Io { path: self.path.clone(), why }
    }
}

/// A value as a line of JSON.
pub(crate) fn to_line(value: &impl Serialize) -> String {
    // Plain structs of text and numbers can always be written.
    serde_json::to_string(value).unwrap_or_default() + "\n"
}
