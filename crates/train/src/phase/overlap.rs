//! Overlap mode: self-play continues during training and the gate.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use alfil_game::{Encoding, FullGame};
use alfil_nn::Network;
use alfil_search::evaluators::CacheCounts;
use alfil_search::{Backend, BatchSizes, Evaluation, Evaluator, EvaluatorError, spawn_scoped};
use alfil_selfplay::replay::set_aside;
use alfil_selfplay::{Counts, GameRecord, Session, Tickets, chunks, read_header};

use super::elsewhere::Games;
use super::selfplay::metrics;
use super::{Finish, Run, Tell, next_after};
use crate::Event;
use crate::run::{Phase, RunError, SelfplayMetrics};

/// How often to check whether there are enough games.
const LOOK: Duration = Duration::from_millis(200);

/// How many generations self-play may be ahead of the games that were taken into the window.
const AHEAD: u64 = 3;

impl<E: Encoding> Run<E> {
    pub(super) fn go_overlapping(&mut self, stop: &AtomicBool, tell: &mut Tell<'_>) -> Result<Finish, RunError> {
        while !self.is_complete() {
            let finish = match self.config.plays_games() {
                true => self.go_with_these_games(stop, tell)?,
                false => self.go_through_phase(stop, tell)?,
            };
            if let Some(finish) = finish {
                return Ok(finish);
            }
        }
        Ok(Finish::Complete)
    }

    /// Works until the run ends, or until games are to be played with other settings: then those under way are played to
    /// their end, and the result is none.
    fn go_with_these_games(&mut self, stop: &AtomicBool, tell: &mut Tell<'_>) -> Result<Option<Finish>, RunError> {
        let newest = Arc::new(Newest::new(Arc::clone(&self.champion), self.machine.backend::<E>(&self.champion)?));
        let mut waiting = self.adopted_games(tell)?;
        waiting.extend(self.finished_files(tell)?.into_iter().flat_map(|(_, records)| records));
        let next = next_after(&waiting, self.state.games);
        let ahead = self.most_ahead().saturating_sub(waiting.len() as u64);
        drop(waiting);
        let (halt, counts) = (AtomicBool::new(false), Mutex::new(Counts::default()));
        let tickets = Arc::new(Tickets::limited(next.., ahead));
        let folder = self.directory.selfplay();
        let session = Session {
            context: self.lane_context(Arc::clone(&tickets))?,
            lanes: self.machine.lanes,
            backend: &SwappingBackend(Arc::clone(&newest)),
            folder: &folder,
            stop: &halt,
        };
        let (machine, fleet) = (self.machine.clone(), self.config.fleet);
        let network = || newest.network();
        let games = Games::<E> { session, machine: &machine, fleet, network: &network };
        std::thread::scope(|scope| {
            let play = || games.run(&mut |now| *counts.lock().unwrap_or_else(PoisonError::into_inner) = *now);
            let player = spawn_scoped("self-play", scope, play)?;
            // A guard, so that it also happens on a panic: the scope waits for the games.
            let halting = HaltOnDrop(&halt);
            let mut games = Producer {
                counts: &counts,
                is_broken: &|| player.is_finished(),
                tickets: &tickets,
                last: (Instant::now(), Counts::default()),
            };
            let finish = self.generations(&mut games, &newest, stop, tell);
            if let Ok(None) = finish {
                tickets.close();
                while !player.is_finished() && !stop.load(Relaxed) {
                    std::thread::sleep(LOOK);
                }
            }
            drop(halting);
            let played = player.join().map_err(|panic| EvaluatorError::panicked("self-play", &*panic))?;
            let finish = finish?;
            played?;
            Ok(finish)
        })
    }

    /// How many games may begin before those of a generation are taken. Self-play must not run far ahead of training:
    /// what is played meanwhile is learnt from in one go, and each generation would take longer than the one before.
    /// But a generation must be reachable when every lane has all its games under way.
    fn most_ahead(&self) -> u64 {
        let games = self.config.selfplay.games;
        let under_way = self.machine.lanes.max(1) * self.config.selfplay.at_once;
        (AHEAD * games).max(games + under_way as u64)
    }

    fn generations(
        &mut self,
        producer: &mut Producer<'_>,
        newest: &Newest<E::Game>,
        stop: &AtomicBool,
        tell: &mut Tell<'_>,
    ) -> Result<Option<Finish>, RunError> {
        let selfplay = self.config.selfplay.clone();
        while !self.is_complete() {
            if self.config.selfplay != selfplay || !self.config.plays_games() {
                return Ok(None);
            }
            let champion = self.state.champion;
            let finished = match self.begin_phase(tell) {
                Phase::Selfplay => self.gather(producer, stop, tell)?,
                Phase::Learn => self.learn(stop, tell)?,
                Phase::Gate => self.gate(stop, tell)?,
                Phase::Rate => self.rate(stop, tell)?,
            };
            if self.state.champion != champion {
                newest.set(Arc::clone(&self.champion), self.machine.backend::<E>(&self.champion)?);
            }
            let halted = stop.load(Relaxed) || (producer.is_broken)();
            if !finished || halted && !self.is_complete() {
                return Ok(Some(Finish::Stopped));
            }
        }
        Ok(Some(Finish::Complete))
    }

    /// Waits until there are enough games for a generation, and takes them into the window. False if it was stopped
    /// earlier.
    fn gather(
        &mut self,
        producer: &mut Producer<'_>,
        stop: &AtomicBool,
        tell: &mut Tell<'_>,
    ) -> Result<bool, RunError> {
        let began = Instant::now();
        let of = self.config.selfplay.games;
        let adopted = self.adopted_games(tell)?;
        // Files that could not be read, each of which is told once.
        let mut told = BTreeSet::new();
        let (paths, games) = loop {
            let mut paths = Vec::new();
            let mut games = adopted.len() as u64;
            for path in chunks(&self.directory.selfplay())? {
                match read_header(&path) {
                    Ok(header) => games += header.games,
                    Err(why) if why.is_damage() => {
                        tell(Event::Damaged(&set_aside(&path, why)?));
                        continue;
                    }
                    Err(why) => {
                        if told.insert(path.clone()) {
                            tell(Event::Warning(&format!("{why}; it is tried again")));
                        }
                    }
                }
                paths.push(path);
            }
            let (counts, seconds) = producer.since_last();
            tell(Event::Games { games: games.min(of), of, counts: &counts, seconds });
            if games >= of {
                break (paths, games);
            }
            if stop.load(Relaxed) || (producer.is_broken)() {
                return Ok(false);
            }
            std::thread::sleep(LOOK);
        };
        self.take_in(adopted, paths, began, producer, tell)?;
        // Games that could not be read are played again.
        producer.tickets.allow(games.min(self.most_ahead()));
        Ok(true)
    }

    /// Takes these files into the window. `adopted` are games that are in it already; `began` is when the wait for
    /// games began.
    fn take_in(
        &mut self,
        adopted: Vec<GameRecord>,
        paths: Vec<PathBuf>,
        began: Instant,
        producer: &mut Producer<'_>,
        tell: &mut Tell<'_>,
    ) -> Result<(), RunError> {
        let mut games = Counts::default();
        let mut next = self.state.games;
        let mut shown = Vec::new();
        let mut take = |records: Vec<GameRecord>| {
            records.iter().for_each(|record| games.add_record(record));
            next = next_after(&records, next);
            if shown.is_empty() {
                shown = records;
            }
        };
        take(adopted);
        for path in paths {
            match self.replay.adopt::<E::Game>(self.state.generation, &path)? {
                Ok(records) => take(records),
                Err(damage) => tell(Event::Damaged(&damage)),
            }
        }
        let (work, seconds) = producer.since_last();
        producer.next_generation();
        let waited = began.elapsed().as_secs_f64();
        let policy_divergence = self.policy_divergence(&shown)?;
        self.state.pending.selfplay =
            SelfplayMetrics { seconds: waited, policy_divergence, ..metrics(&games, &work, seconds) };
        self.show(&shown, tell);
        self.end_of_games(next, games.positions)
    }
}

/// The self-play session in the background.
struct Producer<'a> {
    counts: &'a Mutex<Counts>,
    is_broken: &'a dyn Fn() -> bool,
    tickets: &'a Tickets,
    /// When the last generation's games were taken, and the work done by then.
    last: (Instant, Counts),
}

impl Producer<'_> {
    fn now(&self) -> Counts {
        *self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The work done since the last generation's games were taken, and its seconds.
    fn since_last(&self) -> (Counts, f64) {
        let (then, counts) = &self.last;
        (self.now().since(counts), then.elapsed().as_secs_f64())
    }

    /// Counts from here: the games of a generation were taken.
    fn next_generation(&mut self) {
        self.last = (Instant::now(), self.now());
    }
}

/// Halts self-play when it goes out of scope.
struct HaltOnDrop<'a>(&'a AtomicBool);

impl Drop for HaltOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// The network that games are played with.
struct Newest<G: FullGame> {
    network: Mutex<(Arc<Network>, Arc<dyn Backend<G>>)>,
    version: AtomicU64,
}

impl<G: FullGame> Newest<G> {
    fn new(network: Arc<Network>, backend: Arc<dyn Backend<G>>) -> Newest<G> {
        Newest { network: Mutex::new((network, backend)), version: AtomicU64::new(0) }
    }

    fn set(&self, network: Arc<Network>, backend: Arc<dyn Backend<G>>) {
        *self.network.lock().unwrap_or_else(PoisonError::into_inner) = (network, backend);
        self.version.fetch_add(1, Relaxed);
    }

    fn network(&self) -> Arc<Network> {
        Arc::clone(&self.network.lock().unwrap_or_else(PoisonError::into_inner).0)
    }

    fn backend(&self) -> Arc<dyn Backend<G>> {
        Arc::clone(&self.network.lock().unwrap_or_else(PoisonError::into_inner).1)
    }
}

/// Evaluators of the newest network at any time.
struct SwappingBackend<G: FullGame>(Arc<Newest<G>>);

impl<G: FullGame> Backend<G> for SwappingBackend<G> {
    fn evaluator(&self, seed: u64) -> Result<Box<dyn Evaluator<G>>, EvaluatorError> {
        Ok(Box::new(SwappingEvaluator::new(Arc::clone(&self.0), seed)?))
    }

    fn batch_sizes(&self) -> BatchSizes {
        self.0.backend().batch_sizes()
    }
}

/// An evaluator that switches to a new network between two batches: games under way continue with it.
struct SwappingEvaluator<G: FullGame> {
    newest: Arc<Newest<G>>,
    version: u64,
    seed: u64,
    inner: Box<dyn Evaluator<G>>,
    /// The cache counts of the evaluators before this one.
    before: CacheCounts,
    /// Why the new network has no evaluator.
    failed: Option<EvaluatorError>,
}

impl<G: FullGame> SwappingEvaluator<G> {
    fn new(newest: Arc<Newest<G>>, seed: u64) -> Result<SwappingEvaluator<G>, EvaluatorError> {
        let version = newest.version.load(Relaxed);
        let inner = newest.backend().evaluator(seed)?;
        Ok(SwappingEvaluator { newest, version, seed, inner, before: CacheCounts::default(), failed: None })
    }
}

impl<G: FullGame> Evaluator<G> for SwappingEvaluator<G> {
    fn add(&mut self, game: &G, moves: &[G::Move]) {
        let version = self.newest.version.load(Relaxed);
        if version != self.version && self.inner.is_empty() {
            let before = self.cache_counts();
            match self.newest.backend().evaluator(self.seed) {
                Ok(inner) => (self.version, self.inner, self.before) = (version, inner, before),
                Err(why) => self.failed = Some(why),
            }
        }
        self.inner.add(game, moves);
    }

    fn len(&self) -> usize {
        self.inner.len()
    }

    fn cache_counts(&self) -> CacheCounts {
        let now = self.inner.cache_counts();
        CacheCounts { asked: self.before.asked + now.asked, hits: self.before.hits + now.hits }
    }

    fn run(&mut self, take: &mut dyn FnMut(usize, Evaluation<'_>)) -> Result<(), EvaluatorError> {
        let evaluated = self.inner.run(take);
        self.failed.take().map_or(evaluated, Err)
    }
}
