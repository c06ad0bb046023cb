//! The games of a folder or of a file as records.

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use alfil_game::Notation;
use alfil_selfplay::{GameRecord, chunks, read_chunk};

use crate::finished::FinishedGame;
use crate::read::{Take, read_file};
use crate::{ImportError, Progress, Skip, Skipped};

/// Passes the games of a folder of chunks, or of a file that could be imported, to `take`. Of a file these are the records that an
/// import of it without a filter would write: numbers, tags and all. Games are by `rules` where they do not say. `tell` is called
/// now and then; of a folder it gets files in place of bytes. Returns what was left out of a file, by reason.
pub fn read_records<G: Notation>(
    path: &Path,
    rules: &G::Rules,
    take: &mut dyn FnMut(GameRecord),
    tell: &mut dyn FnMut(Progress<'_>),
    stop: &AtomicBool,
) -> Result<Skipped, ImportError> {
    let mut records = Records { path, take, tell, stop, games: 0, seen: HashSet::new(), skipped: Skipped::default() };
    if !path.is_dir() {
        read_file::<G>(path, rules, &mut records)?;
        return Ok(records.skipped);
    }
    let chunks = chunks(path)?;
    if chunks.is_empty() {
        return Err(ImportError::NoChunks(path.to_owned()));
    }
    for (number, chunk) in (0..).zip(&chunks) {
        records.progress(number, chunks.len() as u64)?;
        read_chunk::<G>(chunk)?.into_iter().for_each(|record| records.record(record));
    }
    Ok(records.skipped)
}

struct Records<'a> {
    path: &'a Path,
    take: &'a mut dyn FnMut(GameRecord),
    tell: &'a mut dyn FnMut(Progress<'_>),
    stop: &'a AtomicBool,
    games: u64,
    /// Fingerprints of the games of a file so far.
    seen: HashSet<u64>,
    skipped: Skipped,
}

impl Records<'_> {
    fn record(&mut self, record: GameRecord) {
        self.games += 1;
        (self.take)(record);
    }
}

impl Take for Records<'_> {
    fn game(&mut self, game: Result<FinishedGame, Skip>) -> Result<(), ImportError> {
        match game {
            Ok(game) if self.seen.insert(game.fingerprint()) => self.record(game.into_record(|_| true)),
            other => self.skipped.add(other.err().unwrap_or(Skip::Duplicate)),
        }
        Ok(())
    }

    fn unreadable(&mut self, _: &str) -> Result<(), ImportError> {
        self.skipped.add(Skip::Unreadable);
        Ok(())
    }

    fn progress(&mut self, read: u64, bytes: u64) -> Result<(), ImportError> {
        (self.tell)(Progress { file: self.path, read, bytes, games: self.games });
        if self.stop.load(Relaxed) { Err(ImportError::Stopped) } else { Ok(()) }
    }
}
