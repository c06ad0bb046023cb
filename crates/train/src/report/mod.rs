//! A run as a page: one self-contained HTML file that any browser shows offline.

mod chart;
mod games;
mod instruments;
mod learning;
mod page;
mod play;
mod speed;
mod strength;

use std::path::{Path, PathBuf};

use alfil_core::settings::SettingValue;
use toml::Table;

use crate::run::{Metrics, Phase, RunDirectory, RunError, State};

/// All that a page is made from.
pub struct Report {
    /// The run's name.
    pub name: String,
    /// The text of its configuration file. Runs of other versions may have other keys: a page needs only those below.
    pub config: String,
    /// The game's name.
    pub game: String,
    /// Options of its rules.
    pub rules: String,
    /// How the network sees it.
    pub encoding: String,
    /// The size of its network.
    pub size: String,
    /// How many there will be; 0 is no limit.
    pub generations: u32,
    /// The same of epochs.
    epochs: u64,
    /// How far it has come.
    pub state: State,
    /// What was measured, one entry per generation.
    pub metrics: Vec<Metrics>,
    /// Whether it has played games, or is going to: what it learns from may all be in folders.
    plays_games: bool,
    /// Where its games are.
    replay: PathBuf,
}

/// Writes the page of a run. The run may be at work meanwhile: the page shows what is finished.
pub fn write(directory: &RunDirectory, path: &Path) -> Result<(), RunError> {
    let page = page::page(&Report::load(directory)?);
    alfil_core::disk::write_whole(path, page.as_bytes()).map_err(|why| RunError::io("write", path, why))
}

impl Report {
    /// Reads the files of a run, which may be at work meanwhile.
    pub fn load(directory: &RunDirectory) -> Result<Report, RunError> {
        let path = directory.config();
        let config = directory.read_config()?;
        let damaged = |why: toml::de::Error| RunError::Damaged { path: path.clone(), why: why.message().to_owned() };
        let table: Table = config.parse().map_err(damaged)?;
        let text = |table: Option<&Table>, key: &str| {
            table.and_then(|table| table.get(key)?.as_str()).unwrap_or_default().to_owned()
        };
        let generations = table.get("generations").and_then(|generations| generations.as_integer());
        let epochs = table.get("games").and_then(|games| games.get("epochs")?.as_integer());
        let share = table.get("games").and_then(|games| f64::from_value(games.get("share")?)).unwrap_or(1.0);
        let has_folders = table
            .get("games")
            .and_then(|games| games.get("folders")?.as_array())
            .is_some_and(|folders| !folders.is_empty());
        // The folder's own name, even if the path is only a dot.
        let folder = directory.path().canonicalize().unwrap_or_else(|_| directory.path().to_owned());
        let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned();
        // The metrics are read after the state: they may have one generation more, never one less.
        let (state, metrics) = (State::load(directory)?, Metrics::load(directory)?);
        let epochs = epochs.filter(|_| has_folders && share > 0.0);
        Ok(Report {
            plays_games: !has_folders || share < 1.0 || metrics.iter().any(Metrics::plays_games),
            name,
            game: text(Some(&table), "game"),
            rules: text(Some(&table), "rules"),
            encoding: text(Some(&table), "encoding"),
            size: text(table.get("network").and_then(|network| network.as_table()), "size"),
            generations: generations.and_then(|generations| generations.try_into().ok()).unwrap_or(0),
            epochs: epochs.and_then(|epochs| epochs.try_into().ok()).unwrap_or(0),
            state,
            metrics,
            replay: directory.replay(),
            config,
        })
    }
}

impl Report {
    /// Whether there is nothing left to do for it: all generations or all epochs are behind it.
    pub fn is_complete(&self) -> bool {
        let Report { state, generations, epochs, .. } = self;
        let has_all_epochs = *epochs > 0 && state.phase == Phase::Selfplay && state.cursor.epoch >= *epochs;
        *generations > 0 && state.generation > *generations || has_all_epochs
    }
}

/// The sum of counts, which a damaged file may have made larger than any number.
fn total(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}

/// The label of a bar's generations.
fn generations(first: &Metrics, last: &Metrics) -> String {
    match (first.generation, last.generation) {
        (first, last) if first == last => format!("generation {first}"),
        (first, last) => format!("generations {first} to {last}"),
    }
}
