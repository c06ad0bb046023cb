//! Everything that reads, with generated input: nothing panics, and what was read is written and read again as the same.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod contests;
mod files;
mod folders;
mod notation;
mod protocol;
mod settings;

/// A folder of a test, which is removed with it.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("alfil-fuzz-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> std::path::PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A file of the runs that commit de99b77 wrote.
fn fixture(name: &str) -> Vec<u8> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../cli/tests/de99b77/");
    std::fs::read(format!("{path}{name}")).unwrap()
}
