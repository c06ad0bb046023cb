//! A file that grows by whole lines and survives being cut anywhere.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

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
    /// Another program has it.
    #[error("another contest is using {0}")]
    Busy(PathBuf),
    /// It begins as no file of ours does, or as one of another contest.
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
    /// Text files of other contents are not written over.
    #[error("{0} holds other games: name another file or move it away")]
    OtherGames(PathBuf),
}

/// The open file.
pub(crate) struct LineFile {
    path: PathBuf,
    file: File,
}

impl LineFile {
    /// Opens or makes the file, locks it, and reads its complete lines and what follows the last line end. Nothing is cut
    /// off before [`keep`](LineFile::keep) says so: the file may be somebody else's.
    pub fn open(path: &Path) -> Result<(LineFile, Vec<String>, String), StateError> {
        let fail = |why| StateError::Io { path: path.to_owned(), why };
        let file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(fail)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => StateError::Busy(path.to_owned()),
            TryLockError::Error(why) => fail(why),
        })?;
        let mut reader = BufReader::new(&file);
        let mut lines = Vec::new();
        loop {
            let mut line = Vec::new();
            reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(fail)?;
            let ended = line.pop_if(|byte| *byte == b'\n').is_some();
            if line.len() as u64 >= LONGEST_LINE {
                return Err(StateError::Damaged { path: path.to_owned(), line: lines.len() + 1 });
            }
            if !ended {
                let rest = String::from_utf8_lossy(&line).into_owned();
                return Ok((LineFile { path: path.to_owned(), file }, lines, rest));
            }
            let damaged = |_| StateError::Damaged { path: path.to_owned(), line: lines.len() + 1 };
            lines.push(String::from_utf8(line).map_err(damaged)?);
        }
    }

    /// Cuts the file after so many bytes.
    pub fn keep(&mut self, bytes: u64) -> Result<(), StateError> {
        let cut = |file: &mut File| {
            file.set_len(bytes)?;
            file.seek(SeekFrom::End(0))?;
            file.sync_all()
        };
        cut(&mut self.file).map_err(|why| self.fail(why))
    }

    /// Adds complete lines, and returns when they have reached the disk.
    pub fn append(&mut self, lines: &str) -> Result<(), StateError> {
        self.file.write_all(lines.as_bytes()).and_then(|()| self.file.sync_data()).map_err(|why| self.fail(why))
    }

    pub fn damaged(&self, line: usize) -> StateError {
        StateError::Damaged { path: self.path.clone(), line }
    }

    pub fn other(&self, other: impl Into<String>) -> StateError {
        StateError::Other { path: self.path.clone(), other: other.into() }
    }

    fn fail(&self, why: io::Error) -> StateError {
        StateError::Io { path: self.path.clone(), why }
    }
}
