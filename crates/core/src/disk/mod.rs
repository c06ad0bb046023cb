//! The one door to the disk: no other code of this workspace opens, writes, renames, removes or lists files
//! (clippy.toml sees to that).
//!
//! Whole files appear whole or not at all, files that grow do so by whole appends, folders are listed whole or not at
//! all, and what is reported as written survives a power cut. Errors come as the system gives them: the caller knows
//! what the file is for, and names it.

#![allow(clippy::disallowed_methods, reason = "this is the door")]

mod append;
#[doc(hidden)]
pub mod faults;

use std::fs::{File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub use append::AppendFile;
use faults::check;

/// Between the name of a file and what tells apart those who write it: the number of the process, and of the writing in it.
const PARTIAL: &str = ".partial-";

/// Whole files that this process has begun to write. Two threads may write the same file.
static WRITINGS: AtomicU64 = AtomicU64::new(0);

/// Writes a file under a temporary name, makes sure that it has reached the disk, and gives it its name.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let writing = WRITINGS.fetch_add(1, Relaxed);
    let partial = with_suffix(path, &format!("{PARTIAL}{}-{writing}", std::process::id()));
    let write = || {
        check("create", path)?;
        let mut file = File::create(&partial)?;
        write_all(&mut file, path, bytes)?;
        check("sync", path)?;
        file.sync_all()?;
        rename(&partial, path)
    };
    // Best effort: the error that matters is the first one.
    write().inspect_err(|_| drop(remove(&partial)))
}

/// Gives a whole file another name, and makes sure that the name has reached the disk: files written later may refer to
/// it.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    check("rename", to)?;
    std::fs::rename(from, to)?;
    sync_folder_of(to)
}

/// Renames a file that cannot be used, so that it can be inspected and another can take its place. Returns its new
/// name; a file of that name is replaced.
pub fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let aside = with_suffix(path, ".damaged");
    rename(path, &aside)?;
    Ok(aside)
}

/// Removes a file.
pub fn remove(path: &Path) -> io::Result<()> {
    check("remove", path)?;
    std::fs::remove_file(path)
}

/// Makes a folder and those that it is in, as far as they are missing.
pub fn make_folder(path: &Path) -> io::Result<()> {
    check("make", path)?;
    std::fs::create_dir_all(path)
}

/// Removes a folder with all that is in it.
pub fn remove_folder(path: &Path) -> io::Result<()> {
    check("remove", path)?;
    std::fs::remove_dir_all(path)
}

/// Where a user's programs keep what can be made again: Alfil's part of it, which may not exist yet. None where the system
/// does not say where that is.
pub fn cache_folder() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let usual = if cfg!(windows) {
        folder("LOCALAPPDATA")
    } else {
        let within = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
        folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(within)))
    };
    // Relative folders would be different ones each time.
    usual.filter(|folder| folder.is_absolute()).map(|folder| folder.join("alfil"))
}

/// Opens a file for reading.
pub fn open(path: &Path) -> io::Result<File> {
    check("open", path)?;
    File::open(path)
}

/// Opens or creates a file that another program adds its output to.
pub fn open_log(path: &Path) -> io::Result<File> {
    check("open", path)?;
    File::options().create(true).append(true).open(path)
}

/// Reads a file. One of more than `most` bytes is refused, also if it has no end, as a device may have none.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    // A device may fail in the middle of a file.
    check("read all of", path)?;
    match bytes.len() as u64 > most {
        true => Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {most} bytes"))),
        false => Ok(bytes),
    }
}

/// The same for a file of text.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let not_text = |_| io::Error::new(io::ErrorKind::InvalidData, "it is not text in UTF-8");
    String::from_utf8(read(path, most)?).map_err(not_text)
}

/// The paths of all entries of a folder, in order. An entry that cannot be read makes the whole list an error: a caller
/// that takes a part for the whole may overwrite what is missing from it.
pub fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    check("list", folder)?;
    let entries = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut paths = entries.collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    Ok(paths)
}

/// Removes unfinished files that killed processes have left in a folder. No process may be writing there.
pub fn remove_unfinished(folder: &Path) -> io::Result<()> {
    for path in list(folder)? {
        if path.file_name().is_some_and(|name| name.to_string_lossy().contains(PARTIAL)) {
            remove(&path)?;
        }
    }
    Ok(())
}

/// Locks a folder against other processes that do the same, as long as the result lives. None where the system does not
/// lock folders.
pub fn lock_folder(folder: &Path) -> Result<Option<File>, TryLockError> {
    // Elsewhere folders cannot be opened.
    if cfg!(not(unix)) {
        return Ok(None);
    }
    let file = check("lock", folder).and_then(|()| File::open(folder)).map_err(TryLockError::Error)?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
        // Network file systems lock only what is open for writing.
        Err(TryLockError::Error(_)) => Ok(None),
        Ok(()) => Ok(Some(file)),
    }
}

fn write_all(file: &mut File, path: &Path, bytes: &[u8]) -> io::Result<()> {
    check("write", path)?;
    if let Err(torn) = check("write all of", path) {
        file.write_all(&bytes[..bytes.len() / 2])?;
        return Err(torn);
    }
    file.write_all(bytes)
}

/// Makes sure that the name of a file has reached the disk.
fn sync_folder_of(path: &Path) -> io::Result<()> {
    check("sync the folder of", path)?;
    // Elsewhere folders cannot be opened.
    #[cfg(unix)]
    {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    Ok(())
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_listed_in_order_and_cleaned_of_unfinished_files() {
        let folder = std::env::temp_dir().join(format!("alfil-core-disk-{}", std::process::id()));
        make_folder(&folder).unwrap();
        let paths = ["b", "a", "c.partial-1"].map(|name| folder.join(name));
        for path in &paths {
            write_whole(path, b"x").unwrap();
        }
        assert_eq!(list(&folder).unwrap(), [paths[1].clone(), paths[0].clone(), paths[2].clone()]);
        remove_unfinished(&folder).unwrap();
        assert_eq!(list(&folder).unwrap().len(), 2);
        // A file is not a folder, and a missing folder is not an empty one.
        assert!(list(&paths[0]).is_err());
        remove_folder(&folder).unwrap();
        assert_eq!(list(&folder).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn threads_that_write_the_same_file_leave_a_whole_one() {
        let folder = std::env::temp_dir().join(format!("alfil-core-threads-{}", std::process::id()));
        make_folder(&folder).unwrap();
        let path = folder.join("file");
        std::thread::scope(|scope| {
            for byte in b'a'..b'e' {
                let path = &path;
                scope.spawn(move || (0..100).for_each(|_| write_whole(path, &[byte; 5_000]).unwrap()));
            }
        });
        let bytes = read(&path, 5_000).unwrap();
        assert!(bytes.len() == 5_000 && bytes.iter().all(|byte| *byte == bytes[0]));
        assert_eq!(list(&folder).unwrap(), [path]);
        remove_folder(&folder).unwrap();
    }

    #[test]
    fn files_are_read_up_to_a_limit() {
        let path = std::env::temp_dir().join(format!("alfil-core-read-{}", std::process::id()));
        write_whole(&path, b"abc").unwrap();
        assert_eq!(read_text(&path, 3).unwrap(), "abc");
        assert_eq!(read(&path, 2).unwrap_err().to_string(), "it has more than 2 bytes");
        write_whole(&path, b"\xff").unwrap();
        assert!(read_text(&path, 3).is_err());
        remove(&path).unwrap();
        #[cfg(unix)]
        assert!(read(Path::new("/dev/zero"), 1000).is_err());
    }

    /// Whichever operation of a write fails, the file holds what it held or what it should hold, and no other file is
    /// left.
    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let folder = std::env::temp_dir().join(format!("alfil-core-whole-{}", std::process::id()));
        let path = folder.join("file");
        make_folder(&folder).unwrap();
        write_whole(&path, b"old").unwrap();
        for operation in 0.. {
            let faults = faults::inject(&folder, operation, false);
            let written = write_whole(&path, b"a new one");
            let failed = faults.failed().is_some();
            drop(faults);
            assert_eq!(written.is_err(), failed);
            assert_eq!(list(&folder).unwrap(), std::slice::from_ref(&path));
            let text = read_text(&path, 100).unwrap();
            assert!(text == "a new one" || text == "old" && failed, "{text}");
            if !failed {
                assert!(operation > 4);
                break;
            }
        }
        remove_folder(&folder).unwrap();
    }
}
