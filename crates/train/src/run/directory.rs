//! The files of a run.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use alfil_core::disk::{list, make_folder, read_text, remove_unfinished};
use alfil_core::settings::{SettingValue, Table};
use alfil_nn::Size;

use super::RunError;

/// Bytes of a configuration at most: all keys take some thousand.
const LARGEST_CONFIG: u64 = 1 << 20;

/// The folder of a run.
///
/// ```text
/// config.toml       the configuration, every key with its value
/// state.json        how far it has come
/// metrics.jsonl     one line per generation
/// networks/         promoted networks, and the candidate
/// checkpoints/      what training resumes from; of a network that has grown, in a folder with its size
/// selfplay/         games of the generation under way
/// replay/           games of the earlier generations
/// games/            some games to look at, and those of the gate
/// rating.jsonl      results of rating games
/// events.out.*      the same figures as metrics.jsonl, for TensorBoard, where the configuration asks for them
/// report.html       written by alfil report
/// lock              held by the process that works on the run
/// live.sock         where that process tells what it is doing
/// log.txt           written by scripts/launch
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunDirectory(PathBuf);

impl RunDirectory {
    /// The run in this folder, which need not be there yet.
    pub fn new(folder: impl Into<PathBuf>) -> RunDirectory {
        RunDirectory(folder.into())
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Whether a run has begun here.
    pub fn has_begun(&self) -> bool {
        self.state().is_file()
    }

    /// Whether a run can begin here: there is nothing except the log of scripts/launch and what a run that was killed
    /// at its start has left.
    pub fn is_free(&self) -> std::io::Result<bool> {
        let paths = match list(&self.0) {
            Err(why) if why.kind() == ErrorKind::NotFound => return Ok(true),
            paths => paths?,
        };
        let (folders, lock, log) = (self.folders(), self.lock(), self.0.join("log.txt"));
        // The lock is written first: a configuration without it is not ours.
        let files = [self.config(), self.state()].map(|path| path.display().to_string());
        let begins_like = |path: &Path| files.iter().any(|file| path.display().to_string().starts_with(file));
        let is_ours = |path: &PathBuf| {
            folders.contains(path) || *path == lock || *path == log || lock.is_file() && begins_like(path)
        };
        Ok(paths.iter().all(is_ours))
    }

    /// Makes the folders.
    pub fn create(&self) -> Result<(), RunError> {
        let make = |folder: &PathBuf| make_folder(folder).map_err(|why| RunError::io("make the folder", folder, why));
        self.folders().iter().try_for_each(make)
    }

    /// Removes what a process that was killed has left unfinished. Only for the holder of the lock.
    pub(crate) fn clean(&self) -> Result<(), RunError> {
        let clean = |folder: &PathBuf| remove_unfinished(folder).map_err(|why| RunError::io("clean", folder, why));
        self.folders().iter().try_for_each(clean)
    }

    fn folders(&self) -> [PathBuf; 6] {
        [self.0.clone(), self.networks(), self.checkpoints(), self.selfplay(), self.replay(), self.games()]
    }

    /// The configuration.
    pub fn config(&self) -> PathBuf {
        self.0.join("config.toml")
    }

    /// The text of the configuration.
    pub(crate) fn read_config(&self) -> Result<String, RunError> {
        let path = self.config();
        read_text(&path, LARGEST_CONFIG).map_err(|why| RunError::io("read", &path, why))
    }

    /// The hours that the run was planned to take when it began, if that matters to it.
    pub fn planned_hours(&self) -> Result<Option<f64>, RunError> {
        // Other keys may be of another version, or no longer allowed.
        let table = self.read_config()?.parse::<Table>().unwrap_or_default();
        let planned = table.get("training").and_then(|training| training.get("planned"));
        Ok(planned.and_then(f64::from_value).filter(|hours| *hours > 0.0))
    }

    /// How far it has come.
    pub fn state(&self) -> PathBuf {
        self.0.join("state.json")
    }

    /// What was measured, one line per generation.
    pub fn metrics(&self) -> PathBuf {
        self.0.join("metrics.jsonl")
    }

    /// Games of generations before the one under way.
    pub fn replay(&self) -> PathBuf {
        self.0.join("replay")
    }

    /// The report as an HTML page.
    pub fn report(&self) -> PathBuf {
        self.0.join("report.html")
    }

    /// The network that a generation ended with.
    pub fn network(&self, generation: u32) -> PathBuf {
        self.networks().join(format!("{generation:06}.safetensors"))
    }

    /// Promoted networks.
    pub fn networks(&self) -> PathBuf {
        self.0.join("networks")
    }

    /// Games to look at.
    pub fn games(&self) -> PathBuf {
        self.0.join("games")
    }

    pub(crate) fn candidate(&self, generation: u32) -> PathBuf {
        self.networks().join(format!("candidate-{generation:06}.safetensors"))
    }

    pub(crate) fn checkpoints(&self) -> PathBuf {
        self.0.join("checkpoints")
    }

    /// The checkpoints of a network that has grown to another size: their steps are counted anew.
    pub(crate) fn checkpoints_of(&self, size: Option<Size>) -> PathBuf {
        size.map_or_else(|| self.checkpoints(), |size| self.checkpoints().join(size.to_string()))
    }

    /// Makes that folder, and removes what a process that was killed has left unfinished in it.
    pub(crate) fn open_checkpoints(&self, size: Option<Size>) -> Result<(), RunError> {
        let folder = self.checkpoints_of(size);
        make_folder(&folder).map_err(|why| RunError::io("make the folder", &folder, why))?;
        remove_unfinished(&folder).map_err(|why| RunError::io("clean", &folder, why))
    }

    /// Games of the generation under way.
    pub fn selfplay(&self) -> PathBuf {
        self.0.join("selfplay")
    }

    pub(crate) fn rating(&self) -> PathBuf {
        self.0.join("rating.jsonl")
    }

    /// The socket at which a run that is at work can be watched.
    pub fn live(&self) -> PathBuf {
        self.0.join("live.sock")
    }

    pub(crate) fn lock(&self) -> PathBuf {
        self.0.join("lock")
    }

    /// With the visits in its name: a match with another number of visits is another match.
    pub(crate) fn gate_journal(&self, generation: u32, visits: u32) -> PathBuf {
        self.games().join(format!("gate-{generation:06}-{visits}.jsonl"))
    }

    /// The same games as PGN.
    pub(crate) fn gate_games(&self, generation: u32, visits: u32) -> PathBuf {
        self.games().join(format!("gate-{generation:06}-{visits}.pgn"))
    }

    pub(crate) fn shown_games(&self, generation: u32) -> PathBuf {
        self.games().join(format!("selfplay-{generation:06}.pgn"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_begins_in_an_empty_folder_or_where_one_was_killed_at_its_start() {
        let folder = std::env::temp_dir().join(format!("alfil-run-directory-{}", std::process::id()));
        let run = RunDirectory::new(&folder);
        assert!(run.is_free().unwrap());
        run.create().unwrap();
        std::fs::write(folder.join("log.txt"), "").unwrap();
        assert!(run.is_free().unwrap());
        std::fs::write(run.config(), "precious").unwrap();
        assert!(!run.is_free().unwrap(), "it is not ours");
        std::fs::write(run.lock(), "").unwrap();
        assert!(run.is_free().unwrap());
        std::fs::write(folder.join("other"), "").unwrap();
        assert!(!run.is_free().unwrap());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
