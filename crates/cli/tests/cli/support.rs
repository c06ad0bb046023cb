//! Running the command as its users do.

use std::path::PathBuf;
#[cfg(unix)]
use std::process::Child;
use std::process::{Command, Output};
use std::time::Duration;

/// How long to wait for what has to happen, however busy the machine is.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// How often to look.
pub const LOOK: Duration = Duration::from_millis(10);

/// Waits until something is so; false if that takes longer than anything here does.
pub fn comes(mut is_so: impl FnMut() -> bool) -> bool {
    let looks = PATIENCE.as_millis() / LOOK.as_millis();
    (0..looks).any(|_| {
        let so = is_so();
        if !so {
            std::thread::sleep(LOOK);
        }
        so
    })
}

pub fn alfil(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_alfil")).args(arguments).output().unwrap()
}

pub fn stdout(arguments: &[&str]) -> String {
    let output = alfil(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

pub fn json(arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&stdout(arguments)).unwrap()
}

/// The message of a command with wrong input: one line, with exit code 2.
pub fn complaint(arguments: &[&str]) -> String {
    let output = alfil(arguments);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
    assert!(output.stdout.is_empty(), "{arguments:?} printed something anyway");
    assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    text
}

/// What ctrl-C does.
#[cfg(unix)]
pub fn interrupt(child: &Child) {
    // SAFETY: kill is a plain system call; the child has not been waited for, so that its process number is not reused.
    assert_eq!(unsafe { libc::kill(child.id() as i32, libc::SIGINT) }, 0);
}

/// Waits for a program to end.
#[cfg(unix)]
pub fn ends(child: &mut Child) {
    if !comes(|| child.try_wait().unwrap().is_some()) {
        child.kill().unwrap();
        panic!("it did not end");
    }
}

/// A temporary folder per test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("alfil-cli-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
