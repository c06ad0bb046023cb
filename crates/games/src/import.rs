//! From files of games to a folder of chunks.

use std::collections::HashSet;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use alfil_game::chess::Chess;
use alfil_game::pgn::{PgnError, PgnGame, PgnReader};
use alfil_game::{Game, Notation, Side};
use alfil_selfplay::GameRecord;
use alfil_selfplay::replay::{Replay, ReplayError};
use serde::Serialize;

use crate::finished::FinishedGame;
use crate::source::{Contents, Source, unpack};
use crate::{Filter, Skip, Skipped, leela};

/// Games that are written together: one chunk.
const TOGETHER: usize = 256;

/// Games between two reports of progress.
const REPORT: u64 = 256;

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
    /// The folder is not empty.
    #[error("{0} is not empty: name a folder that does not exist yet, or remove it first")]
    NotEmpty(PathBuf),
    /// The folder cannot be made.
    #[error("cannot make the folder {path}: {why}")]
    Folder {
        /// Which folder.
        path: PathBuf,
        /// What is wrong.
        why: io::Error,
    },
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
        let of_folder = |path: &Path, why| ImportError::Folder { path: path.to_owned(), why };
        let is_free = match alfil_core::disk::list(self.folder) {
            Ok(entries) => entries.is_empty(),
            Err(why) if why.kind() == io::ErrorKind::NotFound => true,
            Err(why) => return Err(of_folder(self.folder, why)),
        };
        if !is_free {
            return Err(ImportError::NotEmpty(self.folder.to_owned()));
        }
        // What cannot be opened is found before hours of work.
        for path in self.files {
            Source::open(path).map_err(|why| ImportError::Read { path: path.clone(), why })?;
        }
        let unfinished = self.folder.with_added_extension("unfinished");
        match alfil_core::disk::remove_folder(&unfinished) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => return Err(of_folder(&unfinished, why)),
            _ => {}
        }
        let (replay, _) = Replay::open(&unfinished)?;
        let chunks = Chunks { replay, waiting: Vec::new(), written: 0 };
        let mut state = State { chunks, imported: Imported::default(), seen: HashSet::new(), tell, stop };
        self.files.iter().try_for_each(|path| self.read(path, &mut state))?;
        let State { mut chunks, imported, .. } = state;
        if imported.games == 0 {
            let skipped: Vec<String> =
                imported.skipped.iter().map(|(why, count)| format!("{count} {}", why.text())).collect();
            let why = if skipped.is_empty() { "the files have no games".to_owned() } else { skipped.join(", ") };
            return Err(ImportError::Nothing(why));
        }
        chunks.write::<G>()?;
        let summary = serde_json::to_vec_pretty(&imported).map_err(|why| of_folder(&unfinished, why.into()))?;
        let path = unfinished.join(SUMMARY);
        alfil_core::disk::write_whole(&path, &summary).map_err(|why| of_folder(&path, why))?;
        alfil_core::disk::rename(&unfinished, self.folder).map_err(|why| of_folder(self.folder, why))?;
        Ok(imported)
    }

    /// Imports the games of a file.
    fn read(&self, path: &Path, state: &mut State<'_>) -> Result<(), ImportError> {
        let failed = |why| ImportError::Read { path: path.to_owned(), why };
        let source = Source::open(path).map_err(failed)?;
        let (bytes, read) = (source.bytes, source.read.clone());
        let look = |state: &mut State<'_>| {
            (state.tell)(Progress { file: path, read: read.load(Relaxed), bytes, games: state.imported.games });
            if state.stop.load(Relaxed) { Err(ImportError::Stopped) } else { Ok(()) }
        };
        look(state)?;
        if source.contents != Contents::Text && G::NAME != Chess::NAME {
            return Err(ImportError::NotThisGame { path: path.to_owned(), game: G::NAME });
        }
        match source.contents {
            Contents::Leela => self.take_leela(leela::read(source).map_err(failed)?, state),
            Contents::Archive => {
                for entry in tar::Archive::new(source).entries().map_err(failed)? {
                    let entry = entry.map_err(failed)?;
                    if !entry.header().entry_type().is_file() || entry.size() == 0 {
                        continue;
                    }
                    let games = unpack(BufReader::new(entry)).and_then(leela::read).map_err(failed)?;
                    self.take_leela(games, state)?;
                    look(state)?;
                }
                Ok(())
            }
            Contents::Text => {
                for (number, game) in (1..).zip(PgnReader::<G, _>::new(source).with_rules(self.rules.clone())) {
                    match game {
                        Ok(game) => self.take_pgn(game, state)?,
                        Err(PgnError::Game { .. }) => state.imported.skipped.add(Skip::Unreadable),
                        Err(PgnError::Io(why)) => return Err(failed(why)),
                    }
                    if number % REPORT == 0 {
                        look(state)?;
                    }
                }
                Ok(())
            }
        }
    }

    fn take_pgn(&self, game: PgnGame<G>, state: &mut State<'_>) -> Result<(), ImportError> {
        match game.result {
            _ if game.moves.is_empty() => state.imported.skipped.add(Skip::Empty),
            None => state.imported.skipped.add(Skip::Unfinished),
            Some(score) => self.take(FinishedGame::from_pgn(game, score), state)?,
        }
        Ok(())
    }

    fn take_leela(&self, games: Result<Vec<FinishedGame>, String>, state: &mut State<'_>) -> Result<(), ImportError> {
        match games {
            Ok(games) => games.into_iter().try_for_each(|game| self.take(game, state)),
            Err(_) => {
                state.imported.skipped.add(Skip::Unreadable);
                Ok(())
            }
        }
    }

    /// Imports a game if it passes.
    fn take(&self, game: FinishedGame, state: &mut State<'_>) -> Result<(), ImportError> {
        let is_new = |_: &[bool; 2]| state.seen.insert(game.fingerprint());
        let learnt = match self.filter.learnt(&game).map(|learnt| Some(learnt).filter(is_new)) {
            Ok(Some(learnt)) => learnt,
            skipped => {
                state.imported.skipped.add(skipped.err().unwrap_or(Skip::Duplicate));
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

/// An import at work.
struct State<'a> {
    chunks: Chunks,
    imported: Imported,
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
