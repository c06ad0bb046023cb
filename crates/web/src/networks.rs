//! Networks that people have put into the data folder.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use alfil_nn::Network;

use crate::error::ApiError;

/// Files that are looked into.
const MOST: usize = 50;

/// The networks of a folder. A request names a network; only files that are in the folder are looked at.
pub struct Networks {
    folder: PathBuf,
    /// The game of each file that has been looked into, with the time and length of the file; none if it is no network.
    known: Mutex<HashMap<String, (Stamp, Option<String>)>>,
}

type Stamp = Option<(SystemTime, u64)>;

impl Networks {
    pub fn new(folder: PathBuf) -> Networks {
        Networks { folder, known: Mutex::default() }
    }

    /// All networks, each with its game. Reads files: not for a thread that answers requests.
    pub fn games_of_all(&self) -> Vec<(String, String)> {
        let known = |(name, path): (String, PathBuf)| Some((self.game_of(&name, &path)?, name));
        self.files().into_iter().filter_map(known).map(|(game, name)| (name, game)).collect()
    }

    /// The game of the network with this name; none if there is no such network.
    pub fn game(&self, name: &str) -> Option<String> {
        self.game_of(name, &self.path(name).ok()?)
    }

    /// The file with this name.
    pub fn path(&self, name: &str) -> Result<PathBuf, ApiError> {
        let found = self.files().into_iter().find(|(known, _)| known == name).map(|(_, path)| path);
        found.ok_or_else(|| ApiError::missing("there is no such network"))
    }

    /// The files of the folder that may be networks; none if it cannot be listed.
    fn files(&self) -> Vec<(String, PathBuf)> {
        let named = |path: PathBuf| {
            let name = path.file_name()?.to_str()?.to_owned();
            [".safetensors", ".pb.gz", ".pb"].iter().any(|ending| name.ends_with(ending)).then_some((name, path))
        };
        alfil_core::disk::list(&self.folder).unwrap_or_default().into_iter().filter_map(named).take(MOST).collect()
    }

    fn game_of(&self, name: &str, path: &Path) -> Option<String> {
        let stamp = path.metadata().ok().and_then(|metadata| Some((metadata.modified().ok()?, metadata.len())));
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, game)) = known().get(name).filter(|(known, _)| *known == stamp) {
            return game.clone();
        }
        let opened = Network::open(path).inspect_err(|why| tracing::warn!(%why, "a file of data/networks is left out"));
        let game = opened.ok().map(|network| network.origin.game);
        known().insert(name.to_owned(), (stamp, game.clone()));
        game
    }
}
