//! Players side by side, each with the next game.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

use alfil_arena::player::{Entrant, Player, PlayerError};
use alfil_game::pgn::PgnGame;
use alfil_game::{FullGame, Notation};
use alfil_games::read_pgn;
use alfil_search::{catch_panic, spawn_scoped};

use crate::InsightError;

/// The name of its threads in messages.
const PART: &str = "the review";

/// A game to be judged.
pub struct Job<G: Notation> {
    /// Its number among the games of all files, from 1. Those that cannot be read count.
    pub number: u64,
    pub game: PgnGame<G>,
}

/// What is done with a game: by a judge, until it is told to stop.
pub type Work<'a, G, R> = dyn Fn(&mut dyn Player<G>, &Job<G>, &dyn Fn() -> bool) -> Result<R, PlayerError> + Sync + 'a;

/// Files of games, and who judges them.
pub struct Pool<'a, G: FullGame> {
    pub files: &'a [PathBuf],
    pub rules: &'a G::Rules,
    pub judge: &'a Entrant<G>,
    /// Threads, each with a judge of its own.
    pub threads: usize,
}

/// What became of the files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// Games that were read.
    pub games: u64,
    /// Those that could not be.
    pub unreadable: u64,
    /// Whether all were read, and all of them judged.
    pub is_complete: bool,
}

/// How much of the files has been read, in bytes.
#[derive(Debug, Default)]
pub struct BytesRead(AtomicU64);

impl BytesRead {
    pub fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

impl<G: FullGame> Pool<'_, G> {
    /// Bytes of all files.
    pub fn bytes(&self) -> Result<u64, InsightError> {
        let bytes = |path: &PathBuf| {
            let size = alfil_core::disk::open(path).and_then(|file| file.metadata()).map(|data| data.len());
            size.map_err(InsightError::read(path))
        };
        self.files.iter().map(bytes).sum()
    }

    /// Has every game that is `wanted` judged by `work`, in any order, and hands what comes of it to `take`, one after the other.
    /// A judge that fails is given a second chance. Ends early if `stop` becomes true; what was taken until then counts.
    pub fn run<R: Send>(
        &self,
        wanted: &(dyn Fn(&Job<G>) -> bool + Sync),
        work: &Work<'_, G, R>,
        take: &mut dyn FnMut(Job<G>, R, u64) -> Result<(), InsightError>,
        stop: &AtomicBool,
    ) -> Result<Read, InsightError> {
        let halt = AtomicBool::new(false);
        let halted = || halt.load(Relaxed) || stop.load(Relaxed);
        let bytes = BytesRead::default();
        let mut failed = None;
        let mut read = Read::default();
        let (to_work, jobs) = sync_channel::<Job<G>>(self.threads.max(1));
        let jobs = Mutex::new(Some(jobs));
        std::thread::scope(|scope| {
            let (finished, arrivals) = sync_channel(0);
            let (halted, halt, jobs, bytes) = (&halted, &halt, &jobs, &bytes);
            for _ in 0..self.threads.max(1) {
                let finished = finished.clone();
                let body = move || {
                    let worked = catch_panic(PART, || self.work(jobs, work, halted, &finished));
                    let worked = worked.map_err(InsightError::from).flatten();
                    // Without anyone to take games, the feeder would wait forever: whoever leaves early closes the queue.
                    if worked.is_err() || halted() {
                        drop(lock(jobs).take());
                    }
                    if let Err(failed) = worked {
                        // The receiver lives as long as this thread.
                        let _ = finished.send(Arrival::Failed(failed));
                    }
                };
                if let Err(error) = spawn_scoped(PART, scope, body) {
                    failed = Some(error.into());
                    halt.store(true, Relaxed);
                    drop(lock(jobs).take());
                    break;
                }
            }
            let feeder = finished.clone();
            let feed = move || {
                let fed = catch_panic(PART, || self.feed(&to_work, wanted, halted, bytes));
                let _ = feeder.send(match fed.map_err(InsightError::from).flatten() {
                    Ok(read) => Arrival::Read(read),
                    Err(failed) => Arrival::Failed(failed),
                });
            };
            if let Err(error) = spawn_scoped(PART, scope, feed) {
                failed = Some(error.into());
                halt.store(true, Relaxed);
            }
            drop(finished);
            for arrival in arrivals {
                let kept = match arrival {
                    Arrival::Finished(job, found) => take(*job, found, bytes.get()),
                    Arrival::Failed(why) => Err(why),
                    Arrival::Read(all) => {
                        read = all;
                        Ok(())
                    }
                };
                if let Err(why) = kept {
                    halt.store(true, Relaxed);
                    failed.get_or_insert(why);
                }
            }
        });
        match failed {
            Some(why) => Err(why),
            None => Ok(Read { is_complete: !stop.load(Relaxed), ..read }),
        }
    }

    /// Reads the games.
    fn feed(
        &self,
        jobs: &SyncSender<Job<G>>,
        wanted: &(dyn Fn(&Job<G>) -> bool + Sync),
        halted: &dyn Fn() -> bool,
        bytes: &BytesRead,
    ) -> Result<Read, InsightError> {
        let mut read = Read::default();
        let mut before = 0;
        for path in self.files {
            let mut of_file = 0;
            let mut take = |game: Result<PgnGame<G>, _>, progress: alfil_games::FileProgress| {
                of_file = progress.bytes;
                bytes.0.store(before + progress.read, Relaxed);
                let number = read.games + read.unreadable + 1;
                match game {
                    Ok(game) => {
                        read.games += 1;
                        let job = Job { number, game };
                        // It fails where all who work have ended.
                        if wanted(&job) && jobs.send(job).is_err() {
                            return ControlFlow::Break(());
                        }
                    }
                    Err(why) => {
                        tracing::warn!(%why, path = %path.display(), "a game was left out");
                        read.unreadable += 1;
                    }
                }
                if halted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            read_pgn(path, self.rules, &mut take).map_err(InsightError::read(path))?;
            before += of_file;
            if halted() {
                break;
            }
        }
        Ok(read)
    }

    /// One thread's part.
    fn work<R: Send>(
        &self,
        jobs: &Mutex<Option<Receiver<Job<G>>>>,
        work: &Work<'_, G, R>,
        halted: &dyn Fn() -> bool,
        finished: &SyncSender<Arrival<G, R>>,
    ) -> Result<(), InsightError> {
        let mut judge = self.judge.player()?;
        while !halted() {
            let next = lock(jobs).as_ref().and_then(|jobs| jobs.recv().ok());
            let Some(job) = next else { break };
            let Some(found) = self.judge_game(&mut *judge, &job, work, halted)? else { break };
            if finished.send(Arrival::Finished(Box::new(job), found)).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// What comes of a game; none if it was stopped.
    fn judge_game<R>(
        &self,
        judge: &mut dyn Player<G>,
        job: &Job<G>,
        work: &Work<'_, G, R>,
        halted: &dyn Fn() -> bool,
    ) -> Result<Option<R>, InsightError> {
        let mut attempt = || judge.new_game(job.number).and_then(|()| work(judge, job, halted));
        let mut found = attempt();
        if let Err(why) = &found
            && !matches!(why, PlayerError::Stopped | PlayerError::Evaluator(_))
        {
            tracing::warn!(%why, game = job.number, judge = self.judge.name, "the judge failed, and starts again");
            found = attempt();
        }
        match found {
            Ok(found) => Ok(Some(found)),
            Err(PlayerError::Stopped) => Ok(None),
            Err(PlayerError::Evaluator(why)) => Err(why.into()),
            Err(why) => Err(InsightError::Judge { name: self.judge.name.clone(), game: job.number, why }),
        }
    }
}

/// What threads send.
enum Arrival<G: Notation, R> {
    Finished(Box<Job<G>>, R),
    Failed(InsightError),
    Read(Read),
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
