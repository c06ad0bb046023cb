//! What a teacher says about the positions of games, to learn from.

mod chunks;
mod queue;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

use alfil_arena::player::{Entrant, Label, LabelSettings, Played, Player, PlayerError};
use alfil_core::checksum::Fnv;
use alfil_core::seed::derive;
use alfil_game::{FullGame, Mover, Rules, Wdl};
use alfil_search::{EvaluatorError, catch_panic, spawn_scoped};
use alfil_selfplay::{ChunkError, GameRecord, Ply};
use serde::Serialize;
use serde_json::{Value, json};

use crate::unfinished::{FolderError, UnfinishedFolder};
use chunks::Chunks;
use queue::{Job, Queue, Source};

/// What says how a folder was made.
const SUMMARY: &str = "label.json";

/// The name of its threads in messages.
const PART: &str = "the labelling";

/// Has a teacher judge the positions of a folder of games, and writes the same games with what it says to a new folder.
///
/// A position that is labelled has the teacher's value and policy. All others, and those after which the rules say that the game is
/// over although it went on, are never learnt from: they have no policy, count 0 times, and their value is the game's result.
///
/// The folder appears whole. Until then finished games are in a folder beside it whose name ends in `.unfinished`, from which the same
/// labelling goes on. A game is labelled by one player that has forgotten all others, so that the folder depends neither on
/// interruptions nor on the number of threads, provided that the teacher itself is repeatable.
pub struct Labelling<'a, G: FullGame> {
    /// The folder with the games.
    pub games: &'a Path,
    /// By what rules they were played.
    pub rules: G::Rules,
    /// Who judges their positions.
    pub teacher: &'a Entrant<G>,
    /// How the teacher is asked.
    pub settings: LabelSettings,
    /// The share of positions that are labelled, from 0 to 1. Which ones follows from the numbers of games and plies.
    pub share: f64,
    /// Threads, each with a teacher of its own.
    pub threads: usize,
    /// The new folder, which must not exist or be empty.
    pub folder: &'a Path,
}

/// How far a labelling has come.
#[derive(Clone, Copy, Debug)]
pub struct LabelProgress {
    /// Games that are finished.
    pub games: u64,
    /// Games in all.
    pub of: u64,
    /// Positions that were labelled since this process began.
    pub labels: u64,
}

/// What was labelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Labelled {
    /// Games.
    pub games: u64,
    /// Their positions.
    pub positions: u64,
    /// Those with a label.
    pub labels: u64,
}

impl Labelled {
    fn add(&mut self, records: &[GameRecord]) {
        self.games += records.len() as u64;
        self.positions += records.iter().map(|record| record.plies.len() as u64).sum::<u64>();
        self.labels += records.iter().map(labels).sum::<u64>();
    }
}

/// Positions of a game that have a label.
fn labels(record: &GameRecord) -> u64 {
    record.plies.iter().filter(|ply| ply.copies > 0).count() as u64
}

/// Why games cannot be labelled. What was finished is kept.
#[derive(Debug, thiserror::Error)]
pub enum LabelError {
    /// There is nothing to label.
    #[error("there are no games in {0}: name a folder of *.games files")]
    NoGames(PathBuf),
    /// The new folder cannot be made.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A chunk cannot be read or written.
    #[error(transparent)]
    Chunk(#[from] ChunkError),
    /// A record has an illegal move.
    #[error("game {number} in {folder} is not a game of {game} by these rules")]
    NotAGame {
        /// The number of the game.
        number: u64,
        /// Where it is.
        folder: PathBuf,
        /// What it should be.
        game: &'static str,
    },
    /// The teacher has failed twice at the same game.
    #[error("the teacher '{name}' failed in game {number}, and again after a new start: {why}")]
    Teacher {
        /// The teacher's name.
        name: String,
        /// The number of the game.
        number: u64,
        /// How it failed.
        why: PlayerError,
    },
    /// The teacher's evaluator has failed, or a thread.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
    /// It was told to stop.
    #[error("stopped after {games} of {of} games: the same command goes on")]
    Stopped {
        /// Games that are finished.
        games: u64,
        /// Games in all.
        of: u64,
    },
}

/// Why a game has not been labelled.
enum GameError {
    Illegal,
    Player(PlayerError),
}

impl<G: FullGame> Labelling<'_, G> {
    /// Labels all games. `tell` is called after each of them.
    pub fn run(&self, tell: &mut dyn FnMut(LabelProgress), stop: &AtomicBool) -> Result<Labelled, LabelError> {
        let sources = Source::list(self.games)?;
        if sources.is_empty() {
            return Err(LabelError::NoGames(self.games.to_owned()));
        }
        let of = sources.iter().map(|source| source.header.games).sum();
        let unfinished = UnfinishedFolder::resume(self.folder, SUMMARY, &self.describe(&sources))?;
        let mut chunks = Chunks::open::<G>(&unfinished, &sources)?;
        let queue = Mutex::new(Queue::new(&sources, |source| !chunks.has(source), chunks.earlier().clone()));
        let halt = AtomicBool::new(false);
        let halted = || halt.load(Relaxed) || stop.load(Relaxed);
        let mut new_labels = 0;
        let mut failed = None;
        std::thread::scope(|scope| {
            // No thread goes on before its game is kept, so that a slow disk does not fill the memory.
            let (sender, arrivals) = sync_channel(0);
            for _ in 0..self.threads.max(1) {
                let (finished, queue, halted) = (sender.clone(), &queue, &halted);
                let work = move || {
                    let worked = catch_panic(PART, || self.work(queue, halted, &finished)).map_err(LabelError::from);
                    if let Err(failed) = worked.flatten() {
                        // The receiver lives as long as this thread.
                        let _ = finished.send(Err(failed));
                    }
                };
                if let Err(failed) = spawn_scoped(PART, scope, work) {
                    let _ = sender.send(Err(failed.into()));
                    break;
                }
            }
            drop(sender);
            for arrival in arrivals {
                let kept = arrival.and_then(|job| {
                    new_labels += if job.is_labelled_before { 0 } else { labels(&job.record) };
                    Ok(chunks.add::<G>(job)?)
                });
                match kept {
                    Ok(()) => tell(LabelProgress { games: chunks.games(), of, labels: new_labels }),
                    // The other threads drop their games; those that were finished before are kept.
                    Err(why) => {
                        halt.store(true, Relaxed);
                        failed.get_or_insert(why);
                    }
                }
            }
        });
        let saved = chunks.save::<G>();
        if let Some(why) = failed {
            return Err(why);
        }
        saved?;
        if chunks.games() < of {
            return Err(LabelError::Stopped { games: chunks.games(), of });
        }
        let labelled = chunks.finish()?;
        unfinished.finish(&labelled)?;
        Ok(labelled)
    }

    /// What has to be the same for an interrupted labelling to go on.
    fn describe(&self, sources: &[Source]) -> Value {
        let mut contents = Fnv::default();
        let (mut games, mut positions) = (0, 0);
        for source in sources {
            contents.feed(source.name().as_encoded_bytes());
            contents.feed_word(source.header.games);
            contents.feed_word(source.header.positions);
            games += source.header.games;
            positions += source.header.positions;
        }
        let LabelSettings { lines, temperature } = self.settings;
        json!({
            "game": G::NAME,
            "rules": self.rules.text(),
            "games": format!("{games} with {positions} positions, {:016x}", contents.finish()),
            "teacher": self.teacher.identity,
            "share": self.share,
            "lines": lines,
            "temperature": if lines > 1 { Some(temperature) } else { None },
        })
    }

    /// One thread's part.
    fn work(
        &self,
        queue: &Mutex<Queue<G>>,
        halted: &dyn Fn() -> bool,
        finished: &SyncSender<Result<Job, LabelError>>,
    ) -> Result<(), LabelError> {
        let mut teacher = self.teacher.player()?;
        while !halted() {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next()?;
            let Some(mut job) = next else { break };
            if !job.is_labelled_before {
                match self.label(&mut *teacher, &job.record, halted)? {
                    Some(plies) => job.record.plies = plies,
                    None => break,
                }
            }
            if finished.send(Ok(job)).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// The plies of a game with their labels; none if it was stopped. A teacher that fails is given a second chance.
    fn label(
        &self,
        teacher: &mut dyn Player<G>,
        record: &GameRecord,
        halted: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<Ply>>, LabelError> {
        let number = record.number;
        let mut attempt = self.try_to_label(teacher, record, halted);
        if let Err(GameError::Player(why)) = &attempt
            && !matches!(why, PlayerError::Stopped | PlayerError::Evaluator(_))
        {
            tracing::warn!(%why, game = number, teacher = self.teacher.name, "the teacher failed, and starts again");
            attempt = self.try_to_label(teacher, record, halted);
        }
        match attempt {
            Ok(plies) => Ok(Some(plies)),
            Err(GameError::Player(PlayerError::Stopped)) => Ok(None),
            Err(GameError::Player(PlayerError::Evaluator(why))) => Err(why.into()),
            Err(GameError::Player(why)) => Err(LabelError::Teacher { name: self.teacher.name.clone(), number, why }),
            Err(GameError::Illegal) => {
                Err(LabelError::NotAGame { number, folder: self.games.to_owned(), game: G::NAME })
            }
        }
    }

    fn try_to_label(
        &self,
        teacher: &mut dyn Player<G>,
        record: &GameRecord,
        halted: &dyn Fn() -> bool,
    ) -> Result<Vec<Ply>, GameError> {
        teacher.new_game(record.number).map_err(GameError::Player)?;
        let mut game = Played::new(record.begin::<G>(&self.rules).ok_or(GameError::Illegal)?);
        let (mut plies, mut moves) = (Vec::with_capacity(record.plies.len()), Vec::new());
        for (number, ply) in (0..).zip(&record.plies) {
            let now = game.now();
            now.generate(&mut moves);
            let played = moves.iter().copied().find(|&m| m.into() == ply.code).ok_or(GameError::Illegal)?;
            plies.push(if self.is_chosen(record.number, number) && now.verdict(&moves).is_none() {
                let label = teacher.label(&game, &self.settings, halted).map_err(GameError::Player)?;
                let Label { wdl, policy } = label;
                Ply::new(ply.code, policy.into_iter().map(|(m, share)| (m.into(), share)), wdl)
            } else {
                let result = Wdl::from_score(record.score().to_mover(now.side()).0);
                let mut unlabelled = Ply::new(ply.code, [], Mover(result));
                unlabelled.copies = 0;
                unlabelled
            });
            game.play(played);
        }
        Ok(plies)
    }

    /// Whether a position is among those to label.
    fn is_chosen(&self, game: u64, ply: u64) -> bool {
        (derive(game, &[ply]) as f64) < self.share * u64::MAX as f64 || self.share >= 1.0
    }
}
