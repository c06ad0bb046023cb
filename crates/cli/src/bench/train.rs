//! `alfil bench train`

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use alfil_game::{Encoding, with_encoding};
use alfil_nn::learning::{EncodedArchitecture, Learner, Losses, Samples};
use alfil_nn::{Architecture, Cpu, Size};
use alfil_search::evaluators::Kind;
use alfil_selfplay::replay::{Draw, DrawSettings, Replay, Sampling, ValueTarget, Window, WindowSettings, build};
use alfil_selfplay::{LaneContext, SearchSettings, SelfplaySettings, Session, Tickets};
use alfil_train::Config;
use anyhow::Context;
use clap::Args;
use serde_json::json;

use super::median;
use crate::keys::{Flags, Keys};
use crate::train::learning_devices;
use crate::{Verdict, torch};

#[derive(Args)]
pub struct TrainBench {
    /// What the network sees
    #[arg(long, default_value = "chess/az21")]
    encoding: String,
    /// Filters x blocks of the network
    #[arg(long, default_value = "64x6")]
    arch: Size,
    /// Games to draw batches from, played in advance with a uniform evaluator
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    games: u32,
    /// Seconds per measurement, which has two steps at least
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Measurements of each, taken in turns; the median counts
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: Flags<BenchKeys>,
}

/// The keys about a step of training.
struct BenchKeys;

impl Keys for BenchKeys {
    fn takes(key: &str) -> bool {
        ["training.batch", "machine.device", "machine.replicas"].contains(&key)
    }

    const USUAL: &'static [&'static str] = &["machine.device=cpu"];
}

impl TrainBench {
    /// Positions per step.
    fn batch(&self) -> usize {
        self.settings.config.training.batch
    }
}

/// Batches that are built ahead of the learner, as in a run.
const AHEAD: usize = 4;

/// A run draws at least one in this many positions of a chunk that it reads. The bench draws no more, so that reading
/// costs as much as it ever can.
const PART_DRAWN: u64 = 8;

/// Steps per measurement, at least.
const LEAST_STEPS: u32 = 2;

pub fn run(bench: &TrainBench, out: &mut impl Write) -> anyhow::Result<Verdict> {
    anyhow::ensure!(bench.seconds >= 0.0 && bench.seconds <= 600.0, "--seconds must be from 0 to 600");
    torch::require()?;
    with_encoding!(&bench.encoding, E => measure::<E>(bench, out))?
}

fn measure<E: Encoding>(bench: &TrainBench, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let architecture = Architecture::new::<E>(bench.arch);
    architecture.check()?;
    let (libtorch, Config { machine, training, .. }) = (torch::require()?, &bench.settings.config);
    let devices = learning_devices(libtorch.devices(&machine.device)?, machine.replicas);
    let encoded = EncodedArchitecture::new::<E>(&architecture)?;
    let learner = |devices: &[String]| libtorch.learner(encoded, training.learning.clone(), devices, 1);
    let (mut one, mut all) = (learner(&devices[..1])?, learner(&devices)?);

    let folder = Folder::new()?;
    play::<E>(bench, &folder.0)?;
    let mut builder = Builder::<E>::new(bench, &architecture, &folder.0)?;
    let mut ahead = Builder::<E>::new(bench, &architecture, &folder.0)?;
    let (games, positions) = (builder.replay.games(), builder.replay.positions());
    let samples = builder.next().context("the games have too few positions for a batch")?;
    let rounds = std::thread::scope(|scope| {
        // Full and idle except while it is measured: then each batch that is taken makes it build another one.
        let (sender, batches) = sync_channel(AHEAD);
        scope.spawn(move || while ahead.next().is_some_and(|samples| sender.send(samples).is_ok()) {});
        one.step(&samples)?;
        all.step(&samples)?;
        let round = |_| Round::measure(bench, [&mut *one, &mut *all], &samples, &mut builder, &batches);
        (0..bench.rounds).map(round).collect::<anyhow::Result<Vec<Round>>>()
    })?;

    let of = |number: fn(&Round) -> f64| median(rounds.iter().map(number).collect());
    let batch = bench.batch() as f64;
    let (one, all, built) = (of(|round| round.one), of(|round| round.all), of(|round| round.built));
    let scaling = of(|round| round.one / round.all);
    let cost = of(|round| round.built / round.all);
    let (waiting, slower) = (of(|round| round.waiting), of(|round| round.ahead / round.all));
    if bench.json {
        let report = json!({
            "encoding": E::NAME, "arch": bench.arch.to_string(), "batch": bench.batch(), "replicas": devices.len(),
            "samples_per_second_1": batch / one, "samples_per_second": batch / all, "scaling": scaling,
            "batches_per_second": 1.0 / built, "pipeline_share": cost, "waiting_share": waiting,
            "pipeline_slowdown": slower, "games": games, "positions": positions,
        });
        writeln!(out, "{report}")?;
        return Ok(Verdict::Fine);
    }
    writeln!(out, "network      {} for {}, batches of {}", bench.arch, E::NAME, bench.batch())?;
    writeln!(out, "one replica  {:>7.0} samples/s, a step in {:.3} s", batch / one, one)?;
    if devices.len() > 1 {
        writeln!(
            out,
            "{:<12} {:>7.0} samples/s, a step in {all:.3} s: {scaling:.2} times one",
            format!("{} replicas", devices.len()),
            batch / all
        )?;
    }
    let plies = positions as f64 / games as f64;
    writeln!(out, "pipeline     {:>7.1} batches/s on its own, of games of {plies:.0} plies", 1.0 / built)?;
    writeln!(out, "cost         {:>7.1} % of a step: a batch on its own", 100.0 * cost)?;
    writeln!(
        out,
        "built ahead  {:>7.1} % of the time waiting for batches, steps {slower:.2} times as long",
        100.0 * waiting
    )?;
    Ok(Verdict::Fine)
}

/// Plays the games into a folder.
fn play<E: Encoding>(bench: &TrainBench, folder: &Path) -> anyhow::Result<()> {
    // A few visits are enough: the games only need lengths and policies like those of a run.
    let search = SearchSettings { visits: 4, considered: 4, ..SearchSettings::default() };
    let settings = SelfplaySettings { search, ..SelfplaySettings::default() };
    let session = Session {
        context: LaneContext::open(settings, Default::default(), Arc::new(Tickets::new(bench.games.into())), 1)?,
        lanes: alfil_core::cores(),
        backend: &*Kind::Uniform.backend::<E::Game>(&Cpu)?,
        stop: &AtomicBool::new(false),
        folder,
    };
    session.run(&mut |_| {})?;
    Ok(())
}

/// Endless batches, built as in a run.
struct Builder<'a, E: Encoding> {
    architecture: &'a Architecture,
    batch: usize,
    replay: Replay,
    window: Window,
    draw: Draw,
    /// Samples per draw.
    samples: u64,
    /// The seed of the next draw.
    seed: u64,
    encoding: std::marker::PhantomData<fn() -> E>,
}

impl<'a, E: Encoding> Builder<'a, E> {
    fn new(bench: &TrainBench, architecture: &'a Architecture, folder: &Path) -> anyhow::Result<Builder<'a, E>> {
        let (replay, _) = Replay::open(folder)?;
        let everything = WindowSettings { first: u64::MAX, exponent: 0.0, growth: 1.0, most: u64::MAX };
        let window = Window::of(&replay, &everything);
        let batch = bench.batch();
        let samples = (window.positions() / PART_DRAWN).max(1).next_multiple_of(batch as u64);
        let draw = draw(&window, samples, 1);
        Ok(Builder { architecture, batch, replay, window, draw, samples, seed: 2, encoding: std::marker::PhantomData })
    }

    /// None if there are no games.
    fn next(&mut self) -> Option<Samples> {
        let mut drawn = self.draw.next::<E>(&mut self.replay, self.batch).ok()?;
        if drawn.len() < self.batch {
            self.draw = draw(&self.window, self.samples, self.seed);
            self.seed += 1;
            drawn = self.draw.next::<E>(&mut self.replay, self.batch).ok()?;
        }
        (drawn.len() == self.batch).then(|| build::<E>(self.architecture, &Default::default(), &drawn))
    }

    /// Batches per draw.
    fn batches(&self) -> u64 {
        self.samples / self.batch as u64
    }
}

fn draw(window: &Window, samples: u64, seed: u64) -> Draw {
    let sampling = Sampling { held_out: 0.0, symmetries: true };
    let target = ValueTarget::default();
    Draw::new(window, DrawSettings { samples, sampling, from_held_out: false, target, seed })
}

/// Seconds, measured right after each other.
struct Round {
    /// A step of one replica.
    one: f64,
    /// A step of all replicas.
    all: f64,
    /// Drawing and building a batch, with nothing else running.
    built: f64,
    /// A step of all replicas while batches are built, with the time it waited for its own.
    ahead: f64,
    /// The share of that time spent waiting.
    waiting: f64,
}

impl Round {
    fn measure<E: Encoding>(
        bench: &TrainBench,
        [one, all]: [&mut dyn Learner; 2],
        samples: &Samples,
        builder: &mut Builder<'_, E>,
        batches: &Receiver<Samples>,
    ) -> anyhow::Result<Round> {
        let step = |learner: &mut dyn Learner| repeat(bench, || Ok(learner.step(samples)?));
        let (one, alone) = (step(one)?, step(all)?);
        let began = Instant::now();
        // A whole draw, including all that it reads.
        for _ in 0..builder.batches() {
            builder.next().context("a batch could not be built")?;
        }
        let built = began.elapsed().as_secs_f64() / builder.batches() as f64;
        let mut waiting = Duration::ZERO;
        let mut steps = 0;
        let ahead = repeat(bench, || {
            let asked = Instant::now();
            let samples = batches.recv().context("the builder of batches failed")?;
            waiting += asked.elapsed();
            steps += 1;
            Ok(all.step(&samples)?)
        })?;
        let waiting = waiting.as_secs_f64() / (ahead * f64::from(steps));
        Ok(Round { one, all: alone, built, ahead, waiting })
    }
}

/// Mean seconds per step.
fn repeat(bench: &TrainBench, mut step: impl FnMut() -> anyhow::Result<Losses>) -> anyhow::Result<f64> {
    let began = Instant::now();
    let mut count = 0;
    while count < LEAST_STEPS || began.elapsed().as_secs_f64() < bench.seconds {
        step()?;
        count += 1;
    }
    Ok(began.elapsed().as_secs_f64() / f64::from(count))
}

/// A temporary folder, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> anyhow::Result<Folder> {
        let path = std::env::temp_dir().join(format!("alfil-bench-train-{}", std::process::id()));
        alfil_core::disk::make_folder(&path).with_context(|| format!("cannot make the folder {}", path.display()))?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = alfil_core::disk::remove_folder(&self.0);
    }
}
