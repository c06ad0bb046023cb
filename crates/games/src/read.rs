//! The games of a file, one after the other.

use std::io::BufReader;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;

use alfil_game::chess::Chess;
use alfil_game::pgn::{PgnError, PgnGame, PgnReader};
use alfil_game::{Game, Notation};

use crate::finished::FinishedGame;
use crate::source::{Contents, Source, unpack};
use crate::{ImportError, Skip, leela};

/// Games between two reports of progress.
const REPORT: u64 = 256;

/// What is done with the games of a file.
pub trait Take {
    /// A game, or why there is none.
    fn game(&mut self, game: Result<FinishedGame, Skip>) -> Result<(), ImportError>;

    /// Something that cannot be read, and what is wrong with it.
    fn unreadable(&mut self, why: &str) -> Result<(), ImportError>;

    /// Bytes of the file that have been read, as it is packed, and those of the whole file.
    fn progress(&mut self, read: u64, bytes: u64) -> Result<(), ImportError>;
}

/// Reads a file of any kind. Games are by `rules` where they do not say.
pub fn read_file<G: Notation>(path: &Path, rules: &G::Rules, take: &mut impl Take) -> Result<(), ImportError> {
    let failed = |why| ImportError::Read { path: path.to_owned(), why };
    let source = Source::open(path).map_err(failed)?;
    let (bytes, read) = (source.bytes, source.read.clone());
    take.progress(0, bytes)?;
    if source.contents != Contents::Text && G::NAME != Chess::NAME {
        return Err(ImportError::NotThisGame { path: path.to_owned(), game: G::NAME });
    }
    match source.contents {
        Contents::Leela => take_leela(leela::read(source).map_err(failed)?, &path.display().to_string(), take),
        Contents::Archive => {
            for entry in tar::Archive::new(source).entries().map_err(failed)? {
                let entry = entry.map_err(failed)?;
                if !entry.header().entry_type().is_file() || entry.size() == 0 {
                    continue;
                }
                let name = entry.path().map(|path| path.display().to_string()).unwrap_or_default();
                // A damaged member says nothing about the others; of a damaged archive the next header cannot be read.
                match unpack(BufReader::new(entry)).and_then(leela::read) {
                    Ok(games) => take_leela(games, &format!("{name} in {}", path.display()), take)?,
                    Err(why) => take.unreadable(&format!("{name} in {}: {why}", path.display()))?,
                }
                take.progress(read.load(Relaxed), bytes)?;
            }
            Ok(())
        }
        Contents::Text => {
            for (number, game) in (1..).zip(PgnReader::<G, _>::new(source).with_rules(rules.clone())) {
                match game {
                    Ok(game) => take.game(finished(game))?,
                    Err(why @ PgnError::Game { .. }) => take.unreadable(&format!("{}: {why}", path.display()))?,
                    Err(PgnError::Io(why)) => return Err(failed(why)),
                }
                if number % REPORT == 0 {
                    take.progress(read.load(Relaxed), bytes)?;
                }
            }
            Ok(())
        }
    }
}

fn finished<G: Notation>(game: PgnGame<G>) -> Result<FinishedGame, Skip> {
    match game.result {
        _ if game.moves.is_empty() => Err(Skip::Empty),
        None => Err(Skip::Unfinished),
        Some(score) => Ok(FinishedGame::from_pgn(game, score)),
    }
}

fn take_leela(games: Result<Vec<FinishedGame>, String>, name: &str, take: &mut impl Take) -> Result<(), ImportError> {
    match games {
        Ok(games) => games.into_iter().try_for_each(|game| take.game(Ok(game))),
        Err(why) => take.unreadable(&format!("{name}: {why}")),
    }
}
