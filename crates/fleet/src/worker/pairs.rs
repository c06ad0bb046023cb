//! Pairs of games of matches.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use alfil_arena::contest::Opponents;
use alfil_arena::opening::Openings;
use alfil_arena::player::{Entrant, PlayerLine};
use alfil_game::{Encoding, Game};
use alfil_nn::{EvaluatorError, catch_panic};
use alfil_search::Adjudicator;
use alfil_search::evaluators::NetworkBackend;
use alfil_train::fleet::{Played, Seat, arithmetic, is_harmless, match_settings};

use super::playing::{Done, Queue, Setting, Started};

/// How often a thread that has nothing to play looks again.
const LOOK: Duration = Duration::from_millis(20);

/// A larger number would take long to reach: openings are made one after the other.
const MOST_PAIRS: u64 = 1 << 20;

/// The name of the threads in messages.
const PART: &str = "the match";

/// What the threads have in common.
struct Match<E: Encoding> {
    players: [Entrant<E::Game>; 2],
    openings: Mutex<Openings<E::Game>>,
    seed: u64,
    queue: Arc<Queue>,
}

/// Starts threads that play pairs.
pub fn start<E: Encoding>(
    setting: &Setting<'_>,
    rules: <E::Game as Game>::Rules,
    players: &[Seat; 2],
    openings: u64,
) -> Result<Started, String> {
    let [a, b] = players.each_ref().map(|seat| entrant::<E>(seat, setting));
    let contest = Arc::new(Match::<E> {
        players: [a?, b?],
        openings: Mutex::new(Openings::random(openings, &rules)),
        seed: setting.job.task.terms.seed,
        queue: Arc::clone(&setting.queue),
    });
    // Enough to fill batches, as in a match on one machine.
    let tables = setting.worker.device.batch_sizes().preferred.max(2 * setting.worker.lanes);
    let (running, halt) = (Arc::new(AtomicUsize::new(tables)), Arc::clone(&setting.stop));
    for _ in 0..tables {
        let (contest, running) = (Arc::clone(&contest), Arc::clone(&running));
        let (stop, done, id) = (Arc::clone(&setting.stop), setting.done.clone(), Arc::clone(&setting.id));
        let steps = Arc::clone(&setting.steps);
        let play = move || {
            let stopped = || stop.load(Relaxed);
            let mut finished = |played| drop(done.send(Done::Played { job: Arc::clone(&id), played }));
            let failed = catch_panic(PART, || contest.play(&stopped, &steps, &mut finished)).flatten().err();
            if running.fetch_sub(1, Relaxed) == 1 || failed.is_some() {
                let _ = done.send(Done::Ended(failed));
            }
        };
        let started = std::thread::Builder::new().name("pairs".to_owned()).spawn(play);
        started.map_err(|why| format!("no thread can be started: {why}"))?;
    }
    Ok(Started {
        arithmetic: arithmetic::<E>(&setting.networks, &*setting.worker.device, &rules)
            .map_err(|why| why.to_string())?,
        pack,
        appetite: tables,
        // Threads look into the queue themselves. A match that is no longer played is over.
        allow: Box::new(move |pairs| {
            if pairs.is_none() {
                halt.store(true, Relaxed);
            }
        }),
    })
}

impl<E: Encoding> Match<E> {
    fn play(
        &self,
        stopped: &dyn Fn() -> bool,
        steps: &AtomicU64,
        finished: &mut dyn FnMut(Played),
    ) -> Result<(), EvaluatorError> {
        // Asked before every move of a game.
        let goes_on = || {
            steps.fetch_add(1, Relaxed);
            stopped()
        };
        let [a, b] = &self.players;
        let mut opponents = Opponents { a: a.player()?, b: b.player()?, adjudicator: Adjudicator::default() };
        while !stopped() {
            let Some(number) = self.queue.take().filter(|number| *number < MOST_PAIRS) else {
                std::thread::sleep(LOOK);
                continue;
            };
            let opening = self.openings.lock().unwrap_or_else(PoisonError::into_inner).get(number);
            if let Some(pair) = opponents.play(number, &opening, self.seed, &goes_on)? {
                finished(Played::Pair(Box::new(pair)));
            }
        }
        Ok(())
    }
}

fn entrant<E: Encoding>(seat: &Seat, setting: &Setting<'_>) -> Result<Entrant<E::Game>, String> {
    match seat {
        Seat::Network { network, visits } => {
            let network = setting.networks.get(*network).ok_or("it names a network that it has not")?;
            let backend = NetworkBackend::<E>::new(network, &*setting.worker.device).map_err(|why| why.to_string())?;
            let settings = match_settings((*visits).clamp(1, 1_000_000));
            let entrant = Entrant::pooled("network", "network", &backend, setting.worker.lanes, settings);
            entrant.map_err(|why| why.to_string())
        }
        Seat::Line(line) if is_harmless(line) => {
            let line: PlayerLine = line.parse().map_err(|why: alfil_arena::player::LineError| why.to_string())?;
            line.entrant().map_err(|why| why.to_string())
        }
        Seat::Line(_) => Err("it names a player that is a file or a program".to_owned()),
    }
}

fn pack(played: &[Played]) -> Result<Vec<u8>, String> {
    let pair = |played: &Played| match played {
        Played::Pair(pair) => Some((**pair).clone()),
        Played::Game(_) => None,
    };
    serde_json::to_vec(&played.iter().filter_map(pair).collect::<Vec<_>>()).map_err(|why| why.to_string())
}
