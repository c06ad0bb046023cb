//! Files that grow at their end.

use std::fs::{File, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::faults::check;
use super::{sync_folder_of, write_all};

/// A file that grows by whole appends: one that fails is taken back, so that nothing torn stays between two others.
pub struct AppendFile {
    path: PathBuf,
    file: File,
    /// Bytes that are known to be whole.
    length: u64,
    /// Whether there may be something after them.
    torn: bool,
}

impl AppendFile {
    /// Opens or creates a file.
    pub fn open(path: &Path) -> io::Result<AppendFile> {
        check("open", path)?;
        let file = File::options().read(true).append(true).create(true).open(path)?;
        let length = file.metadata()?.len();
        if length == 0 {
            // It may be new.
            sync_folder_of(path)?;
        }
        Ok(AppendFile { path: path.to_owned(), file, length, torn: false })
    }

    /// Locks it against other processes that do the same.
    pub fn try_lock(&self) -> Result<(), TryLockError> {
        self.file.try_lock()
    }

    /// Its bytes that are known to be whole.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Reads on from where the last reader stopped, at first from the beginning.
    pub fn reader(&self) -> io::Result<impl Read> {
        check("read", &self.path)?;
        Ok(&self.file)
    }

    /// Cuts it off after this many bytes.
    pub fn truncate(&mut self, length: u64) -> io::Result<()> {
        if length != self.length || self.torn {
            self.torn = true;
            check("truncate", &self.path)?;
            self.file.set_len(length)?;
            self.length = length;
            self.sync()?;
            self.torn = false;
        }
        Ok(())
    }

    /// Adds bytes, and returns when they have reached the disk. If that fails, it is as if nothing had been added; if even
    /// that fails, nothing is added later.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.truncate(self.length)?;
        self.torn = true;
        let written = write_all(&mut self.file, &self.path, bytes).and_then(|()| self.sync());
        match written {
            Ok(()) => {
                self.length += bytes.len() as u64;
                self.torn = false;
                Ok(())
            }
            // Best effort: the next append tries again.
            Err(why) => {
                let _ = self.truncate(self.length);
                Err(why)
            }
        }
    }

    fn sync(&self) -> io::Result<()> {
        check("sync", &self.path)?;
        self.file.sync_data()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{faults, make_folder, read_text, remove_folder};
    use super::*;

    #[test]
    fn a_failed_append_leaves_nothing_behind_and_later_ones_go_on() {
        let folder = std::env::temp_dir().join(format!("alfil-core-append-{}", std::process::id()));
        make_folder(&folder).unwrap();
        let path = folder.join("lines");
        for lasting in [false, true] {
            for operation in 0.. {
                let mut file = AppendFile::open(&path).unwrap();
                file.truncate(0).unwrap();
                file.append(b"first\n").unwrap();
                let faults = faults::inject(&folder, operation, lasting);
                let second = file.append(b"second\n");
                let failed = faults.failed().is_some();
                // While the disk fails, nothing follows what may be torn.
                assert_eq!(second.is_err(), failed);
                assert!(!lasting || !failed || file.append(b"third\n").is_err());
                drop(faults);
                file.append(b"last\n").unwrap();
                let expected = if failed { "first\nlast\n" } else { "first\nsecond\nlast\n" };
                assert_eq!(read_text(&path, 100).unwrap(), expected, "operation {operation}");
                if !failed {
                    assert_eq!(operation, 3);
                    break;
                }
            }
        }
        remove_folder(&folder).unwrap();
    }
}
