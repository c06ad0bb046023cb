//! Files that appear whole or not at all.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Between the name of a file and the number of the process that writes it.
const PARTIAL: &str = ".partial-";

/// Writes a file under a temporary name, makes sure that it has reached the disk, and gives it its name.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(format!("{PARTIAL}{}", std::process::id()));
    let write = || {
        let mut file = File::create(&partial)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        rename(Path::new(&partial), path)
    };
    // Best effort: the error that matters is the first one.
    write().inspect_err(|_| drop(std::fs::remove_file(&partial)))
}

/// Gives a whole file another name, and makes sure that the name has reached the disk: what is written later may speak of it.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::rename(from, to)?;
    // Elsewhere folders cannot be opened.
    #[cfg(unix)]
    {
        let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    Ok(())
}

/// Removes what processes that were killed have left of unfinished files in a folder. Nobody may be writing there.
pub fn remove_unfinished(folder: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().contains(PARTIAL)) {
            std::fs::remove_file(path)?;
        }
    }
    Ok(())
}
