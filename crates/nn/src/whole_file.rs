//! Files that appear whole or not at all.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Writes a file under a temporary name, makes sure that it has reached the disk, and gives it its name.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(format!(".partial-{}", std::process::id()));
    let write = || {
        let mut file = File::create(&partial)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&partial, path)
    };
    // Best effort: the error that matters is the first one.
    write().inspect_err(|_| drop(std::fs::remove_file(&partial)))
}
