//! Lets only one process at a time work on a run.

use std::fs::{File, TryLockError};
use std::io::Write;

use super::{RunDirectory, RunError};

/// Held as long as a process works on a run. The system releases it when the process ends, however it ends.
pub struct Lock(#[expect(dead_code, reason = "the lock lasts as long as the file is open")] File);

impl Lock {
    /// Takes the lock of a run.
    pub fn take(directory: &RunDirectory) -> Result<Lock, RunError> {
        let path = directory.lock();
        let failed = |why| RunError::io("open", &path, why);
        let mut file = File::options().create(true).append(true).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {
                // For people who want to know which process it is.
                file.set_len(0).and_then(|()| writeln!(file, "process {}", std::process::id())).map_err(failed)?;
                Ok(Lock(file))
            }
            Err(TryLockError::WouldBlock) => Err(RunError::Locked(directory.path().to_owned())),
            Err(TryLockError::Error(why)) => Err(failed(why)),
        }
    }
}
