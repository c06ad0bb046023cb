//! A file that grows by whole lines and survives truncation anywhere.

use std::fs::TryLockError;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use alfil_core::disk::AppendFile;
use alfil_core::lines::{seal, unseal};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// No line that we write is longer.
const LONGEST_LINE: u64 = 1 << 22;

/// Lines of version 1 have no checksums. A file of that version goes on with lines that have them.
const OLDEST: u32 = 1;
pub(crate) const VERSION: u32 = 2;

/// Why a file of lines cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// It could not be opened, read or written.
    #[error("cannot {action} {path}: {why}")]
    Io {
        /// What was attempted, as a verb.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What went wrong.
        why: io::Error,
    },
    /// Another process is using it.
    #[error("another process is using {0}")]
    Busy(PathBuf),
    /// It is not a file of ours, or belongs to another contest.
    #[error("{path} belongs to {other}: name another file or move it away")]
    Other {
        /// The file.
        path: PathBuf,
        /// What it is, in words.
        other: String,
    },
    /// A file of a later version of the format.
    #[error(
        "{path} was written by a newer alfil, in version {found} of its format, and this one knows {VERSION}: update it"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u64,
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

impl StateError {
    /// The file, if it is its contents that cannot be used: without it, the contest could begin again.
    pub fn unusable(&self) -> Option<&Path> {
        match self {
            StateError::Other { path, .. } | StateError::Damaged { path, .. } | StateError::OtherGames(path) => {
                Some(path)
            }
            // A newer program can use it.
            StateError::Newer { .. } | StateError::Io { .. } | StateError::Busy(_) => None,
        }
    }
}

/// What a file holds.
struct Lines {
    /// Lines without their ends.
    whole: Vec<String>,
    /// Where each of them ends.
    ends: Vec<u64>,
    /// The beginning of a line that is not complete.
    rest: String,
}

impl Lines {
    fn read(path: &Path, reader: impl Read) -> Result<Lines, StateError> {
        let fail = |why| StateError::Io { action: "read", path: path.to_owned(), why };
        let damaged = |line| StateError::Damaged { path: path.to_owned(), line };
        let mut reader = BufReader::new(reader);
        let (mut whole, mut ends) = (Vec::new(), Vec::new());
        let mut end = 0;
        loop {
            let mut line = Vec::new();
            end += reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(fail)? as u64;
            let ended = line.pop_if(|byte| *byte == b'\n').is_some();
            if line.len() as u64 >= LONGEST_LINE {
                return Err(damaged(whole.len() + 1));
            }
            if !ended {
                return Ok(Lines { whole, ends, rest: String::from_utf8_lossy(&line).into_owned() });
            }
            whole.push(String::from_utf8(line).map_err(|_| damaged(whole.len() + 1))?);
            ends.push(end);
        }
    }
}

/// The lines of a contest's file, which another process may be adding to: the first, which identifies the contest, and the others.
/// None if it is not even one line long.
pub(crate) fn read_only(path: &Path, most: u64) -> Result<Option<(String, Vec<String>)>, StateError> {
    let fail = |why| StateError::Io { action: "read", path: path.to_owned(), why };
    let bytes = alfil_core::disk::read(path, most).map_err(fail)?;
    let lines = Lines::read(path, &bytes[..])?.whole;
    let Some((first, others)) = lines.split_first() else { return Ok(None) };
    let damaged = |line| StateError::Damaged { path: path.to_owned(), line };
    let (first, sealed) = unseal(first).ok_or_else(|| damaged(1))?;
    let read = |(number, line): (usize, &String)| match unseal(line) {
        Some((json, has_sum)) if has_sum || !sealed => Ok(json),
        _ => Err(damaged(number)),
    };
    Ok(Some((first, (2..).zip(others).map(read).collect::<Result<_, _>>()?)))
}

/// The open file.
pub struct LineFile {
    path: PathBuf,
    file: AppendFile,
    /// Where the lines ended that were there when it was opened.
    ends: Vec<u64>,
}

impl LineFile {
    /// Opens or creates the file of a contest, which begins with a line that identifies the contest, and locks it.
    /// Returns the complete lines after that one. `contest` is what the first line says in a version of the format, apart from
    /// what other programs may have added, and `describe` puts another contest's first line into words.
    pub fn open<H: Serialize + DeserializeOwned>(
        path: &Path,
        contest: impl Fn(u32) -> H,
        describe: impl Fn(&str) -> Option<String>,
    ) -> Result<(LineFile, Vec<String>), StateError> {
        LineFile::open_same(path, contest, |theirs, ours| to_json(theirs) == to_json(ours), describe)
    }

    /// The same where a first line has more than what identifies the contest: `is_same` compares the one that is there with ours.
    pub(crate) fn open_same<H: Serialize + DeserializeOwned>(
        path: &Path,
        contest: impl Fn(u32) -> H,
        is_same: impl Fn(&H, &H) -> bool,
        describe: impl Fn(&str) -> Option<String>,
    ) -> Result<(LineFile, Vec<String>), StateError> {
        let fail = |why| StateError::Io { action: "open", path: path.to_owned(), why };
        let file = AppendFile::open(path).map_err(fail)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => StateError::Busy(path.to_owned()),
            TryLockError::Error(why) => fail(why),
        })?;
        let mut file = LineFile { path: path.to_owned(), file, ends: Vec::new() };
        let (lines, rest) = file.read()?;
        let [old, new] = [OLDEST, VERSION].map(|version| to_json(&contest(version)));
        let other = |first: &str| {
            let other = describe(first).unwrap_or_else(|| "something else".to_owned());
            StateError::Other { path: path.to_owned(), other }
        };
        let Some((first, lines)) = lines.split_first() else {
            // Not even the first line is complete.
            return match old.starts_with(&rest) || seal(&new).starts_with(&rest) {
                true => file.begin(&new).map(|()| (file, Vec::new())),
                false => Err(other(&rest)),
            };
        };
        let (first, sealed) = unseal(first).ok_or_else(|| file.damaged(1))?;
        if let Some(found) = version(&first).filter(|found| *found > u64::from(VERSION)) {
            return Err(StateError::Newer { path: path.to_owned(), found });
        }
        let ours = contest(if sealed { VERSION } else { OLDEST });
        if !serde_json::from_str(&first).is_ok_and(|theirs| is_same(&theirs, &ours)) {
            return Err(other(&first));
        }
        let read = |(number, line): (usize, &String)| match unseal(line) {
            Some((json, has_sum)) if has_sum || !sealed => Ok(json),
            _ => Err(file.damaged(number)),
        };
        let lines = (2..).zip(lines).map(read).collect::<Result<_, _>>()?;
        Ok((file, lines))
    }

    /// The complete lines, and what follows them.
    fn read(&mut self) -> Result<(Vec<String>, String), StateError> {
        let LineFile { path, file, ends } = self;
        let reader = file.reader().map_err(|why| StateError::Io { action: "read", path: path.clone(), why })?;
        let lines = Lines::read(path, reader)?;
        ends.extend(lines.ends);
        Ok((lines.whole, lines.rest))
    }

    /// Writes the first line in place of what is there.
    fn begin(&mut self, first: &str) -> Result<(), StateError> {
        self.truncate(0)?;
        self.file.append(seal(first).as_bytes()).map_err(|why| self.cannot_write(why))
    }

    /// Cuts off everything after the first line and this many others of those that were there.
    pub fn keep(&mut self, lines: usize) -> Result<(), StateError> {
        self.ends.get(lines).copied().map_or(Ok(()), |end| self.truncate(end))
    }

    fn truncate(&mut self, length: u64) -> Result<(), StateError> {
        self.file.truncate(length).map_err(|why| self.cannot_write(why))
    }

    /// Adds values as lines, and returns when they have reached the disk. If that fails, none of them is there.
    pub fn append<'a, T: Serialize + 'a + ?Sized>(
        &mut self,
        values: impl IntoIterator<Item = &'a T>,
    ) -> Result<(), StateError> {
        let lines: String = values.into_iter().map(|value| seal(&to_json(value))).collect();
        self.file.append(lines.as_bytes()).map_err(|why| self.cannot_write(why))
    }

    /// The error for a line, counted from 1, that we cannot have written.
    pub fn damaged(&self, line: usize) -> StateError {
        StateError::Damaged { path: self.path.clone(), line }
    }

    fn cannot_write(&self, why: io::Error) -> StateError {
        StateError::Io { action: "write", path: self.path.clone(), why }
    }
}

/// The version that the first line of a file names.
fn version(first: &str) -> Option<u64> {
    let line: serde_json::Map<String, serde_json::Value> = serde_json::from_str(first).ok()?;
    line.iter().find(|(key, _)| key.starts_with("alfil-"))?.1.as_u64()
}

fn to_json(value: &(impl Serialize + ?Sized)) -> String {
    // Plain structs of text and numbers can always be written.
    serde_json::to_string(value).unwrap_or_default()
}
