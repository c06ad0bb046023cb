//! A run at work: the phases of its generations, one after the other.

mod checkpoint;
mod gate;
mod learn;
mod overlap;
mod rate;
mod selfplay;
mod show;

pub use gate::{GateKind, GateSettings};
pub use learn::TrainingSettings;
pub use rate::RatingSettings;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use alfil_arena::exam::Exam;
use alfil_core::seed::derive;
use alfil_game::{Encoding, Game, References};
use alfil_nn::learning::Learner;
use alfil_nn::{Architecture, Network, Origin};
use alfil_selfplay::replay::Replay;
use alfil_selfplay::{GameRecord, Judge, chunks};

use crate::config::render;
use crate::run::{Lock, Metrics, Phase, RunDirectory, RunError, State};
use crate::{Config, Event, Machine};

/// Listens to a run.
type Tell<'a> = dyn FnMut(Event<'_>) + 'a;

/// A run at work. Nobody else can work on it meanwhile.
pub struct Run<E: Encoding> {
    directory: RunDirectory,
    config: Config,
    rules: <E::Game as Game>::Rules,
    architecture: Architecture,
    /// Knows results that end games of self-play before the rules do.
    judge: Option<Judge<E::Game>>,
    machine: Machine,
    state: State,
    replay: Replay,
    learner: Box<dyn Learner>,
    champion: Arc<Network>,
    /// Positions with known best moves, made when they are first needed.
    exam: Option<Exam<E::Game>>,
    /// When the time that is not in the state yet began.
    clock: Instant,
    _lock: Lock,
}

/// How a run came to a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// All generations are done.
    Complete,
    /// It was told to stop.
    Stopped,
}

/// What chance is needed for.
#[derive(Clone, Copy)]
enum Purpose {
    Weights,
    Games,
    Draw,
    HeldOut,
    Statistics,
    Gate,
    Rating,
    Exam,
    Calibration,
}

/// Ends games as the endgame tables that a configuration names know they will, if it names any.
fn judge<G: References>(config: &Config) -> Result<Option<Judge<G>>, RunError> {
    let folders = &config.selfplay.adjudication.syzygy;
    if folders.is_empty() {
        return Ok(None);
    }
    let tables = G::tablebase(folders)?;
    Ok(Some(Arc::new(move |game: &G| Some(tables.outcome(game)?.score))))
}

impl<E: Encoding> Run<E> {
    /// Begins a run, or goes on with one that was begun with the same game, encoding, network and seed.
    pub fn open(
        directory: RunDirectory,
        config: Config,
        machine: Machine,
        tell: &mut Tell<'_>,
    ) -> Result<Run<E>, RunError> {
        // What cannot be used shows now: before anything is written, and not after hours.
        let rules = Self::check(&config)?;
        let judge = judge(&config)?;
        directory.create().map_err(|why| RunError::io("make the folders of", directory.path(), why))?;
        let lock = Lock::take(&directory)?;
        directory.clean().map_err(|why| RunError::io("clean", directory.path(), why))?;
        let architecture = config.architecture()?;
        let begun = directory.has_begun();
        if begun {
            refuse_changes(&directory, &config)?;
        }
        let path = directory.config();
        let written = alfil_core::disk::write_whole(&path, render(&config).as_bytes());
        written.map_err(|why| RunError::io("write", &path, why))?;
        let seed = derive(config.seed, &[Purpose::Weights as u64]);
        let mut learner = (machine.learner)(&architecture, &config.encoding, config.training.learning.clone(), seed)?;
        let state = if begun { State::load(&directory)? } else { State::new() };
        if !begun {
            let weights = learner.export(&mut std::iter::empty())?;
            let origin = Origin { generation: Some(0), steps: Some(0), ..Origin::of::<E>() };
            Network { architecture: architecture.clone(), weights, origin }.save(&directory.network(0))?;
            state.save(&directory)?;
        }
        Metrics::forget_from(state.generation, &directory)?;
        checkpoint::restore(learner.as_mut(), &state, &directory, tell)?;
        let (replay, damages) = Replay::open(&directory.replay())?;
        damages.iter().for_each(|damage| tell(Event::Damaged(damage)));
        let champion = Network::load(&directory.network(state.champion))?;
        champion.check_encoding::<E>()?;
        let mut run = Run {
            champion: Arc::new(champion),
            exam: None,
            clock: Instant::now(),
            _lock: lock,
            directory,
            config,
            rules,
            architecture,
            judge,
            machine,
            state,
            replay,
            learner,
        };
        run.settle(tell)?;
        Ok(run)
    }

    /// Whether a run can have this configuration: what it names is there, and is of the game. Tells the rules.
    pub fn check(config: &Config) -> Result<<E::Game as Game>::Rules, RunError> {
        let rules = config.game_rules::<E::Game>()?;
        config.check_game::<E::Game>(&rules)?;
        config.selfplay.starts.listed::<E::Game>(&rules)?;
        judge::<E::Game>(config)?;
        rate::baselines::<E::Game>(config)?;
        Ok(rules)
    }

    /// Brings finished games in order if the run goes on in the other mode.
    fn settle(&mut self, tell: &mut Tell<'_>) -> Result<(), RunError> {
        let overlap = self.machine.overlap;
        if self.state.overlap == overlap {
            return Ok(());
        }
        if !overlap {
            // Their numbers may lie below those of games in the window: they join them as they are.
            for path in chunks(&self.directory.selfplay())? {
                if let Err(damage) = self.replay.adopt::<E::Game>(self.gathering(), &path)? {
                    tell(Event::Damaged(&damage));
                }
            }
            self.state.games = next_after(&self.adopted_games(tell)?, self.state.games);
        } else {
            if self.state.phase == Phase::Selfplay {
                // Added with no time left to say so: their files are still in the folder for self-play.
                self.replay.take_back(self.state.generation)?;
            }
            self.remove_taken_games(tell)?;
        }
        self.state.overlap = overlap;
        self.state.save(&self.directory)
    }

    /// The generation that games are gathered for: this one or, when it has its games, the next.
    fn gathering(&self) -> u32 {
        self.state.generation + u32::from(self.state.phase != Phase::Selfplay)
    }

    /// Games of that generation that are in the window already: an interruption has left no time to say so, or the run goes on
    /// in the other mode.
    fn adopted_games(&mut self, tell: &mut Tell<'_>) -> Result<Vec<GameRecord>, RunError> {
        let (games, damages) = self.replay.adopted::<E::Game>(self.gathering())?;
        damages.iter().for_each(|damage| tell(Event::Damaged(damage)));
        Ok(games)
    }

    /// How far the run has come.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Goes on until all generations are done or `stop` is set.
    pub fn go(&mut self, stop: &AtomicBool, tell: &mut Tell<'_>) -> Result<Finish, RunError> {
        let finish =
            if self.machine.overlap { self.go_overlapping(stop, tell) } else { self.go_alternating(stop, tell) };
        self.note_time();
        self.state.save(&self.directory)?;
        finish
    }

    fn go_alternating(&mut self, stop: &AtomicBool, tell: &mut Tell<'_>) -> Result<Finish, RunError> {
        while !self.is_complete() {
            let finished = match self.begin_phase(tell) {
                Phase::Selfplay => self.play(stop, tell)?,
                Phase::Learn => self.learn(stop, tell)?,
                Phase::Gate => self.gate(stop, tell)?,
                Phase::Rate => self.rate(stop, tell)?,
            };
            if !finished || stop.load(Relaxed) && !self.is_complete() {
                return Ok(Finish::Stopped);
            }
        }
        Ok(Finish::Complete)
    }

    fn begin_phase(&self, tell: &mut Tell<'_>) -> Phase {
        let phase = self.state.phase;
        tell(Event::Phase { generation: self.state.generation, phase });
        phase
    }

    fn is_complete(&self) -> bool {
        self.config.generations > 0 && self.state.generation > self.config.generations
    }

    /// Goes over to the next phase. What belongs to the one before is on the disk.
    fn enter(&mut self, phase: Phase) -> Result<(), RunError> {
        self.note_time();
        self.state.phase = phase;
        self.state.save(&self.directory)
    }

    fn note_time(&mut self) {
        self.state.seconds += self.clock.elapsed().as_secs_f64();
        self.clock = Instant::now();
    }

    /// A seed for a purpose in this generation.
    fn seed(&self, purpose: Purpose) -> u64 {
        derive(self.config.seed, &[purpose as u64, self.state.generation.into()])
    }
}

/// The number after those of these games, but not below `least`.
fn next_after<'a>(games: impl IntoIterator<Item = &'a GameRecord>, least: u64) -> u64 {
    games.into_iter().map(|record| record.number + 1).fold(least, u64::max)
}

/// A run cannot become one of another game, or of another network.
fn refuse_changes(directory: &RunDirectory, config: &Config) -> Result<(), RunError> {
    let path = directory.config();
    let text = std::fs::read_to_string(&path).map_err(|why| RunError::io("read", &path, why))?;
    let damaged = |why: toml::de::Error| RunError::Damaged { path: path.clone(), why: why.message().to_owned() };
    match config.changed(&text.parse().map_err(damaged)?) {
        Some((key, old, new)) => Err(RunError::Changed { run: directory.path().to_owned(), key, old, new }),
        None => Ok(()),
    }
}
