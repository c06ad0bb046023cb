//! Games of others that a run learns from: instead of self-play, or beside it.

use std::path::PathBuf;

use alfil_core::numbers::count;
use alfil_core::settings;
use alfil_core::settings::Findings;
use alfil_game::Game;
use alfil_selfplay::replay::{Dataset, DatasetFolder};

use crate::Config;
use crate::run::{RunDirectory, RunError, State};

settings! {
    /// Games of others to learn from.
    pub struct FolderSettings {
        /// Folders of games to learn from, made by alfil games import. They are only read. Without any, a run learns from its
        /// self-play.
        pub folders: Vec<String> = Vec::new();
        /// The share of the positions to learn from that come from the folders. With 1 no games are played: the run only learns
        /// from the folders. With less it plays as well, and the rest comes from the window of its own games.
        pub share: f64 = 1.0, in 0.0..=1.0;
        /// Positions to learn from in a generation without self-play.
        pub positions: u64 = 500_000, in 1..=1_000_000_000_000;
        /// The run is complete after this many epochs, in each of which every position of the folders is learnt from once; 0 leaves
        /// its end to generations.
        pub epochs: u64 = 0, in 0..=1_000_000;
    }
    check FolderSettings::check;
}

impl FolderSettings {
    fn check(&self, found: &mut Findings) {
        if self.folders.is_empty() && (self.share < 1.0 || self.epochs > 0) {
            let key = if self.epochs > 0 { "epochs" } else { "share" };
            found.warning(key, "has no effect without games.folders");
        }
    }
}

impl Config {
    /// The share of the positions to learn from that come from folders.
    pub(crate) fn folder_share(&self) -> f64 {
        if self.games.folders.is_empty() { 0.0 } else { self.games.share }
    }

    /// Whether games are played. Otherwise all that is learnt from is in folders.
    pub fn plays_games(&self) -> bool {
        self.folder_share() < 1.0
    }

    /// Opens the folders that are learnt from.
    pub(crate) fn dataset<G: Game>(&self, rules: &G::Rules) -> Result<Dataset, RunError> {
        let folders: Vec<PathBuf> = self.games.folders.iter().map(PathBuf::from).collect();
        Ok(Dataset::open::<G>(&folders, rules)?)
    }
}

/// Notes in the state which folders a run learns from. Others than before are refused: how far a run has come in them would mean
/// other games. They may have been moved.
pub(super) fn remember(dataset: &Dataset, state: &mut State, directory: &RunDirectory) -> Result<(), RunError> {
    let (before, now) = (&state.folders, dataset.folders());
    if now.is_empty() {
        return Ok(());
    }
    let names = |folders: &[DatasetFolder]| {
        folders.iter().map(|folder| folder.path.display().to_string()).collect::<Vec<_>>().join(", ")
    };
    let holds =
        |folder: &DatasetFolder| format!("{} games with {} positions", count(folder.games), count(folder.positions));
    let pairs = before.iter().zip(now);
    let changed = pairs.into_iter().find(|(before, now)| before.fingerprint != now.fingerprint);
    let why = match changed {
        _ if before.is_empty() => None,
        _ if before.len() != now.len() => Some(format!("it learns from {}, not from {}", names(before), names(now))),
        Some((before, now)) if before.path != now.path => Some(format!(
            "it learns from {}, whose games are not those of {}",
            before.path.display(),
            now.path.display()
        )),
        Some((before, now)) if holds(before) == holds(now) => {
            Some(format!("the games in {} are no longer those that it began with", now.path.display()))
        }
        Some((before, now)) => {
            Some(format!("{} had {} when it began, and has {}", now.path.display(), holds(before), holds(now)))
        }
        None => None,
    };
    if let Some(why) = why {
        return Err(RunError::Folders { run: directory.path().to_owned(), why });
    }
    state.folders = now.to_vec();
    Ok(())
}
