//! Several lanes that play side by side.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use alfil_game::FullGame;
use alfil_search::{Backend, EvaluatorError, catch_panic, spawn_scoped};

use crate::{Counts, GameRecord, Lane, LaneContext};

/// The name of the lanes in messages.
const PART: &str = "self-play";

/// How often a lane whose games may not begin yet asks again.
const ASK_AGAIN: Duration = Duration::from_millis(20);

/// How long to wait for a game before the caller has its turn.
const TURN: Duration = Duration::from_millis(250);

/// Lanes that play the games of their tickets.
pub struct Lanes<'a, G: FullGame> {
    /// Which games, and how they are played.
    pub context: LaneContext<G>,
    /// Threads, each with an evaluator.
    pub lanes: usize,
    /// Makes the evaluators.
    pub backend: &'a dyn Backend<G>,
    /// Set to stop at once: games under way are dropped.
    pub stop: &'a AtomicBool,
}

/// Takes a game that has ended; without one, a look at the counts.
type Taker<'a, X> = dyn FnMut(Option<GameRecord>, &Counts) -> Result<(), X> + 'a;

impl<G: FullGame> Lanes<'_, G> {
    /// Plays, and passes each game to `take` when it has ended; now and then nothing, so that it has a turn. If an evaluator fails,
    /// a lane panics or `take` does not go on, all lanes stop; games that have ended by then are passed on before a failure of
    /// theirs is returned.
    pub fn run<X: From<EvaluatorError>>(self, take: &mut Taker<'_, X>) -> Result<Counts, X> {
        let Lanes { context, lanes, backend, stop } = self;
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
                        // Nobody listens any more if the games cannot be taken.
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
            loop {
                let (record, over) = match arrivals.recv_timeout(TURN) {
                    Ok(record) => (Some(record), false),
                    Err(RecvTimeoutError::Timeout) => (None, false),
                    Err(RecvTimeoutError::Disconnected) => (None, true),
                };
                take(record, &all()).inspect_err(|_| broken.store(true, Relaxed))?;
                if over {
                    let failed = failed.lock().unwrap_or_else(PoisonError::into_inner).take();
                    return failed.map_or_else(|| Ok(all()), |why| Err(why.into()));
                }
            }
        })
    }
}
