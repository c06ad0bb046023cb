//! Labelled games on their way to the new folder.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use alfil_core::disk;
use alfil_game::Game;
use alfil_selfplay::{ChunkError, GameRecord, write_chunk};

use super::queue::{Job, Source};
use super::{FolderError, Labelled, UnfinishedFolder};

/// The file with the finished games of chunks that are not complete.
const INCOMPLETE: &str = "incomplete.chunk";

/// How often that file is written: what a killed process can lose.
const SAVE_INTERVAL: Duration = Duration::from_secs(2);

/// The chunks of the new folder. Each has the name and the games of a source.
pub struct Chunks {
    folder: PathBuf,
    sources: Vec<Source>,
    /// Which of them are complete.
    complete: Vec<bool>,
    /// What is in those.
    labelled: Labelled,
    /// Finished games of the others, by the place of their chunk and in it.
    open: BTreeMap<usize, Vec<Option<GameRecord>>>,
    /// Games that were finished before an interruption, by number, until they come by.
    earlier: BTreeMap<u64, GameRecord>,
    saved: Instant,
    has_unsaved: bool,
}

impl Chunks {
    /// Goes on with what is in a folder. Damaged chunks are written again.
    pub fn open<G: Game>(folder: &UnfinishedFolder<'_>, sources: &[Source]) -> Result<Chunks, ChunkError> {
        let mut chunks = Chunks {
            folder: folder.path().to_owned(),
            sources: sources.to_vec(),
            complete: vec![false; sources.len()],
            labelled: Labelled::default(),
            open: BTreeMap::new(),
            earlier: BTreeMap::new(),
            saved: Instant::now(),
            has_unsaved: false,
        };
        for (number, source) in sources.iter().enumerate() {
            if let Some(records) = folder.games::<G>(&chunks.path(source))? {
                chunks.labelled.add(&records);
                chunks.complete[number] = true;
            }
        }
        let incomplete = folder.games::<G>(&chunks.incomplete())?.unwrap_or_default();
        chunks.earlier = incomplete.into_iter().map(|record| (record.number, record)).collect();
        Ok(chunks)
    }

    /// Whether the chunk with the labels of a source's games is complete.
    pub fn has(&self, source: &Source) -> bool {
        self.complete[source.number]
    }

    /// Games that were finished before an interruption, except those of complete chunks.
    pub fn earlier(&self) -> &BTreeMap<u64, GameRecord> {
        &self.earlier
    }

    /// Games that are finished.
    pub fn games(&self) -> u64 {
        self.labelled.games + self.open.values().flatten().flatten().count() as u64
    }

    /// Adds a finished game.
    pub fn add<G: Game>(&mut self, job: Job) -> Result<(), ChunkError> {
        self.earlier.remove(&job.record.number);
        let source = &self.sources[job.chunk];
        let games = self.open.entry(job.chunk).or_insert_with(|| vec![None; source.header.games as usize]);
        games[job.place] = Some(job.record);
        self.has_unsaved = true;
        if games.iter().all(Option::is_some) {
            let records: Vec<GameRecord> = games.iter().flatten().cloned().collect();
            write_chunk::<G>(&self.path(source), &records)?;
            self.open.remove(&job.chunk);
            self.complete[job.chunk] = true;
            self.labelled.add(&records);
        }
        if self.saved.elapsed() < SAVE_INTERVAL { Ok(()) } else { self.save::<G>() }
    }

    /// Writes the finished games of chunks that are not complete.
    pub fn save<G: Game>(&mut self) -> Result<(), ChunkError> {
        if self.has_unsaved && !self.open.is_empty() {
            let games = self.open.values().flatten().flatten().chain(self.earlier.values());
            write_chunk::<G>(&self.incomplete(), &games.cloned().collect::<Vec<_>>())?;
            self.has_unsaved = false;
        }
        self.saved = Instant::now();
        Ok(())
    }

    /// Removes what is needed only until all chunks are complete.
    pub fn finish(self) -> Result<Labelled, FolderError> {
        let path = self.incomplete();
        match disk::remove(&path) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => Err(FolderError::at(&path)(why)),
            _ => Ok(self.labelled),
        }
    }

    fn path(&self, source: &Source) -> PathBuf {
        self.folder.join(source.name())
    }

    fn incomplete(&self) -> PathBuf {
        self.folder.join(INCOMPLETE)
    }
}
