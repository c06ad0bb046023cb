//! Files that appear whole or not at all, and folders that are listed whole or not at all.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

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

/// Gives a whole file another name, and makes sure that the name has reached the disk: files written later may refer to
/// it.
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

/// The paths of all entries of a folder, in order. An entry that cannot be read makes the whole list an error: a caller
/// that takes a part for the whole may overwrite what is missing from it.
pub fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut paths = entries.collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    Ok(paths)
}

/// Removes unfinished files that killed processes have left in a folder. No process may be writing there.
pub fn remove_unfinished(folder: &Path) -> io::Result<()> {
    for path in list(folder)? {
        if path.file_name().is_some_and(|name| name.to_string_lossy().contains(PARTIAL)) {
            std::fs::remove_file(path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_listed_in_order_and_cleaned_of_unfinished_files() {
        let folder = std::env::temp_dir().join(format!("alfil-core-disk-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let paths = ["b", "a", "c.partial-1"].map(|name| folder.join(name));
        for path in &paths {
            write_whole(path, b"x").unwrap();
        }
        assert_eq!(list(&folder).unwrap(), [paths[1].clone(), paths[0].clone(), paths[2].clone()]);
        remove_unfinished(&folder).unwrap();
        assert_eq!(list(&folder).unwrap().len(), 2);
        // A file is not a folder, and a missing folder is not an empty one.
        assert!(list(&paths[0]).is_err());
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(list(&folder).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
