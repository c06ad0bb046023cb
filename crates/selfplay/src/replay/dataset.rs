//! Folders of games that are only read.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use alfil_core::checksum::Fnv;
use alfil_game::Game;
use serde::{Deserialize, Serialize};

use super::folder::Chunk;
use crate::{ChunkError, GameRecord, chunks, read_chunk, read_header};

/// Games of others to learn from: folders of chunks, of which only sizes are kept in memory. Nothing in them is ever changed.
#[derive(Clone, Debug, Default)]
pub struct Dataset {
    folders: Vec<DatasetFolder>,
    /// Those of the first folder first.
    pub(super) chunks: Vec<Chunk>,
}

/// A folder of a dataset, as a run remembers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatasetFolder {
    /// Where it is.
    pub path: PathBuf,
    /// Games in it.
    pub games: u64,
    /// Their positions.
    pub positions: u64,
    /// Follows from the checksums of its chunks: the same for the same games, wherever the folder is.
    pub fingerprint: u64,
}

/// Why a folder of games cannot be learnt from.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// There is no such folder.
    #[error("there is no folder {0}: alfil games import makes folders of games")]
    Missing(PathBuf),
    /// It cannot be listed.
    #[error("cannot read the folder {path}: {why}")]
    Folder {
        /// Which one.
        path: PathBuf,
        /// What is wrong.
        why: std::io::Error,
    },
    /// It has no games.
    #[error("there are no games in {0}: alfil games import makes folders of games")]
    Empty(PathBuf),
    /// Its games were played by other rules.
    #[error("the games in {0} were not played by the rules of the configuration")]
    Rules(PathBuf),
    /// A file of games is damaged, of another game or of another version.
    #[error(transparent)]
    Chunk(#[from] ChunkError),
}

impl Dataset {
    /// Opens folders of games of `G`. Reads the headers of all chunks, and the first chunk of each folder to see whether its games
    /// are games by these rules.
    pub fn open<G: Game>(folders: &[PathBuf], rules: &G::Rules) -> Result<Dataset, DatasetError> {
        let mut dataset = Dataset::default();
        for path in folders {
            let (folder, chunks) = read_folder(path)?;
            let games: Vec<GameRecord> = match chunks.first() {
                Some(first) => read_chunk::<G>(&first.path)?,
                None => Vec::new(),
            };
            if folder.positions == 0 {
                return Err(DatasetError::Empty(path.clone()));
            }
            if games.iter().any(|record| record.replay::<G>(rules, |_, _, _| {}).is_none()) {
                return Err(DatasetError::Rules(path.clone()));
            }
            dataset.folders.push(folder);
            dataset.chunks.extend(chunks);
        }
        Ok(dataset)
    }

    /// The folders, in the order in which they were named.
    pub fn folders(&self) -> &[DatasetFolder] {
        &self.folders
    }

    /// Games in all folders.
    pub fn games(&self) -> u64 {
        self.folders.iter().map(|folder| folder.games).sum()
    }

    /// Positions in all folders.
    pub fn positions(&self) -> u64 {
        self.folders.iter().map(|folder| folder.positions).sum()
    }
}

/// A folder and its chunks, by their headers.
fn read_folder(path: &Path) -> Result<(DatasetFolder, Vec<Chunk>), DatasetError> {
    alfil_core::disk::list(path).map_err(|why| match why.kind() {
        ErrorKind::NotFound => DatasetError::Missing(path.to_owned()),
        _ => DatasetError::Folder { path: path.to_owned(), why },
    })?;
    let mut hash = Fnv::default();
    let mut found = Vec::new();
    for path in chunks(path)? {
        let header = read_header(&path)?;
        hash.feed_word(header.checksum);
        found.push(Chunk { path, games: header.games, positions: header.positions });
    }
    let folder = DatasetFolder {
        path: path.to_owned(),
        games: found.iter().map(|chunk| chunk.games).sum(),
        positions: found.iter().map(|chunk| chunk.positions).sum(),
        fingerprint: hash.finish(),
    };
    Ok((folder, found))
}
