//! Folders on their way.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use alfil_core::disk;
use alfil_core::wording::shorten;
use alfil_game::Game;
use alfil_selfplay::{ChunkError, GameRecord, read_chunk};
use serde::Serialize;
use serde_json::{Value, json};

/// A larger summary is damaged.
const LARGEST: u64 = 1 << 20;

/// The entries of a summary: how the folder is made, and what is in it, which is empty until it is finished.
const SETTINGS: &str = "settings";
const RESULT: &str = "result";

/// Why a folder cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The folder is not empty.
    #[error("{0} is not empty: name a folder that does not exist yet, or remove it first")]
    NotEmpty(PathBuf),
    /// Something cannot be read or written.
    #[error("cannot use {path}: {why}")]
    Io {
        /// The folder or file.
        path: PathBuf,
        /// What is wrong.
        why: io::Error,
    },
    /// Another process is at it.
    #[error("another process is filling {0}")]
    Locked(PathBuf),
    /// Another command has been interrupted there.
    #[error("{0} is the unfinished work of another command: finish that, or remove it")]
    Foreign(PathBuf),
    /// The same command with other settings has been interrupted there.
    #[error("{path} was begun with {found}, and now it is {asked}: finish it as it was begun, or remove it")]
    Settings {
        /// The unfinished folder.
        path: PathBuf,
        /// The setting that differs, as it was.
        found: String,
        /// The same as it is now.
        asked: String,
    },
}

impl FolderError {
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> FolderError {
        move |why| FolderError::Io { path: path.to_owned(), why }
    }
}

/// A folder that appears whole: until then it is beside its place, under a name that ends in `.unfinished`.
pub(crate) struct UnfinishedFolder<'a> {
    place: &'a Path,
    path: PathBuf,
    /// The file that tells people how the folder was made, and an interrupted command whether it can go on.
    summary: &'static str,
    settings: Value,
    /// What an interrupted command has left.
    entries: Vec<PathBuf>,
    _lock: Option<File>,
}

impl<'a> UnfinishedFolder<'a> {
    /// An empty folder; what an interrupted command of the same kind has left is removed. `summary` is the name of the file that
    /// tells how it was made.
    pub fn renew(place: &'a Path, summary: &'static str) -> Result<UnfinishedFolder<'a>, FolderError> {
        let folder = UnfinishedFolder::open(place, summary)?;
        let entries = disk::list(&folder.path).map_err(FolderError::at(&folder.path))?;
        let is_of_another =
            |path: &PathBuf| path.extension().is_some_and(|ending| ending == "json") && !path.ends_with(summary);
        if entries.iter().any(is_of_another) {
            return Err(FolderError::Foreign(folder.path));
        }
        entries.iter().try_for_each(|path| disk::remove(path).map_err(FolderError::at(path)))?;
        Ok(folder)
    }

    /// The folder that an interrupted command with the same settings has left, or else an empty one.
    pub fn resume(
        place: &'a Path,
        summary: &'static str,
        settings: &impl Serialize,
    ) -> Result<UnfinishedFolder<'a>, FolderError> {
        let mut folder = UnfinishedFolder::open(place, summary)?;
        let path = folder.path.join(summary);
        folder.settings = serde_json::to_value(settings).map_err(|why| FolderError::at(&path)(why.into()))?;
        disk::remove_unfinished(&folder.path).map_err(FolderError::at(&folder.path))?;
        folder.entries = disk::list(&folder.path).map_err(FolderError::at(&folder.path))?;
        if folder.entries.is_empty() {
            folder.write_summary(&Value::Null)?;
            return Ok(folder);
        }
        match disk::read_text(&path, LARGEST) {
            Ok(text) => folder.compare(&text).map(|()| folder),
            Err(why) if why.kind() == io::ErrorKind::NotFound => Err(FolderError::Foreign(folder.path)),
            Err(why) => Err(FolderError::at(&path)(why)),
        }
    }

    fn open(place: &'a Path, summary: &'static str) -> Result<UnfinishedFolder<'a>, FolderError> {
        match disk::list(place) {
            Ok(entries) if entries.is_empty() => {}
            Ok(_) => return Err(FolderError::NotEmpty(place.to_owned())),
            Err(why) if why.kind() == io::ErrorKind::NotFound => {}
            Err(why) => return Err(FolderError::at(place)(why)),
        }
        let path = place.with_added_extension("unfinished");
        disk::make_folder(&path).map_err(FolderError::at(&path))?;
        let lock = match disk::lock_folder(&path) {
            Ok(lock) => lock,
            Err(TryLockError::WouldBlock) => return Err(FolderError::Locked(path)),
            Err(TryLockError::Error(why)) => return Err(FolderError::at(&path)(why)),
        };
        Ok(UnfinishedFolder { place, path, summary, settings: Value::Null, entries: Vec::new(), _lock: lock })
    }

    /// Where it is until it is finished.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The games of a chunk that an interrupted command has left; none if there is no such file, or it is damaged.
    pub fn games<G: Game>(&self, path: &Path) -> Result<Option<Vec<GameRecord>>, ChunkError> {
        if !self.entries.iter().any(|entry| entry == path) {
            return Ok(None);
        }
        match read_chunk::<G>(path) {
            Ok(records) => Ok(Some(records)),
            Err(why) if why.is_damage() => Ok(None),
            Err(why) => Err(why),
        }
    }

    /// Moves it to its place, with a summary.
    pub fn finish(self, result: &impl Serialize) -> Result<(), FolderError> {
        let at = FolderError::at(&self.path);
        let result = serde_json::to_value(result).map_err(|why| at(why.into()))?;
        self.write_summary(&result)?;
        disk::rename(&self.path, self.place).map_err(FolderError::at(self.place))
    }

    fn write_summary(&self, result: &Value) -> Result<(), FolderError> {
        let path = self.path.join(self.summary);
        let text = match &self.settings {
            Value::Null => result.clone(),
            settings => json!({ SETTINGS: settings, RESULT: result }),
        };
        disk::write_whole(&path, format!("{text:#}\n").as_bytes()).map_err(FolderError::at(&path))
    }

    /// Whether a summary has these settings.
    fn compare(&self, text: &str) -> Result<(), FolderError> {
        let Ok(summary) = serde_json::from_str::<Value>(text) else {
            return Err(FolderError::Foreign(self.path.clone()));
        };
        let (found, asked) = (&summary[SETTINGS], &self.settings);
        if found == asked {
            return Ok(());
        }
        let names = asked.as_object().into_iter().flatten().map(|(name, _)| name);
        let Some(name) = names.into_iter().find(|name| found[*name] != asked[*name]) else {
            return Err(FolderError::Foreign(self.path.clone()));
        };
        let say = |settings: &Value| format!("{name} {}", shorten(&settings[name].to_string()));
        Err(FolderError::Settings { path: self.path.clone(), found: say(found), asked: say(asked) })
    }
}
