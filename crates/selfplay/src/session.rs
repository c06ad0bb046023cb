//! Several lanes that fill a folder with games.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use alfil_game::FullGame;
use alfil_search::{Backend, EvaluatorError, catch_panic, spawn_scoped};

use crate::chunk::{CHUNK_GAMES, ENDING};
use crate::{ChunkError, Counts, GameRecord, Lane, LaneContext, chunks, read_chunk, write_chunk};

/// A chunk is written when it is full, or after so long: what a killed process can lose.
const CHUNK_TIME: Duration = Duration::from_secs(10);

/// The name of the lanes in messages.
const PART: &str = "self-play";

/// How often a lane whose games may not begin yet asks again.
const ASK_AGAIN: Duration = Duration::from_millis(20);

/// Why games are no longer played. Those that had ended by then are written, except where that is what failed.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// A file of games.
    #[error(transparent)]
    Chunk(#[from] ChunkError),
    /// What judges positions.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
}

/// Games to be played, and where they go.
pub struct Session<'a, G: FullGame> {
    /// Which games, and how they are played.
    pub context: LaneContext<G>,
    /// Threads, each with an evaluator.
    pub lanes: usize,
    /// Makes the evaluators.
    pub backend: &'a dyn Backend<G>,
    /// Set to stop at once: games under way are dropped, those that have ended are written.
    pub stop: &'a AtomicBool,
    /// The folder for the chunks. Those that are there already are kept.
    pub folder: &'a Path,
}

impl<G: FullGame> Session<'_, G> {
    /// Plays. Tells now and then what has been done. If an evaluator fails or a lane panics, all lanes stop, and the games that
    /// have ended are written.
    pub fn run(self, tell: &mut dyn FnMut(&Counts)) -> Result<Counts, SessionError> {
        let Session { context, lanes, backend, stop, folder } = self;
        let mut next = first_free(folder)?;
        let broken = AtomicBool::new(false);
        let failed = Mutex::new(None);
        let counts = Mutex::new(vec![Counts::default(); lanes.max(1)]);
        let all = || Counts::sum(counts.lock().unwrap_or_else(PoisonError::into_inner).iter().copied());
        std::thread::scope(|scope| {
            let (finished, arrivals) = channel();
            for lane in 0..lanes.max(1) {
                let (finished, context) = (finished.clone(), context.clone());
                let (counts, failed, broken) = (&counts, &failed, &broken);
                let stopped = || stop.load(Relaxed) || broken.load(Relaxed);
                // The channel closes when the failure of the last lane is known, and not before.
                let open = finished.clone();
                let play = move || -> Result<(), EvaluatorError> {
                    // Evaluators that use chance should differ.
                    let seed_of_lane = context.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(lane as u64);
                    let evaluator = backend.evaluator(seed_of_lane)?;
                    let mut lane_of_games = Lane::new(context, evaluator);
                    while lane_of_games.is_busy() && !stopped() {
                        // Nobody listens any more if the games cannot be written.
                        lane_of_games.step(&mut |record| drop(finished.send(record)))?;
                        counts.lock().unwrap_or_else(PoisonError::into_inner)[lane] = lane_of_games.counts();
                        if lane_of_games.is_waiting() {
                            std::thread::sleep(ASK_AGAIN);
                        }
                    }
                    Ok(())
                };
                let fail = |why: EvaluatorError| {
                    failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
                    broken.store(true, Relaxed);
                };
                let work = move || {
                    catch_panic(PART, play).flatten().unwrap_or_else(fail);
                    drop(open);
                };
                if let Err(why) = spawn_scoped(PART, scope, work) {
                    fail(why);
                    break;
                }
            }
            drop(finished);
            let mut waiting: Vec<GameRecord> = Vec::new();
            let mut written = Instant::now();
            let mut write = |waiting: &mut Vec<GameRecord>| -> Result<(), ChunkError> {
                if !waiting.is_empty() {
                    write_chunk::<G>(&chunk_path(folder, next), waiting)?;
                    tracing::debug!(chunk = next, games = waiting.len(), ?folder, "chunk written");
                    next += 1;
                    waiting.clear();
                }
                Ok(())
            };
            loop {
                let over = match arrivals.recv_timeout(Duration::from_millis(250)) {
                    Ok(record) => {
                        waiting.push(record);
                        false
                    }
                    Err(RecvTimeoutError::Timeout) => false,
                    Err(RecvTimeoutError::Disconnected) => true,
                };
                if over || waiting.len() >= CHUNK_GAMES || written.elapsed() >= CHUNK_TIME {
                    written = Instant::now();
                    write(&mut waiting).inspect_err(|_| broken.store(true, Relaxed))?;
                }
                tell(&all());
                if over {
                    let failed = failed.lock().unwrap_or_else(PoisonError::into_inner).take();
                    return failed.map_or_else(|| Ok(all()), |why| Err(why.into()));
                }
            }
        })
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
pub fn next_number<G: FullGame>(folder: &Path) -> Result<u64, ChunkError> {
    let mut next = 0;
    for path in chunks(folder)? {
        let last = read_chunk::<G>(&path)?.iter().map(|record| record.number).max();
        next = next.max(last.map_or(0, |last| last.saturating_add(1)));
    }
    Ok(next)
}
