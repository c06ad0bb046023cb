//! The folder of chunks.

use std::path::{Path, PathBuf};

use alfil_game::Game;

use crate::chunk::CHUNK_GAMES;
use crate::{ChunkError, GameRecord, chunks, read_chunk, read_header, write_chunk};

/// All games of a run, in chunks of which only sizes are kept in memory. Games are added in the order of their numbers, and
/// which chunk a game goes to depends on nothing else.
pub struct Replay {
    folder: PathBuf,
    chunks: Vec<Chunk>,
}

/// A chunk as the index knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    pub path: PathBuf,
    pub games: u64,
    pub positions: u64,
}

/// A chunk that could not be read and was set aside.
#[derive(Debug)]
pub struct Damage {
    /// What it is called now.
    pub path: PathBuf,
    /// What is wrong with it.
    pub why: ChunkError,
}

/// Why games cannot be added or found.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// A chunk cannot be written.
    #[error(transparent)]
    Chunk(#[from] ChunkError),
    /// The folder cannot be used.
    #[error("cannot use the folder {path}: {why}")]
    Folder {
        /// Which one.
        path: PathBuf,
        /// What is wrong.
        why: std::io::Error,
    },
}

impl Replay {
    /// Opens a folder, which is created if there is none. Damaged chunks are set aside and returned.
    pub fn open(folder: &Path) -> Result<(Replay, Vec<Damage>), ReplayError> {
        let failed = |why| ReplayError::Folder { path: folder.to_owned(), why };
        alfil_core::disk::make_folder(folder).map_err(failed)?;
        let mut replay = Replay { folder: folder.to_owned(), chunks: Vec::new() };
        let mut damaged = Vec::new();
        for path in chunks(folder)? {
            match read_header(&path) {
                Ok(header) => {
                    replay.chunks.push(Chunk { path, games: header.games, positions: header.positions });
                }
                Err(why) => damaged.push(set_aside(&path, why)?),
            }
        }
        Ok((replay, damaged))
    }

    /// Games in all chunks.
    pub fn games(&self) -> u64 {
        self.chunks.iter().map(|chunk| chunk.games).sum()
    }

    /// Positions in all chunks.
    pub fn positions(&self) -> u64 {
        self.chunks.iter().map(|chunk| chunk.positions).sum()
    }

    pub(super) fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// Whether a chunk is there and has not been set aside.
    pub(super) fn has(&self, path: &Path) -> bool {
        self.chunks.iter().any(|chunk| chunk.path == path)
    }

    /// Adds the games of a generation as chunks of their own, which are named after it. Adding a generation again,
    /// after an interruption, replaces the existing files with the same ones.
    pub fn add<G: Game>(&mut self, generation: u32, mut records: Vec<GameRecord>) -> Result<(), ReplayError> {
        records.sort_by_key(|record| record.number);
        for (part, games) in (0..).zip(records.chunks(CHUNK_GAMES)) {
            let path = self.chunk_path(generation, part);
            write_chunk::<G>(&path, games)?;
            let positions = games.iter().map(|record| record.plies.len() as u64).sum();
            let chunk = Chunk { path, games: games.len() as u64, positions };
            self.chunks.retain(|known| known.path != chunk.path);
            self.chunks.push(chunk);
        }
        self.chunks.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(())
    }

    /// Removes the chunks that a generation was added as, because its games are still elsewhere.
    pub fn take_back(&mut self, generation: u32) -> Result<(), ReplayError> {
        let adopted = self.named(&adopted_prefix(generation));
        for path in self.named(&format!("{generation:06}-")).into_iter().filter(|path| !adopted.contains(path)) {
            alfil_core::disk::remove(&path).map_err(|why| ReplayError::Folder { path: path.clone(), why })?;
            self.chunks.retain(|chunk| chunk.path != path);
        }
        Ok(())
    }

    /// Moves a chunk of a generation here from elsewhere on the same disk, and reads it. The outer error is the disk's, the inner
    /// one a damaged chunk, which is set aside where it is.
    pub fn adopt<G: Game>(
        &mut self,
        generation: u32,
        path: &Path,
    ) -> Result<Result<Vec<GameRecord>, Damage>, ReplayError> {
        let failed = |why| ReplayError::Folder { path: self.folder.clone(), why };
        let records = match read_chunk::<G>(path) {
            Ok(records) => records,
            Err(why) => return Ok(Err(set_aside(path, why)?)),
        };
        let name = |part: u64| self.folder.join(format!("{}{part:06}.games", adopted_prefix(generation)));
        let Some(new) = (0..).map(name).find(|path| !path.exists()) else { return Ok(Ok(records)) };
        alfil_core::disk::rename(path, &new).map_err(failed)?;
        let positions = records.iter().map(|record| record.plies.len() as u64).sum();
        self.chunks.push(Chunk { path: new, games: records.len() as u64, positions });
        Ok(Ok(records))
    }

    /// Chunks whose names begin with this.
    fn named(&self, prefix: &str) -> Vec<PathBuf> {
        let is_named = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix));
        self.chunks.iter().map(|chunk| chunk.path.clone()).filter(|path| is_named(path)).collect()
    }

    fn chunk_path(&self, generation: u32, part: u32) -> PathBuf {
        self.folder.join(format!("{generation:06}-{part:04}.games"))
    }

    /// The games of a generation that were adopted. Chunks that turn out to be damaged are set aside and returned.
    pub fn adopted<G: Game>(&mut self, generation: u32) -> Result<(Vec<GameRecord>, Vec<Damage>), ReplayError> {
        let (mut games, mut damages) = (Vec::new(), Vec::new());
        for path in self.named(&adopted_prefix(generation)) {
            match self.read::<G>(&path)? {
                Ok(records) => games.extend(records),
                Err(damage) => damages.push(damage),
            }
        }
        Ok((games, damages))
    }

    /// Reads a chunk. One that turns out to be damaged is set aside and no longer used.
    pub fn read<G: Game>(&mut self, path: &Path) -> Result<Result<Vec<GameRecord>, Damage>, ReplayError> {
        match read_chunk::<G>(path) {
            Ok(records) => Ok(Ok(records)),
            Err(why) => {
                let damage = set_aside(path, why)?;
                self.chunks.retain(|chunk| chunk.path != path);
                Ok(Err(damage))
            }
        }
    }
}

/// Names of adopted chunks begin with this, unlike those of `add`, so that neither overwrites the other.
fn adopted_prefix(generation: u32) -> String {
    format!("{generation:06}-adopted-")
}

/// Renames a damaged file, so that it is no longer used and can be inspected. Any other error is returned.
pub fn set_aside(path: &Path, why: ChunkError) -> Result<Damage, ReplayError> {
    if !why.is_damage() {
        return Err(why.into());
    }
    match alfil_core::disk::set_aside(path) {
        Ok(path) => Ok(Damage { path, why }),
        Err(why) => Err(ReplayError::Folder { path: path.to_owned(), why }),
    }
}
