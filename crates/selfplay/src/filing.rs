//! Finished games on their way into the chunks of a folder.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use alfil_game::Game;

use crate::chunk::{CHUNK_GAMES, ENDING};
use crate::{ChunkError, GameRecord, chunks, read_chunk, write_chunk};

/// A chunk is written when it is full, or after so long: what a killed process can lose.
const CHUNK_TIME: Duration = Duration::from_secs(10);

/// Finished games that are written in chunks with the next free numbers.
pub struct Filing<G> {
    folder: PathBuf,
    next: u64,
    waiting: Vec<GameRecord>,
    written: Instant,
    game: PhantomData<fn() -> G>,
}

impl<G: Game> Filing<G> {
    /// Adds to the chunks of this folder.
    pub fn open(folder: &Path) -> Result<Filing<G>, ChunkError> {
        let next = first_free(folder)?;
        let (waiting, written) = (Vec::new(), Instant::now());
        Ok(Filing { folder: folder.to_owned(), next, waiting, written, game: PhantomData })
    }

    /// Takes games, which are in memory until they are [written](Filing::write).
    pub fn add(&mut self, records: impl IntoIterator<Item = GameRecord>) {
        self.waiting.extend(records);
    }

    /// Whether it is time to write.
    pub fn is_due(&self) -> bool {
        self.waiting.len() >= CHUNK_GAMES || self.written.elapsed() >= CHUNK_TIME
    }

    /// Writes what waits, and returns when it has reached the disk.
    pub fn write(&mut self) -> Result<(), ChunkError> {
        self.written = Instant::now();
        if !self.waiting.is_empty() {
            write_chunk::<G>(&chunk_path(&self.folder, self.next), &self.waiting)?;
            tracing::debug!(chunk = self.next, games = self.waiting.len(), folder = ?self.folder, "chunk written");
            self.next += 1;
            self.waiting.clear();
        }
        Ok(())
    }
}

fn chunk_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number:08}.{ENDING}"))
}

/// The number after the highest chunk's.
fn first_free(folder: &Path) -> Result<u64, ChunkError> {
    let chunks = chunks(folder)?;
    let numbers = chunks.iter().filter_map(|path| path.file_stem()?.to_str()?.parse::<u64>().ok());
    Ok(numbers.max().map_or(0, |last| last + 1))
}

/// The number of the first game that a folder of games of `G` has not, nor any after it. Reads all chunks.
pub fn next_number<G: Game>(folder: &Path) -> Result<u64, ChunkError> {
    let mut next = 0;
    for path in chunks(folder)? {
        let last = read_chunk::<G>(&path)?.iter().map(|record| record.number).max();
        next = next.max(last.map_or(0, |last| last.saturating_add(1)));
    }
    Ok(next)
}
