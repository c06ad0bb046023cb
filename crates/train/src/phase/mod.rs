//! The training loop: the phases of each generation, one after the other.

mod checkpoint;
mod elsewhere;
mod folders;
mod gate;
mod grow;
mod learn;
mod overlap;
mod probe;
mod rate;
mod selfplay;
mod show;
mod source;
mod trend;

pub use folders::FolderSettings;
pub use gate::{GateKind, GateSettings};
pub use learn::TrainingSettings;
pub use rate::RatingSettings;

use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use alfil_arena::contest::ContestError;
use alfil_arena::exam::Exam;
use alfil_core::seed::derive;
use alfil_core::wording::shorten;
use alfil_game::{Encoding, Game};
use alfil_nn::learning::Learner;
use alfil_nn::{Architecture, Network, Origin, Size};
use alfil_selfplay::probe::Probe;
use alfil_selfplay::replay::{Dataset, Replay};
use alfil_selfplay::{Gallery, GameRecord, LaneContext, Tickets, chunks};

use crate::config::render;
use crate::fleet::Fleet;
use crate::run::{Clock, EventFile, Lock, Metrics, Phase, RunDirectory, RunError, StartError, State};
use crate::{Config, Event, Machine};

/// Receives the events of a run.
type Tell<'a> = dyn FnMut(Event<'_>) + 'a;

/// A run that this process works on. A lock keeps other processes out.
pub struct Run<E: Encoding> {
    directory: RunDirectory,
    /// The configuration with its stages.
    whole: Config,
    /// The settings of the generation under way.
    config: Config,
    rules: <E::Game as Game>::Rules,
    architecture: Architecture,
    machine: Machine,
    state: State,
    replay: Replay,
    /// Games of others to learn from.
    dataset: Dataset,
    learner: Box<dyn Learner>,
    champion: Arc<Network>,
    /// The size that the network is to get when the next generation begins.
    grow: Option<Size>,
    /// Positions with known best moves, made when they are first needed.
    exam: Option<Exam<E::Game>>,
    /// Positions that every network is probed on, made when they are first needed.
    probe: OnceCell<Probe<E::Game>>,
    /// What TensorBoard reads, if that is asked for.
    events: Option<EventFile>,
    /// Where a few games of self-play are shown.
    gallery: Arc<Gallery>,
    /// The beginning of the time that is not counted in the state yet.
    clock: Clock,
    _lock: Lock,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// All generations are done.
    Complete,
    /// It was told to stop.
    Stopped,
}

/// What random numbers are needed for.
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
    Probe,
    Folders,
}

impl<E: Encoding> Run<E> {
    /// Begins a run, or resumes one that was begun with the same game, encoding, network and seed.
    pub fn open(
        directory: RunDirectory,
        config: Config,
        machine: Machine,
        tell: &mut Tell<'_>,
    ) -> Result<Run<E>, RunError> {
        // Find what cannot be used now: before anything is written, and not after hours.
        let rules = Self::check(&config)?;
        let mut players = Vec::new();
        for (number, config) in config.resolved() {
            if !players.contains(&config.rating.players) {
                rate::baselines::<E::Game>(&config).map_err(|why| why.in_stage(number))?;
                rate::missing(&config).for_each(|(player, why)| tell(Event::MissingPlayer { player: &player, why }));
                rate::other_anchor(&config).iter().for_each(|text| tell(Event::Warning(text)));
                players.push(config.rating.players);
            }
        }
        let dataset = config.dataset::<E::Game>(&rules)?;
        let start = if directory.has_begun() { None } else { Self::start(&config)? };
        directory.create()?;
        let lock = Lock::take(&directory)?;
        directory.clean()?;
        let begun = directory.has_begun();
        if begun {
            refuse_changes(&directory, &config)?;
        }
        let path = directory.config();
        let written = alfil_core::disk::write_whole(&path, render(&config).as_bytes());
        written.map_err(|why| RunError::io("write", &path, why))?;
        let mut state = if begun { State::load(&directory)? } else { State::new() };
        folders::remember(&dataset, &mut state, &directory)?;
        let whole = config;
        let config = settings_of(&whole, &state);
        let seed = derive(config.seed, &[Purpose::Weights as u64]);
        let (architecture, mut learner) = machine.learner::<E>(&config, seed)?;
        if !begun {
            if let Some(network) = &start {
                let new_heads = learner.begin_with(network, &mut std::iter::empty())?;
                tell(Event::Start { network: &config.network.start, new_heads: &new_heads });
            }
            let weights = learner.export(&mut std::iter::empty())?;
            let parent = start.map(|_| shorten(&config.network.start));
            let origin = Origin { generation: Some(0), steps: Some(0), parent, ..Origin::of::<E>() };
            Network { architecture: architecture.clone(), weights, origin }.save(&directory.network(0))?;
            state.save(&directory)?;
        }
        directory.open_checkpoints(state.size)?;
        Metrics::truncate_from(state.generation, &directory)?;
        let events = config.tensorboard.then(|| EventFile::begin(&directory)).transpose();
        let events = events.unwrap_or_else(|why| {
            tell(Event::Warning(&format!("{}: {why}", EventFile::LOST)));
            None
        });
        checkpoint::restore(learner.as_mut(), &mut state, &directory, tell)?;
        learner.slowness().into_iter().for_each(|why| tell(Event::Warning(why)));
        let (replay, damages) = Replay::open(&directory.replay())?;
        damages.iter().for_each(|damage| tell(Event::Damaged(damage)));
        let path = directory.network(state.champion);
        let champion = Network::load(&path)?;
        champion.check_encoding::<E>().map_err(|why| why.of(&path))?;
        let mut run = Run {
            champion: Arc::new(champion),
            grow: None,
            exam: None,
            probe: OnceCell::new(),
            gallery: Arc::default(),
            events,
            clock: Clock::start(),
            _lock: lock,
            directory,
            whole,
            config,
            rules,
            architecture,
            machine,
            state,
            replay,
            dataset,
            learner,
        };
        run.keep_what_was_measured()?;
        run.settle(tell)?;
        Ok(run)
    }

    /// Checks that a run can have this configuration: what it names exists, and fits the game. Starts no program. Returns the
    /// rules.
    pub fn check(config: &Config) -> Result<<E::Game as Game>::Rules, RunError> {
        let rules = config.game_rules::<E::Game>()?;
        for (number, config) in config.resolved() {
            Self::check_stage(&config, &rules).map_err(|why| why.in_stage(number))?;
        }
        config.dataset::<E::Game>(&rules)?;
        Ok(rules)
    }

    /// The network that a new run with this configuration begins with, if it names one.
    pub fn start(config: &Config) -> Result<Option<Network>, RunError> {
        let start = &config.network.start;
        let open = || -> Result<Network, StartError> {
            let network = Network::open(Path::new(start))?;
            network.check_encoding::<E>()?;
            config.network.architecture::<E>()?.new_heads(&network.architecture)?;
            Ok(network)
        };
        if start.is_empty() {
            return Ok(None);
        }
        open().map(Some).map_err(|why| RunError::Start { network: start.clone(), why })
    }

    fn check_stage(config: &Config, rules: &<E::Game as Game>::Rules) -> Result<(), RunError> {
        config.check_game::<E::Game>(rules)?;
        LaneContext::<E::Game>::open(config.selfplay.clone(), rules.clone(), Arc::new(Tickets::new(0)), 0)?;
        rate::check_baselines::<E::Game>(config)
    }

    /// Reassigns finished games if the run is resumed in the other mode.
    fn settle(&mut self, tell: &mut Tell<'_>) -> Result<(), RunError> {
        let overlap = self.machine.overlap;
        if self.state.overlap == overlap {
            return Ok(());
        }
        if !overlap {
            // Their numbers may lie below those of games in the window: they are added as they are.
            for path in chunks(&self.directory.selfplay())? {
                if let Err(damage) = self.replay.adopt::<E::Game>(self.gathering(), &path)? {
                    tell(Event::Damaged(&damage));
                }
            }
            self.state.games = next_after(&self.adopted_games(tell)?, self.state.games);
        } else {
            if self.state.phase == Phase::Selfplay {
                // An interruption came between adding them and writing the state: their files are still in the folder
                // for self-play.
                self.replay.take_back(self.state.generation)?;
            }
            self.remove_taken_games(tell)?;
        }
        self.state.overlap = overlap;
        self.state.save(&self.directory)
    }

    /// The generation that games are gathered for: this one, or the next one if this one has all its games.
    fn gathering(&self) -> u32 {
        self.state.generation + u32::from(self.state.phase != Phase::Selfplay)
    }

    /// Games of that generation that are in the window already: an interruption came before the state was written, or
    /// the run was resumed in the other mode.
    fn adopted_games(&mut self, tell: &mut Tell<'_>) -> Result<Vec<GameRecord>, RunError> {
        let (games, damages) = self.replay.adopted::<E::Game>(self.gathering())?;
        damages.iter().for_each(|damage| tell(Event::Damaged(damage)));
        Ok(games)
    }

    /// The progress of the run.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// A few games of self-play while they are played.
    pub fn gallery(&self) -> &Arc<Gallery> {
        &self.gallery
    }

    /// The machines that play for it, if others do.
    pub fn fleet(&self) -> Option<&Arc<dyn Fleet>> {
        self.machine.fleet.as_ref()
    }

    /// Runs until all generations are done or `stop` is set.
    pub fn go(&mut self, stop: &AtomicBool, tell: &mut Tell<'_>) -> Result<Finish, RunError> {
        let finish =
            if self.machine.overlap { self.go_overlapping(stop, tell) } else { self.go_alternating(stop, tell) };
        self.note_time();
        let saved = self.state.save(&self.directory);
        // What went wrong first is told first.
        let finish = finish?;
        saved?;
        Ok(finish)
    }

    fn go_alternating(&mut self, stop: &AtomicBool, tell: &mut Tell<'_>) -> Result<Finish, RunError> {
        while !self.is_complete() {
            if let Some(finish) = self.go_through_phase(stop, tell)? {
                return Ok(finish);
            }
        }
        Ok(Finish::Complete)
    }

    /// Works until the phase is finished, and says if the run was stopped.
    fn go_through_phase(&mut self, stop: &AtomicBool, tell: &mut Tell<'_>) -> Result<Option<Finish>, RunError> {
        if self.state.phase == Phase::Selfplay && !self.config.plays_games() {
            self.end_of_games(self.state.games, 0)?;
        }
        let finished = match self.begin_phase(tell) {
            Phase::Selfplay => self.play(stop, tell)?,
            Phase::Learn => self.learn(stop, tell)?,
            Phase::Gate => self.gate(stop, tell)?,
            Phase::Rate => self.rate(stop, tell)?,
        };
        let is_stopped = !finished || stop.load(Relaxed) && !self.is_complete();
        Ok(is_stopped.then_some(Finish::Stopped))
    }

    fn begin_phase(&self, tell: &mut Tell<'_>) -> Phase {
        let phase = self.state.phase;
        tracing::info!(generation = self.state.generation, ?phase, "phase begins");
        tell(Event::Phase { generation: self.state.generation, phase });
        phase
    }

    /// Takes over the settings of the generation that begins. They follow from the state, so that a resumed run has the same.
    fn begin_generation(&mut self, tell: &mut Tell<'_>) -> Result<(), RunError> {
        let config = settings_of(&self.whole, &self.state);
        if config.network != self.config.network {
            self.replace_learner(&config, tell)?;
        } else if config.training.learning != self.config.training.learning {
            self.learner.change(config.training.learning.clone())?;
            self.keep_what_was_measured()?;
        }
        if config.rating.positions != self.config.rating.positions {
            self.exam = None;
        }
        self.config = config;
        Ok(())
    }

    /// Writes a checkpoint if the learner has measured how to compute: after an interruption it would measure again, and other
    /// networks could come of it.
    fn keep_what_was_measured(&self) -> Result<(), RunError> {
        if self.learner.has_measured() {
            checkpoint::save(self.learner.as_ref(), &self.directory.checkpoints_of(self.state.size))?;
        }
        Ok(())
    }

    fn is_complete(&self) -> bool {
        let generations = self.config.generations;
        generations > 0 && self.state.generation > generations
            || self.state.phase == Phase::Selfplay && self.has_all_epochs()
    }

    /// Whether all epochs have been learnt from that the run is to take.
    fn has_all_epochs(&self) -> bool {
        let epochs = self.config.games.epochs;
        epochs > 0 && self.config.folder_share() > 0.0 && self.state.cursor.epoch >= epochs
    }

    /// Enters the next phase. The results of the previous one are on the disk.
    fn enter(&mut self, phase: Phase) -> Result<(), RunError> {
        self.note_time();
        self.state.phase = phase;
        self.state.save(&self.directory)
    }

    fn note_time(&mut self) {
        let lap = self.clock.lap();
        self.state.seconds += lap.seconds;
        self.state.cpu_seconds = self.state.cpu_seconds.zip(lap.cpu_seconds).map(|(before, now)| before + now);
    }

    /// What the games of the run have in common; the tickets say which are played.
    fn lane_context(&self, tickets: Arc<Tickets>) -> Result<LaneContext<E::Game>, RunError> {
        let seed = self.seed(Purpose::Games);
        let context = LaneContext::open(self.config.selfplay.clone(), self.rules.clone(), tickets, seed)?;
        Ok(LaneContext { gallery: Some(Arc::clone(&self.gallery)), ..context })
    }

    /// The seed for a purpose in this generation.
    fn seed(&self, purpose: Purpose) -> u64 {
        derive(self.config.seed, &[purpose as u64, self.state.generation.into()])
    }
}

/// The settings of the generation that a run is in: those of its stages, with the learning rate of the hour that it began at.
fn settings_of(whole: &Config, state: &State) -> Config {
    let mut config = whole.at(state.generation, state.hours());
    let schedule = &mut config.training.learning.schedule;
    *schedule = schedule.after(state.hours());
    // A stage begins to grow the network, and the state says how far that has come.
    config.network.size = state.size.map_or_else(|| whole.network.size.clone(), |size| size.to_string());
    config
}

/// Holds a contest. Its files save work and show games, and nothing else is lost with them: those that cannot be used are
/// set aside, and it begins again.
fn hold<T>(
    mut contest: impl FnMut(&mut Tell<'_>) -> Result<T, ContestError>,
    tell: &mut Tell<'_>,
) -> Result<T, RunError> {
    loop {
        let held = contest(tell);
        let why = match &held {
            Err(ContestError::State(why)) => why,
            _ => return Ok(held?),
        };
        let Some(path) = why.unusable() else { return Ok(held?) };
        let aside = alfil_core::disk::set_aside(path).map_err(|why| RunError::io("set aside", path, why))?;
        tell(Event::SetAside { path: &aside, why: why.to_string() });
    }
}

/// One more than the highest number of these games, but at least `least`.
fn next_after<'a>(games: impl IntoIterator<Item = &'a GameRecord>, least: u64) -> u64 {
    games.into_iter().map(|record| record.number + 1).fold(least, u64::max)
}

/// Refuses to resume a run with another value of a fixed key, such as the game or the network.
fn refuse_changes(directory: &RunDirectory, config: &Config) -> Result<(), RunError> {
    let path = directory.config();
    let text = directory.read_config()?;
    let damaged = |why: toml::de::Error| RunError::Damaged { path: path.clone(), why: why.message().to_owned() };
    match config.changed(&text.parse().map_err(damaged)?) {
        Some((key, old, new)) => Err(RunError::Changed { run: directory.path().to_owned(), key, old, new }),
        None => Ok(()),
    }
}
