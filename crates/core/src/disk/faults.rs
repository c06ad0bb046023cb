//! File operations that fail because a test wants it.
//!
//! Always compiled in: a cargo feature here would compile every crate twice, and the tests would not run the program that
//! people get. Without a test that injects faults, an operation only reads one flag.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What the error of a failed operation says.
pub const SENTENCE: &str = "the test wants it to fail";

static INJECTED: AtomicBool = AtomicBool::new(false);
static PLAN: Mutex<Option<Plan>> = Mutex::new(None);
/// One test at a time.
static TURN: Mutex<()> = Mutex::new(());

struct Plan {
    folder: PathBuf,
    /// Operations that still succeed.
    left: u64,
    lasting: bool,
    failed: Option<Failed>,
}

/// An operation that failed.
#[derive(Clone, Debug)]
pub struct Failed {
    /// What was attempted, as a verb.
    pub operation: &'static str,
    /// The file or folder.
    pub path: PathBuf,
}

/// Makes operations fail as long as it lives.
pub struct Faults {
    _turn: MutexGuard<'static, ()>,
}

/// Lets one operation on the files of a folder fail after `left` others, or if it is `lasting` all from there on.
pub fn inject(folder: &Path, left: u64, lasting: bool) -> Faults {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    *plan() = Some(Plan { folder: folder.to_owned(), left, lasting, failed: None });
    INJECTED.store(true, Relaxed);
    Faults { _turn: turn }
}

impl Faults {
    /// The first operation that failed.
    pub fn failed(&self) -> Option<Failed> {
        plan().as_ref()?.failed.clone()
    }
}

impl Drop for Faults {
    fn drop(&mut self) {
        INJECTED.store(false, Relaxed);
        *plan() = None;
    }
}

fn plan() -> MutexGuard<'static, Option<Plan>> {
    PLAN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Fails if this operation is to fail.
pub(super) fn check(operation: &'static str, path: &Path) -> io::Result<()> {
    if !INJECTED.load(Relaxed) {
        return Ok(());
    }
    match plan().as_mut() {
        Some(plan) if path.starts_with(&plan.folder) => plan.count(operation, path),
        _ => Ok(()),
    }
}

impl Plan {
    fn count(&mut self, operation: &'static str, path: &Path) -> io::Result<()> {
        if self.failed.is_some() && !self.lasting {
            return Ok(());
        }
        if self.left > 0 {
            self.left -= 1;
            return Ok(());
        }
        self.failed.get_or_insert_with(|| Failed { operation, path: path.to_owned() });
        Err(io::Error::new(io::ErrorKind::StorageFull, SENTENCE))
    }
}
