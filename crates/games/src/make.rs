//! Games of varied play, where there are no others.

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use alfil_core::seed::derive;
use alfil_game::pgn::PgnGame;
use alfil_game::{FullGame, Knowledge, Rules};
use alfil_search::{EvaluatorError, catch_panic};
use alfil_selfplay::{ChunkError, GameRecord, VariedGame, has_estimates, write_chunk};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::json;

use crate::finished::FinishedGame;
use crate::unfinished::{FolderError, UnfinishedFolder};

/// What says how a folder was made.
const SUMMARY: &str = "make.json";

/// The name of this work in messages.
const PART: &str = "varied play";

/// Games that are played between two reports of progress, and written together.
const TOGETHER: u64 = 256;

/// Plays games with random openings and mistakes, for a teacher to [label](crate::Labelling): their moves are not good, and no policy
/// is to be learnt from them.
///
/// The folder appears whole; an interrupted one goes on from the chunks that it has. The same settings always give the same folder.
pub struct Make<'a, G: FullGame> {
    /// By what rules.
    pub rules: G::Rules,
    /// How many games. Of equal ones the first is kept.
    pub games: u64,
    /// What they follow from.
    pub seed: u64,
    /// The folder, which must not exist or be empty.
    pub folder: &'a Path,
}

/// What was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Made {
    /// Games.
    pub games: u64,
    /// Their positions.
    pub positions: u64,
    /// Games that were not kept: they are equal to others, or were over at once.
    pub dropped: u64,
}

/// Why games cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum MakeError {
    /// The folder cannot be made.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A chunk cannot be read or written.
    #[error(transparent)]
    Chunk(#[from] ChunkError),
    /// A thread has failed.
    #[error(transparent)]
    Thread(#[from] EvaluatorError),
    /// It was told to stop.
    #[error("stopped after {games} of {of} games: the same command goes on")]
    Stopped {
        /// Games that were played.
        games: u64,
        /// Games in all.
        of: u64,
    },
}

impl<G: FullGame> Make<'_, G> {
    /// Plays all games. `tell` gets the number of those that are played.
    pub fn run(&self, tell: &mut dyn FnMut(u64), stop: &AtomicBool) -> Result<Made, MakeError> {
        let settings = json!({
            "game": G::NAME, "rules": self.rules.text(), "games": self.games, "seed": self.seed,
        });
        let unfinished = UnfinishedFolder::resume(self.folder, SUMMARY, &settings)?;
        let has_estimates = has_estimates::<G>(&self.rules, Knowledge::Full);
        let (mut seen, mut made) = (HashSet::new(), Made::default());
        for first in (0..self.games).step_by(TOGETHER as usize) {
            if stop.load(Relaxed) {
                return Err(MakeError::Stopped { games: first, of: self.games });
            }
            let last = self.games.min(first + TOGETHER);
            let path = unfinished.path().join(format!("{:08}.games", first / TOGETHER));
            let records = match unfinished.games::<G>(&path)? {
                Some(records) => {
                    seen.extend(records.iter().map(|record| record.number));
                    records
                }
                None => {
                    let play = |number| self.play(has_estimates, number);
                    let played = || (first..last).into_par_iter().map(play).collect::<Vec<GameRecord>>();
                    let mut records = catch_panic(PART, played)?;
                    records.retain(|record| !record.plies.is_empty() && seen.insert(record.number));
                    if !records.is_empty() {
                        write_chunk::<G>(&path, &records)?;
                    }
                    records
                }
            };
            made.games += records.len() as u64;
            made.positions += records.iter().map(|record| record.plies.len() as u64).sum::<u64>();
            made.dropped = last - made.games;
            tell(last);
        }
        unfinished.finish(&made)?;
        Ok(made)
    }

    fn play(&self, has_estimates: bool, number: u64) -> GameRecord {
        let game = VariedGame::<G>::new(&self.rules, has_estimates, derive(self.seed, &[number]));
        let mut pgn = PgnGame::new(game.start);
        if !game.is_from_start {
            pgn.tags.push(("FEN".to_owned(), pgn.start.position()));
        }
        (pgn.moves, pgn.result) = (game.moves, Some(game.score));
        FinishedGame::from_pgn(pgn, game.score).into_record(|_| false)
    }
}
