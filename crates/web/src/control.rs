//! Starting processes that go on with runs, where the page may.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use alfil_core::disk;
use alfil_core::wording::one_line;
use alfil_train::RunDirectory;

use crate::error::ApiError;

/// Bytes of a log that are read for the reason why a process ended.
const LARGEST_LOG: u64 = 64 << 20;

/// The program that runs are resumed with, if that is allowed at all.
pub struct Control {
    program: Option<PathBuf>,
    /// Why the last process of a run failed.
    failures: Arc<Mutex<HashMap<String, String>>>,
}

impl Control {
    pub fn new(program: Option<PathBuf>) -> Control {
        Control { program, failures: Arc::default() }
    }

    pub fn is_allowed(&self) -> bool {
        self.program.is_some()
    }

    pub fn check(&self) -> Result<&Path, ApiError> {
        let refused = || ApiError::forbidden("this page may only watch: start it as alfil web --control");
        self.program.as_deref().ok_or_else(refused)
    }

    pub fn failure(&self, run: &str) -> Option<String> {
        locked(&self.failures).get(run).cloned()
    }

    /// Starts the process. It lives on when the server ends, and writes to the log of the run.
    pub fn resume(&self, run: &str, directory: &RunDirectory) -> Result<(), ApiError> {
        let program = self.check()?;
        let failed = |why: std::io::Error| ApiError::failed(format!("cannot resume the run: {why}"));
        let log = directory.path().join("log.txt");
        let out = disk::open_log(&log).map_err(failed)?;
        // With a slash in it, it is a path and not the name of a run.
        let path = Path::new(".").join(directory.path());
        let mut command = Command::new(program);
        command.arg("train").arg(directory.config()).arg("--run").arg(path).stdin(Stdio::null());
        command.stdout(out.try_clone().map_err(failed)?).stderr(out);
        // ctrl-C in the terminal of the server is not meant for it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut process = command.spawn().map_err(failed)?;
        locked(&self.failures).remove(run);
        let (failures, run) = (Arc::clone(&self.failures), run.to_owned());
        let wait = move || {
            let ended = process.wait();
            if !ended.as_ref().is_ok_and(ExitStatus::success) {
                let why = last_line(&log).unwrap_or_else(|| "its process ended at once".to_owned());
                locked(&failures).insert(run, format!("the run could not go on: {why}"));
            }
        };
        std::thread::Builder::new().name("waits for a run".to_owned()).spawn(wait).map(drop).map_err(failed)
    }
}

fn locked(failures: &Mutex<HashMap<String, String>>) -> MutexGuard<'_, HashMap<String, String>> {
    failures.lock().unwrap_or_else(PoisonError::into_inner)
}

fn last_line(log: &Path) -> Option<String> {
    let text = disk::read_text(log, LARGEST_LOG).ok()?;
    text.lines().rev().find(|line| !line.trim().is_empty()).map(one_line)
}
