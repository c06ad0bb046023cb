//! Starting processes that go on with runs, where the page may.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
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
    processes: Arc<Mutex<Processes>>,
}

/// The processes that were started here, by their runs.
#[derive(Default)]
struct Processes {
    /// Runs whose process has not ended.
    running: HashSet<String>,
    /// Why the last process of a run failed.
    failures: HashMap<String, String>,
}

impl Control {
    pub fn new(program: Option<PathBuf>) -> Control {
        Control { program, processes: Arc::default() }
    }

    pub fn is_allowed(&self) -> bool {
        self.program.is_some()
    }

    pub fn check(&self) -> Result<&Path, ApiError> {
        let refused = || ApiError::forbidden("this page may only watch: start it as alfil web --control");
        self.program.as_deref().ok_or_else(refused)
    }

    pub fn failure(&self, run: &str) -> Option<String> {
        locked(&self.processes).failures.get(run).cloned()
    }

    /// Starts the process, unless one that was started here still runs: it may not work on the run yet. It lives on when the server
    /// ends, and writes to the log of the run.
    pub fn resume(&self, run: &str, directory: &RunDirectory) -> Result<(), ApiError> {
        let program = self.check()?;
        {
            let mut processes = locked(&self.processes);
            if !processes.running.insert(run.to_owned()) {
                return Err(ApiError::conflict("a process works on the run already"));
            }
            processes.failures.remove(run);
        }
        let (processes, of) = (Arc::clone(&self.processes), run.to_owned());
        let started = start(program, directory).and_then(|(mut process, log)| {
            let wait = move || {
                let ended = process.wait();
                let mut processes = locked(&processes);
                processes.running.remove(&of);
                if !ended.as_ref().is_ok_and(ExitStatus::success) {
                    let why = last_line(&log).unwrap_or_else(|| "its process ended at once".to_owned());
                    processes.failures.insert(of, format!("the run could not go on: {why}"));
                }
            };
            std::thread::Builder::new().name("waits for a run".to_owned()).spawn(wait).map(drop)
        });
        started.map_err(|why| {
            locked(&self.processes).running.remove(run);
            ApiError::failed(format!("cannot resume the run: {why}"))
        })
    }
}

/// Starts a process that goes on with a run; also returns where it writes.
fn start(program: &Path, directory: &RunDirectory) -> io::Result<(Child, PathBuf)> {
    let log = directory.path().join("log.txt");
    let out = disk::open_log(&log)?;
    // With a slash in it, it is a path and not the name of a run.
    let path = Path::new(".").join(directory.path());
    let mut command = Command::new(program);
    command.arg("train").arg(directory.config()).arg("--run").arg(path).stdin(Stdio::null());
    command.stdout(out.try_clone()?).stderr(out);
    // ctrl-C in the terminal of the server is not meant for it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    Ok((command.spawn()?, log))
}

fn locked(processes: &Mutex<Processes>) -> MutexGuard<'_, Processes> {
    processes.lock().unwrap_or_else(PoisonError::into_inner)
}

fn last_line(log: &Path) -> Option<String> {
    let text = disk::read_text(log, LARGEST_LOG).ok()?;
    text.lines().rev().find(|line| !line.trim().is_empty()).map(one_line)
}
