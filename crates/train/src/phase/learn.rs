//! Training.

use alfil_game::Examples;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use alfil_core::settings;
use alfil_core::settings::Findings;
use alfil_game::{Encoding, Game, Mover};
use alfil_nn::learning::{LearnError, Learner, LearningSettings, MeanLosses, Samples};
use alfil_nn::{Batch, Engine, Model, Network, Origin, Outputs};
use alfil_search::{EvaluatorError, spawn_scoped};
use alfil_selfplay::replay::{Damage, Draw, DrawSettings, ReplayError, ValueTarget, Window, build};

use super::{Purpose, Run, Tell, checkpoint};
use crate::run::{LearningMetrics, Phase, RunError};
use crate::{Config, Event};

/// Batches that are built ahead of the learner.
const AHEAD: usize = 4;

/// Batches that the held-out losses are measured on.
const MEASURED: usize = 8;

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
    /// Training steps of a generation with this many new positions, when `played` positions have been played in all.
    pub(crate) fn steps(&self, positions: u64, played: u64) -> u64 {
        let training = &self.training;
        let few = played < self.window.size.first;
        let reuse = if few && training.first_reuse > 0.0 { training.first_reuse } else { training.reuse };
        let learnt_from = positions as f64 * (1.0 - self.window.sampling.held_out);
        let most = if training.steps == 0 { u64::MAX } else { training.steps };
        ((learnt_from * reuse / training.batch as f64).round() as u64).clamp(1, most)
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
        let (sum, waiting) = self.take_steps(&window, stop, tell)?;
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
        let mut losses = MeanLosses::default();
        let measured = MEASURED * self.config.training.batch;
        self.with_batches(&window, measured, Purpose::HeldOut, tell, |learner, batches| {
            for samples in batches {
                losses.add(&learner.measure(&samples)?);
            }
            Ok(())
        })?;
        self.state.pending.probe = self.probe(&network)?;
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
            held_out: losses.mean(),
            calibration: probe.calibration(),
            probes: probe.probes(&self.rules),
        };
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

    /// Takes the steps that are left in this generation. Returns the mean of their losses, and the time spent waiting
    /// for batches.
    fn take_steps(
        &mut self,
        window: &Window,
        stop: &AtomicBool,
        tell: &mut Tell<'_>,
    ) -> Result<(MeanLosses, Duration), RunError> {
        let (first, target) = (self.state.steps, self.state.target);
        let batch = self.config.training.batch;
        let settings = self.draw_settings((target - first) * batch as u64, Purpose::Draw);
        let checkpoints = self.directory.checkpoints_of(self.state.size);
        let Run { replay, learner, architecture, config, rules, .. } = self;
        let mut draw = Draw::new(window, settings);
        // Skip the batches that were learnt from before an interruption.
        for _ in first..learner.steps() {
            draw.next::<E>(replay, batch)?;
        }
        let mut sum = MeanLosses::default();
        let mut waiting = Duration::ZERO;
        let damages = std::thread::scope(|scope| {
            let (sender, batches) = sync_channel(AHEAD);
            let builder = spawn_scoped("training", scope, move || {
                loop {
                    let drawn = draw.next::<E>(replay, batch)?;
                    // Batch statistics need more than one position.
                    if drawn.len() < 2 || sender.send(build::<E>(architecture, rules, &drawn)).is_err() {
                        return Ok(draw.damages());
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
            let built: Result<Vec<Damage>, ReplayError> =
                builder.join().map_err(|panic| EvaluatorError::panicked("training", &*panic))?;
            Ok::<_, RunError>(built?)
        })?;
        damages.iter().for_each(|damage| tell(Event::Damaged(damage)));
        Ok((sum, waiting))
    }

    fn draw_settings(&self, samples: u64, purpose: Purpose) -> DrawSettings {
        DrawSettings {
            samples,
            sampling: self.config.window.sampling,
            from_held_out: matches!(purpose, Purpose::HeldOut | Purpose::Calibration),
            target: match purpose {
                // Expected values are compared with results alone.
                Purpose::Calibration => ValueTarget { search_value: 0.0, ..self.config.training.target },
                _ => self.config.training.target,
            },
            seed: self.seed(purpose),
        }
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
        let settings = self.draw_settings(samples as u64, purpose);
        let Run { replay, learner, architecture, rules, config, .. } = self;
        let batch = config.training.batch;
        let is_none = settings.from_held_out && settings.sampling.held_out == 0.0;
        let count = if is_none { 0 } else { samples.div_ceil(batch) };
        let mut draw = Draw::new(window, settings);
        let mut failed = None;
        let next = |_| match draw.next::<E>(replay, batch) {
            Ok(drawn) => (drawn.len() > 1).then(|| build::<E>(architecture, rules, &drawn)),
            Err(why) => {
                failed = Some(why);
                None
            }
        };
        let done = work(learner.as_mut(), &mut (0..count).map_while(next))?;
        draw.damages().iter().for_each(|damage| tell(Event::Damaged(damage)));
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
