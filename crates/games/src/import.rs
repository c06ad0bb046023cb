//! From files of games to a folder of chunks.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use alfil_game::{Notation, Side};
use alfil_selfplay::replay::{Replay, ReplayError};
use alfil_selfplay::{ChunkError, GameRecord};
use serde::Serialize;

use crate::finished::FinishedGame;
use crate::read::{Take, read_file};
use crate::records::read_records;
use crate::source::Source;
use crate::unfinished::{FolderError, UnfinishedFolder};
use crate::{Filter, Skip, Skipped};

/// Games that are written together: one chunk.
const TOGETHER: usize = 256;

/// What says how a folder was made. Nothing reads it but people.
const SUMMARY: &str = "import.json";

/// Reads files of games and writes those that pass the filter to a new folder.
///
/// The folder appears whole: until all files are read, its chunks are in a folder beside it whose name ends in `.unfinished`, which
/// the next import to the same place removes. The same files, rules and filter always give the same folder.
pub struct Import<'a, G: Notation> {
    /// The files, in the order in which they are read: of two equal games the first stays.
    pub files: &'a [PathBuf],
    /// By what rules the games were played, where they do not say.
    pub rules: G::Rules,
    /// Which games.
    pub filter: Filter,
    /// Files of games and folders of chunks whose games are left out: those that something else is measured on.
    pub except: &'a [PathBuf],
    /// The folder, which must not exist or be empty.
    pub folder: &'a Path,
}

/// How far an import has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The file that is being read.
    pub file: &'a Path,
    /// Bytes of this file that have been read, as it is packed, and those of the whole file.
    pub read: u64,
    /// See `read`.
    pub bytes: u64,
    /// Games imported so far.
    pub games: u64,
}

/// What was imported.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Imported {
    /// Games.
    pub games: u64,
    /// Their positions.
    pub positions: u64,
    /// Those whose move is learnt.
    pub learnt: u64,
    /// Games that were not imported, by reason.
    pub skipped: Skipped,
    /// Where the first of them was that cannot be read, and what is wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_unreadable: Option<String>,
}

/// Why games cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file cannot be read to its end.
    #[error("cannot read {path}: {why}")]
    Read {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        why: io::Error,
    },
    /// Leela's training data for another game than chess.
    #[error("{path} is training data of Leela, which plays chess, and the game is {game}")]
    NotThisGame {
        /// Which file.
        path: PathBuf,
        /// The game that was asked for.
        game: &'static str,
    },
    /// The folder cannot be made.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A chunk cannot be read.
    #[error(transparent)]
    Chunk(#[from] ChunkError),
    /// A folder without chunks.
    #[error("there are no games in {0}: name a folder of *.games files, or a PGN file")]
    NoChunks(PathBuf),
    /// A chunk cannot be written.
    #[error(transparent)]
    Write(#[from] ReplayError),
    /// No game has passed the filter.
    #[error("there is no game to import: {0}")]
    Nothing(String),
    /// It was told to stop.
    #[error("stopped before all files were read: nothing is imported")]
    Stopped,
}

impl<G: Notation> Import<'_, G> {
    /// Imports all games. `tell` is called now and then.
    pub fn run(&self, tell: &mut dyn FnMut(Progress<'_>), stop: &AtomicBool) -> Result<Imported, ImportError> {
        // What cannot be opened is found before hours of work.
        for path in self.files {
            Source::open(path).map_err(|why| ImportError::Read { path: path.clone(), why })?;
        }
        let mut excepted = HashSet::new();
        for path in self.except {
            let mut leave_out = |record: GameRecord| {
                excepted.insert(record.number);
            };
            read_records::<G>(path, &self.rules, &mut leave_out, tell, stop)?;
        }
        let unfinished = UnfinishedFolder::renew(self.folder, SUMMARY)?;
        let (replay, _) = Replay::open(unfinished.path())?;
        let chunks = Chunks { replay, waiting: Vec::new(), written: 0 };
        let mut state = State { chunks, imported: Imported::default(), excepted, seen: HashSet::new(), tell, stop };
        self.files.iter().try_for_each(|path| self.read(path, &mut state))?;
        let State { mut chunks, imported, .. } = state;
        if imported.games == 0 {
            let skipped: Vec<String> =
                imported.skipped.iter().map(|(why, count)| format!("{count} {}", why.text())).collect();
            let mut why = if skipped.is_empty() { "the files have no games".to_owned() } else { skipped.join(", ") };
            if let Some(first) = &imported.first_unreadable {
                why = format!("{why}; the first that cannot be read: {first}");
            }
            return Err(ImportError::Nothing(why));
        }
        chunks.write::<G>()?;
        unfinished.finish(&imported)?;
        Ok(imported)
    }

    /// Imports the games of a file.
    fn read(&self, path: &Path, state: &mut State<'_>) -> Result<(), ImportError> {
        read_file::<G>(path, &self.rules, &mut Importing { import: self, path, state })
    }

    /// Imports a game if it passes.
    fn take(&self, game: FinishedGame, state: &mut State<'_>) -> Result<(), ImportError> {
        let learnt = match self.filter.learnt(&game) {
            Ok(_) if state.excepted.contains(&game.number()) => Err(Skip::Excepted),
            Ok(_) if !state.seen.insert(game.fingerprint()) => Err(Skip::Duplicate),
            passed => passed,
        };
        let learnt = match learnt {
            Ok(learnt) => learnt,
            Err(why) => {
                state.imported.skipped.add(why);
                return Ok(());
            }
        };
        let record = game.into_record(|side| if side == Side::First { learnt[0] } else { learnt[1] });
        state.imported.games += 1;
        state.imported.positions += record.plies.len() as u64;
        state.imported.learnt += record.plies.iter().filter(|ply| ply.has_policy()).count() as u64;
        Ok(state.chunks.add::<G>(record)?)
    }
}

/// An import that reads one of its files.
struct Importing<'a, 's, G: Notation> {
    import: &'a Import<'a, G>,
    path: &'a Path,
    state: &'a mut State<'s>,
}

impl<G: Notation> Take for Importing<'_, '_, G> {
    fn game(&mut self, game: Result<FinishedGame, Skip>) -> Result<(), ImportError> {
        match game {
            Ok(game) => self.import.take(game, self.state)?,
            Err(why) => self.state.imported.skipped.add(why),
        }
        Ok(())
    }

    fn unreadable(&mut self, why: &str) -> Result<(), ImportError> {
        self.state.imported.skipped.add(Skip::Unreadable);
        self.state.imported.first_unreadable.get_or_insert_with(|| why.to_owned());
        Ok(())
    }

    fn progress(&mut self, read: u64, bytes: u64) -> Result<(), ImportError> {
        let State { tell, imported, stop, .. } = &mut *self.state;
        tell(Progress { file: self.path, read, bytes, games: imported.games });
        if stop.load(Relaxed) { Err(ImportError::Stopped) } else { Ok(()) }
    }
}

/// An import at work.
struct State<'a> {
    chunks: Chunks,
    imported: Imported,
    /// Numbers of the games that are left out: eight bytes for each.
    excepted: HashSet<u64>,
    /// Fingerprints of the games so far: eight bytes for each.
    seen: HashSet<u64>,
    tell: &'a mut dyn FnMut(Progress<'_>),
    stop: &'a AtomicBool,
}

/// Records on their way to the folder.
struct Chunks {
    replay: Replay,
    waiting: Vec<GameRecord>,
    written: u32,
}

impl Chunks {
    fn add<G: Notation>(&mut self, record: GameRecord) -> Result<(), ReplayError> {
        self.waiting.push(record);
        if self.waiting.len() == TOGETHER { self.write::<G>() } else { Ok(()) }
    }

    fn write<G: Notation>(&mut self) -> Result<(), ReplayError> {
        let records = std::mem::take(&mut self.waiting);
        self.replay.add::<G>(self.written, records)?;
        self.written += 1;
        Ok(())
    }
}
