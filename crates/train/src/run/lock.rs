//! Lets only one process at a time work on a run.

use std::fs::{File, TryLockError};

use alfil_core::disk::{AppendFile, lock_folder};

use super::{RunDirectory, RunError};

/// Held as long as a process works on a run. The system releases it when the process ends, however it ends.
pub struct Lock {
    _file: AppendFile,
    /// The folder is locked as well: the file can be deleted while a process holds it, and the next process would lock a
    /// file of its own.
    _folder: Option<File>,
}

impl Lock {
    /// Takes the lock of a run.
    pub fn take(directory: &RunDirectory) -> Result<Lock, RunError> {
        let refused = |error| match error {
            TryLockError::WouldBlock => RunError::Locked(directory.path().to_owned()),
            TryLockError::Error(why) => RunError::io("lock", directory.path(), why),
        };
        let folder = lock_folder(directory.path()).map_err(refused)?;
        let path = directory.lock();
        let mut file = AppendFile::open(&path).map_err(|why| RunError::io("open", &path, why))?;
        file.try_lock().map_err(refused)?;
        // For people who want to know which process it is.
        let owner = format!("process {}\n", std::process::id());
        let written = file.truncate(0).and_then(|()| file.append(owner.as_bytes()));
        written.map_err(|why| RunError::io("write", &path, why))?;
        Ok(Lock { _file: file, _folder: folder })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deleted_lock_still_keeps_others_out() {
        let folder = std::env::temp_dir().join(format!("alfil-run-lock-{}", std::process::id()));
        let run = RunDirectory::new(&folder);
        run.create().unwrap();
        let lock = Lock::take(&run).unwrap();
        assert!(matches!(Lock::take(&run), Err(RunError::Locked(_))));
        std::fs::remove_file(run.lock()).unwrap();
        assert!(matches!(Lock::take(&run), Err(RunError::Locked(_))));
        drop(lock);
        Lock::take(&run).unwrap();
        std::fs::remove_dir_all(folder).unwrap();
    }
}
