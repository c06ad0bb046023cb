//! Training.

use alfil_game::Examples;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use alfil_core::seed::derive;
use alfil_core::settings;
use alfil_core::settings::Findings;
use alfil_game::{Encoding, Game, Mover};
use alfil_nn::learning::{LearnError, Learner, LearningSettings, Losses, MeanLosses, Samples};
use alfil_nn::{Batch, Engine, Model, Network, Origin, Outputs};
use alfil_search::{EvaluatorError, spawn_scoped};
use alfil_selfplay::replay::{
    Cursor, Damage, DrawSettings, EpochDraw, Epochs, ReplayError, ValueTarget, Window, build,
};

use super::source::{Source, SourceSettings};
use super::{Purpose, Run, Tell, checkpoint};
use crate::run::{FolderMetrics, LearningMetrics, Phase, RunError};
use crate::{Config, Event};

/// Batches that are built ahead of the learner.
const AHEAD: usize = 4;

/// Batches that the held-out losses are measured on.
const MEASURED: usize = 8;

/// Positions that they are measured on where all are from folders, the same in every generation: the standard error of a share of
/// right moves is 0.4 %.
const MEASURED_OF_FOLDERS: usize = 16_384;

/// Positions of the calibration, which runs on one thread of the CPU; independent of the batch size.
const CALIBRATED: usize = 1024;

/// Ranges of the expected value in the calibration.
const RANGES: usize = 10;

settings! {
    /// How much is learnt, and how.
    pub struct TrainingSettings {
        /// Positions per step.
        pub batch: usize = 256, in 2..=65_536;
        /// Steps per generation at most; 0 leaves the limit to reuse.
        pub steps: u64 = 0;
        /// How often a position is used, on average: a generation takes as many steps as it needs to use its new
        /// training positions this often. Positions of the first generations are used more often, since there are no
        /// others yet.
        pub reuse: f64 = 4.0, in 0.001..=1000.0;
        /// Replaces reuse while fewer than window.first positions have been played: a network memorises the positions
        /// of few games. 0 is no change.
        pub first_reuse: f64 = 0.0, in 0.0..=1000.0;
        /// Optimizer, learning rate and losses.
        pub learning: LearningSettings;
        /// What the value head learns.
        pub target: ValueTarget;
        /// Batches that the statistics of the batch norms are gathered from before a network is exported.
        pub statistics_batches: usize = 16, in 0..=10_000;
        /// A checkpoint is written every this many steps, and at the end of a generation.
        pub checkpoint_steps: u64 = 1000, in 1..;
    }
    check TrainingSettings::check;
}

impl TrainingSettings {
    fn check(&self, found: &mut Findings) {
        if self.steps == 0 && self.reuse > 16.0 {
            found.warning("reuse", "is high: the network may memorise its games");
        }
    }
}

impl Config {
    /// Training steps of a generation with this many new positions, when `played` positions have been played in all. Where some of
    /// a batch is from folders, the new positions are used as often as without them.
    pub(crate) fn steps(&self, positions: u64, played: u64) -> u64 {
        let training = &self.training;
        let most = if training.steps == 0 { u64::MAX } else { training.steps };
        if !self.plays_games() {
            return (self.games.positions as f64 / training.batch as f64).round().clamp(1.0, most as f64) as u64;
        }
        let few = played < self.window.size.first;
        let reuse = if few && training.first_reuse > 0.0 { training.first_reuse } else { training.reuse };
        let learnt_from = positions as f64 * (1.0 - self.window.sampling.held_out);
        let of_batch = training.batch as f64 * (1.0 - self.folder_share());
        ((learnt_from * reuse / of_batch).round() as u64).clamp(1, most)
    }
}

impl<E: Encoding> Run<E> {
    /// Learns from the window, and makes a candidate. False if it was stopped before the end.
    pub(super) fn learn(&mut self, stop: &AtomicBool, tell: &mut Tell<'_>) -> Result<bool, RunError> {
        let window = Window::of(&self.replay, &self.config.window.size);
        let began = Instant::now();
        if self.learner.steps() == 0 {
            self.begin_learning(&window, tell)?;
        }
        let before = self.learner.steps();
        let Taken { losses: sum, waiting, end } = self.take_steps(&window, stop, tell)?;
        let taken = self.learner.steps() - before;
        let seconds = began.elapsed().as_secs_f64();
        checkpoint::save(self.learner.as_ref(), &self.directory.checkpoints_of(self.state.size))?;
        if self.learner.steps() < self.state.target && stop.load(Relaxed) {
            return Ok(false);
        }
        // Damaged chunks may have left fewer samples than there should be.
        self.state.target = self.learner.steps();
        let network = self.export(&window, tell)?;
        network.save(&self.directory.candidate(self.state.generation))?;
        let share = self.config.folder_share();
        let held_out = self.held_out_losses(&window, share, tell)?;
        if share > 0.0 {
            self.state.pending.games = Some(FolderMetrics {
                epochs: EpochDraw::progress(&self.dataset, end),
                games: self.dataset.games(),
                positions: self.dataset.positions(),
                share,
                held_out: if share < 1.0 { self.held_out_losses(&window, 1.0, tell)? } else { None },
            });
        }
        let Some(probed) = self.probe(&network, stop)? else { return Ok(false) };
        self.state.pending.probe = probed;
        let mut probe = NetworkProbe::<E>::new(&network)?;
        self.with_batches(&window, CALIBRATED, Purpose::Calibration, tell, |_, batches| {
            batches.for_each(|samples| probe.calibrate(&samples));
            Ok(())
        })?;
        self.state.pending.learning = LearningMetrics {
            seconds,
            steps: self.state.earlier + self.learner.steps(),
            rate: self.config.training.learning.schedule.at(self.learner.steps().saturating_sub(1)),
            window: window.positions(),
            samples_per_second: (taken * self.config.training.batch as u64) as f64 / seconds.max(1e-9),
            waiting: waiting.as_secs_f64() / seconds.max(1e-9),
            training: sum.mean(),
            held_out,
            calibration: probe.calibration(),
            probes: probe.probes(&self.rules),
        };
        // Together with the phase: until it is written, the same samples may be drawn again.
        if share > 0.0 {
            self.state.cursor = end;
        }
        self.enter(Phase::Gate)?;
        Ok(true)
    }

    /// Begins with the first network of the run, if that came from a file: now there are positions for the statistics of its
    /// batch norms.
    fn begin_learning(&mut self, window: &Window, tell: &mut Tell<'_>) -> Result<(), RunError> {
        let first = Network::load(&self.directory.network(0))?;
        if first.origin.parent.is_none() || self.state.size.is_some() {
            return Ok(());
        }
        let samples = self.config.training.statistics_batches * self.config.training.batch;
        self.with_batches(window, samples, Purpose::Statistics, tell, |learner, batches| {
            learner.begin_with(&first, batches).map(drop)
        })
    }

    /// The losses on games that are never learnt from, this share of them from folders.
    fn held_out_losses(
        &mut self,
        window: &Window,
        share: f64,
        tell: &mut Tell<'_>,
    ) -> Result<Option<Losses>, RunError> {
        let batch = self.config.training.batch;
        let least = if share == 1.0 { MEASURED_OF_FOLDERS.div_ceil(batch) } else { 0 };
        let settings =
            SourceSettings { share, ..self.source_settings((MEASURED.max(least) * batch) as u64, Purpose::HeldOut) };
        let mut losses = MeanLosses::default();
        self.with_source(window, settings, tell, |learner, batches| {
            for samples in batches {
                losses.add(&learner.measure(&samples)?);
            }
            Ok(())
        })?;
        Ok(losses.mean())
    }

    /// Takes the steps that are left in this generation.
    fn take_steps(&mut self, window: &Window, stop: &AtomicBool, tell: &mut Tell<'_>) -> Result<Taken, RunError> {
        let (first, target) = (self.state.steps, self.state.target);
        let batch = self.config.training.batch;
        let settings = self.source_settings((target - first) * batch as u64, Purpose::Draw);
        let checkpoints = self.directory.checkpoints_of(self.state.size);
        let Run { replay, dataset, learner, architecture, config, rules, .. } = self;
        let mut source = Source::new(replay, window, dataset, settings);
        // Skip the batches that were learnt from before an interruption.
        for _ in first..learner.steps() {
            source.next::<E>(batch)?;
        }
        let mut sum = MeanLosses::default();
        let mut waiting = Duration::ZERO;
        let (damages, end) = std::thread::scope(|scope| {
            let (sender, batches) = sync_channel(AHEAD);
            let builder = spawn_scoped("training", scope, move || {
                loop {
                    let drawn = source.next::<E>(batch)?;
                    // Batch statistics need more than one position.
                    if drawn.len() < 2 || sender.send(build::<E>(architecture, rules, &drawn)).is_err() {
                        return Ok((source.damages(), source.end::<E>()?));
                    }
                }
            })?;
            while learner.steps() < target && !stop.load(Relaxed) {
                let asked = Instant::now();
                let Ok(samples) = batches.recv() else { break };
                waiting += asked.elapsed();
                let before = learner.steps();
                let losses = learner.step(&samples)?;
                // The step was skipped because a gradient overflowed 16 bits: its losses do not count.
                if learner.steps() == before {
                    continue;
                }
                sum.add(&losses);
                let step = learner.steps() - first;
                tell(Event::Step { step, of: target - first, losses: &losses, batch });
                if step.is_multiple_of(config.training.checkpoint_steps) {
                    checkpoint::save(learner.as_ref(), &checkpoints)?;
                }
            }
            drop(batches);
            let built: Result<(Vec<Damage>, Cursor), ReplayError> =
                builder.join().map_err(|panic| EvaluatorError::panicked("training", &*panic))?;
            Ok::<_, RunError>(built?)
        })?;
        damages.iter().for_each(|damage| tell(Event::Damaged(damage)));
        Ok(Taken { losses: sum, waiting, end })
    }

    fn source_settings(&self, samples: u64, purpose: Purpose) -> SourceSettings {
        let draw = DrawSettings {
            samples,
            sampling: self.config.window.sampling,
            from_held_out: matches!(purpose, Purpose::HeldOut | Purpose::Calibration),
            target: match purpose {
                // Expected values are compared with results alone.
                Purpose::Calibration => ValueTarget { search_value: 0.0, ..self.config.training.target },
                _ => self.config.training.target,
            },
            seed: self.seed(purpose),
        };
        // The same in all generations: epochs go on from one to the next, and measurements on the same positions can be compared.
        let seed = derive(self.config.seed, &[Purpose::Folders as u64, purpose as u64]);
        let (epochs, cursor) = match purpose {
            Purpose::Draw => (self.config.games.epochs, self.state.cursor),
            _ if draw.from_held_out => (1, Cursor::default()),
            _ => (0, Cursor::default()),
        };
        SourceSettings { draw, share: self.config.folder_share(), epochs: Epochs { seed, count: epochs }, cursor }
    }

    /// Passes this many samples to `work`, or fewer if there are not enough games. Only one batch at a time is in
    /// memory.
    fn with_batches<T>(
        &mut self,
        window: &Window,
        samples: usize,
        purpose: Purpose,
        tell: &mut Tell<'_>,
        work: impl FnOnce(&mut dyn Learner, &mut dyn Iterator<Item = Samples>) -> Result<T, LearnError>,
    ) -> Result<T, RunError> {
        self.with_source(window, self.source_settings(samples as u64, purpose), tell, work)
    }

    /// The same with samples from a source.
    fn with_source<T>(
        &mut self,
        window: &Window,
        settings: SourceSettings,
        tell: &mut Tell<'_>,
        work: impl FnOnce(&mut dyn Learner, &mut dyn Iterator<Item = Samples>) -> Result<T, LearnError>,
    ) -> Result<T, RunError> {
        let Run { replay, dataset, learner, architecture, rules, config, .. } = self;
        let batch = config.training.batch;
        let DrawSettings { samples, sampling, from_held_out, .. } = settings.draw;
        let is_none = from_held_out && sampling.held_out == 0.0;
        let count = if is_none { 0 } else { samples.div_ceil(batch as u64) };
        let mut source = Source::new(replay, window, dataset, settings);
        let mut failed = None;
        let next = |_| match source.next::<E>(batch) {
            Ok(drawn) => (drawn.len() > 1).then(|| build::<E>(architecture, rules, &drawn)),
            Err(why) => {
                failed = Some(why);
                None
            }
        };
        let done = work(learner.as_mut(), &mut (0..count).map_while(next))?;
        source.damages().iter().for_each(|damage| tell(Event::Damaged(damage)));
        failed.map_or(Ok(done), |why| Err(why.into()))
    }

    fn export(&mut self, window: &Window, tell: &mut Tell<'_>) -> Result<Network, RunError> {
        let samples = self.config.training.statistics_batches * self.config.training.batch;
        let export = |learner: &mut dyn Learner, batches: &mut dyn Iterator<Item = Samples>| learner.export(batches);
        let weights = self.with_batches(window, samples, Purpose::Statistics, tell, export)?;
        let origin = Origin {
            generation: Some(self.state.generation),
            // Training continues from the weights of the last generation, whether they were promoted or not.
            parent: Some(format!("generation {}", self.state.generation - 1)),
            steps: Some(self.state.earlier + self.learner.steps()),
            ..Origin::of::<E>()
        };
        Ok(Network { architecture: self.architecture.clone(), weights, origin })
    }
}

/// What the steps of a generation have come to.
struct Taken {
    /// The mean of their losses.
    losses: MeanLosses,
    /// The time spent waiting for batches.
    waiting: Duration,
    /// Where the samples from folders end, if all steps were taken.
    end: Cursor,
}

/// Measures the values that an exported network expects.
struct NetworkProbe<E: Encoding> {
    engine: Engine,
    outputs: Outputs,
    batch: Batch,
    ranges: [[f64; 3]; RANGES],
    encoding: std::marker::PhantomData<fn() -> E>,
}

impl<E: Encoding> NetworkProbe<E> {
    fn new(network: &Network) -> Result<NetworkProbe<E>, RunError> {
        let model = std::sync::Arc::new(Model::new::<E>(network)?);
        Ok(NetworkProbe {
            engine: Engine::new(model),
            outputs: Outputs::default(),
            batch: Batch::new(&network.architecture),
            ranges: [[0.0; 3]; RANGES],
            encoding: std::marker::PhantomData,
        })
    }

    /// Compares the expected values of some positions with the results.
    fn calibrate(&mut self, samples: &Samples) {
        self.engine.evaluate(samples.batch(), &mut self.outputs);
        for (value, Mover(result)) in self.outputs.values.iter().zip(samples.wdl()) {
            let part = f64::from((value + 1.0) / 2.0).clamp(0.0, 1.0) * RANGES as f64;
            let range = &mut self.ranges[(part as usize).min(RANGES - 1)];
            *range = [range[0] + 1.0, range[1] + f64::from(*value), range[2] + f64::from(result.value())];
        }
    }

    /// For ranges of the expected value: the number of positions, the mean expected value and the mean result.
    fn calibration(&self) -> Vec<[f64; 3]> {
        let mean = |[count, value, result]: &[f64; 3]| [*count, value / count.max(1.0), result / count.max(1.0)];
        self.ranges.iter().map(mean).collect()
    }

    /// The expected values of the game's probe positions, by name.
    fn probes(&mut self, rules: &<E::Game as Game>::Rules) -> std::collections::BTreeMap<String, f64> {
        let mut moves = Vec::new();
        let mut probes = std::collections::BTreeMap::new();
        for (name, position) in E::Game::PROBES {
            let Ok(game) = E::Game::from_position(position, rules) else { continue };
            game.generate(&mut moves);
            self.batch.clear();
            self.batch.push::<E>(&game, &moves);
            self.engine.evaluate(&self.batch, &mut self.outputs);
            probes.insert((*name).to_owned(), self.outputs.values[0].into());
        }
        probes
    }
}
