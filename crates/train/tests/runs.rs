//! Runs of tic-tac-toe with a learner that learns nothing: what they keep, and what they resume from.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use alfil_core::checksum::{Fnv, checksum};
use alfil_core::disk::faults;
use alfil_core::lines::{seal, unseal};
use alfil_failing_device::{FailingDevice, SENTENCE, alone, no_thread_is_left, threads};
use alfil_game::chess::Az21;
use alfil_game::tictactoe::{Cell, Stones, TicTacToe};
use alfil_game::{Encoding, Mover};
use alfil_nn::learning::{EncodedArchitecture, LearnError, Learner, LearningSettings, Losses, Samples, Schedule};
use alfil_nn::{Architecture, Cpu, Device, HeadShape, Network, Weights};
use alfil_selfplay::probe::Measured;
use alfil_selfplay::{GameRecord, chunks, read_chunk, read_header, write_chunk};
use alfil_train::run::{Metrics, Phase, ProbeMetrics, RatingMetrics, RunError};
use alfil_train::{Config, Event, Finish, Machine, Plan, Run, RunDirectory, plan};

mod folders;

/// How long the learner takes for a step while games are played.
const STEP_TIME: Duration = Duration::from_millis(20);

/// A run in a temporary folder, which is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        // In memory where that is possible: some tests make hundreds of runs, and each syncs its files.
        let memory = PathBuf::from("/dev/shm");
        let place = if memory.is_dir() { memory } else { std::env::temp_dir() };
        let folder = place.join(format!("alfil-runs-{test}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        Folder(folder)
    }

    fn run(&self) -> RunDirectory {
        RunDirectory::new(&self.0)
    }

    /// Opens the run with some keys set. Returns its warnings too.
    fn open(&self, overlap: bool, settings: &[&str]) -> Result<(Run<Stones>, Vec<String>), RunError> {
        let mut warnings = Vec::new();
        let run = Run::open(self.run(), config(settings), machine(overlap), &mut |event| note(event, &mut warnings))?;
        Ok((run, warnings))
    }

    /// Works until the run is complete.
    fn go(&self, overlap: bool, settings: &[&str]) -> Finish {
        let (mut run, _) = self.open(overlap, settings).unwrap();
        run.go(&AtomicBool::new(false), &mut |_| {}).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn note(event: Event<'_>, warnings: &mut Vec<String>) {
    match event {
        Event::Damaged(damage) => warnings.push(damage.why.to_string()),
        Event::MissingPlayer { player, why } => warnings.push(format!("{player}: {why}")),
        Event::Warning(text) => warnings.push(text.to_owned()),
        Event::SetAside { path, why } => warnings.push(format!("{why}: {}", path.display())),
        _ => {}
    }
}

/// A configuration with some keys set. Those that begin with `[[stage]]` are stages.
fn config(settings: &[&str]) -> Config {
    let (stages, settings): (Vec<&str>, Vec<&str>) =
        settings.iter().partition(|setting| setting.starts_with("[[stage]]"));
    let text = r#"
        game = "tictactoe"
        encoding = "tictactoe/stones"
        generations = 1
        network.size = "8x1"
        selfplay = { games = 8, at_once = 8, visits = 4, considered = 4 }
        window.held_out = 0.3
        training = { batch = 16, statistics_batches = 0 }
        gate.kind = "none"
        rating.every = 0
    "#;
    let text = format!("{text}\n{}", stages.join("\n"));
    Config::parse(&text, &settings.iter().map(|setting| (*setting).to_owned()).collect::<Vec<_>>()).unwrap()
}

fn machine(overlap: bool) -> Machine {
    machine_on(overlap, Arc::new(Cpu))
}

fn machine_on(overlap: bool, device: Arc<dyn Device>) -> Machine {
    let time = if overlap { STEP_TIME } else { Duration::ZERO };
    Machine {
        learner: Arc::new(move |encoded, settings, _| {
            let architecture = encoded.architecture().clone();
            Ok(Box::new(Idle { time, ..Idle::new(architecture, settings) }))
        }),
        device,
        lanes: 1,
        overlap,
        cache: 0,
        fleet: None,
    }
}

/// A learner that only counts its steps, adds up their learning rates, and remembers a checksum of all samples in their order: what
/// it exports follows from these.
struct Idle {
    architecture: Architecture,
    settings: LearningSettings,
    steps: u64,
    rates: f64,
    seen: u64,
    /// How long a step takes.
    time: Duration,
    /// Skips the next step, with losses that differ from those of the others.
    skips: bool,
    /// Says that it has measured how to compute.
    has_measured: bool,
}

impl Idle {
    fn new(architecture: Architecture, settings: LearningSettings) -> Idle {
        let time = Duration::ZERO;
        Idle { architecture, settings, steps: 0, rates: 0.0, seen: 0, time, skips: false, has_measured: false }
    }
}

impl Learner for Idle {
    fn steps(&self) -> u64 {
        self.steps
    }

    /// Takes over the first bias of a network, and how many samples there are.
    fn begin_with(
        &mut self,
        network: &Network,
        batches: &mut dyn Iterator<Item = Samples>,
    ) -> Result<Vec<&'static str>, LearnError> {
        let samples: usize = batches.map(|batch| batch.len()).sum();
        self.rates = f64::from(network.weights.stem.biases[0]) + samples as f64;
        Ok(self.architecture.new_heads(&network.architecture)?)
    }

    fn change(&mut self, settings: LearningSettings) -> Result<(), LearnError> {
        self.settings = settings;
        Ok(())
    }

    fn step(&mut self, samples: &Samples) -> Result<Losses, LearnError> {
        if std::mem::take(&mut self.skips) {
            return Ok(Losses { policy: 9.0, ..Losses::default() });
        }
        self.rates += self.settings.schedule.at(self.steps);
        self.steps += 1;
        let policies = (0..samples.len()).flat_map(|sample| samples.policy(sample));
        let values = samples.wdl().iter().map(|Mover(wdl)| wdl.value());
        let numbers = samples.batch().planes().iter().chain(policies).copied().chain(values);
        let mut hash = Fnv::default();
        hash.feed_word(self.seen);
        numbers.for_each(|number| hash.feed_word(number.to_bits().into()));
        self.seen = hash.finish();
        std::thread::sleep(self.time);
        Ok(Losses::default())
    }

    fn measure(&mut self, _: &Samples) -> Result<Losses, LearnError> {
        Ok(Losses::default())
    }

    fn export(&mut self, batches: &mut dyn Iterator<Item = Samples>) -> Result<Weights, LearnError> {
        batches.for_each(drop);
        let seed = self.steps ^ self.rates.to_bits() ^ self.seen;
        Ok(Network::random::<Stones>(self.architecture.clone(), seed).weights)
    }

    fn state(&self) -> Result<Vec<u8>, LearnError> {
        Ok([self.steps.to_le_bytes(), self.rates.to_le_bytes(), self.seen.to_le_bytes()].concat())
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), LearnError> {
        let short = || LearnError::State("it is too short".to_owned());
        let (steps, rest) = state.split_first_chunk().ok_or_else(short)?;
        let (rates, rest) = rest.split_first_chunk().ok_or_else(short)?;
        let (seen, _) = rest.split_first_chunk().ok_or_else(short)?;
        (self.steps, self.rates, self.seen) =
            (u64::from_le_bytes(*steps), f64::from_le_bytes(*rates), u64::from_le_bytes(*seen));
        self.has_measured = false;
        Ok(())
    }

    fn has_measured(&self) -> bool {
        self.has_measured
    }
}

/// Whatever a learner has measured, it goes on with that: not even an interruption before the first step changes it.
#[test]
fn what_a_learner_has_measured_is_kept_from_the_start() {
    let settings = ["generations=2"];
    // Each learner measures something else.
    let measuring = |measured: &Arc<AtomicU64>| {
        let measured = Arc::clone(measured);
        let learner = move |encoded: EncodedArchitecture<'_>, settings, _| {
            let rates = measured.fetch_add(1, Relaxed) as f64;
            let idle = Idle::new(encoded.architecture().clone(), settings);
            Ok(Box::new(Idle { rates, has_measured: true, ..idle }) as Box<dyn Learner>)
        };
        Machine { learner: Arc::new(learner), ..machine(false) }
    };
    let go = |folder: &Folder, measured: &Arc<AtomicU64>| {
        let machine = measuring(measured);
        let mut run = Run::<Stones>::open(folder.run(), config(&settings), machine, &mut |_| {}).unwrap();
        assert_eq!(run.go(&AtomicBool::new(false), &mut |_| {}).unwrap(), Finish::Complete);
        [1, 2].map(|generation| Network::load(&folder.run().network(generation)).unwrap().weights)
    };
    let (calm, rough) = (Folder::new("measured"), Folder::new("measured-rough"));
    let times = Arc::new(AtomicU64::new(1));
    for phase in [Phase::Selfplay, Phase::Learn] {
        stop_on(measuring(&times), &rough, 1, phase, &settings);
    }
    assert!(go(&rough, &times) == go(&calm, &Arc::new(AtomicU64::new(1))));
    assert_eq!(times.load(Relaxed), 4, "it measured each time");
}

#[test]
fn overlapping_games_and_generations_never_wait_for_each_other() {
    let folder = Folder::new("brake");
    assert_eq!(folder.go(true, &["selfplay.at_once=64", "generations=2"]), Finish::Complete);
    // No second of the second generation is counted for two phases, although its games were played during the first.
    let metrics = Metrics::load(&folder.run()).unwrap();
    let whole = metrics[1].seconds - metrics[0].seconds;
    let mut before = 0;
    for Metrics { learning, .. } in &metrics {
        let taken = learning.steps - before;
        before = learning.steps;
        // Every step sleeps that long.
        assert!(taken > 0 && learning.seconds >= taken as f64 * STEP_TIME.as_secs_f64(), "{metrics:?}");
    }
    assert!(metrics[1].selfplay.seconds + metrics[1].learning.seconds <= whole, "{metrics:?}");
}

#[test]
fn a_run_continues_without_a_damaged_chunk_of_the_generation_under_way() {
    let folder = Folder::new("damage");
    folder.go(false, &[]);
    // Taken into the window just before an interruption, and damaged since.
    let whole = chunks(&folder.run().replay()).unwrap().remove(0);
    let mut bytes = std::fs::read(whole).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    let damaged = folder.run().replay().join("000002-adopted-000000.games");
    std::fs::write(&damaged, bytes).unwrap();
    let (mut run, _) = folder.open(true, &["generations=2"]).unwrap();
    let mut warnings = Vec::new();
    let finish = run.go(&AtomicBool::new(true), &mut |event| note(event, &mut warnings));
    assert_eq!(finish.unwrap(), Finish::Stopped);
    assert!(warnings.len() == 1 && warnings[0].contains("000002-adopted-000000.games"), "{warnings:?}");
    assert!(!damaged.exists());
}

#[test]
fn a_run_continues_without_a_damaged_chunk_of_an_earlier_generation() {
    let folder = Folder::new("earlier");
    folder.go(false, &[]);
    let chunk = chunks(&folder.run().replay()).unwrap().remove(0);
    let mut bytes = std::fs::read(&chunk).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&chunk, bytes).unwrap();
    // Training finds it, and later draws from the same window do not use it.
    let settings = ["generations=2", "training.statistics_batches=4"];
    assert_eq!(folder.go(false, &settings), Finish::Complete);
    assert!(!chunk.exists() && Metrics::load(&folder.run()).unwrap()[1].learning.held_out.is_some());
}

/// Games of the first generation with these numbers instead of their own.
fn games(run: &RunDirectory, numbers: std::ops::Range<u64>) -> Vec<GameRecord> {
    let records = read_chunk::<TicTacToe>(&run.replay().join("000001-0000.games")).unwrap();
    let mut games: Vec<GameRecord> =
        numbers.clone().zip(records.iter().cycle()).map(|(_, game)| game.clone()).collect();
    games.iter_mut().zip(numbers).for_each(|(game, number)| game.number = number);
    games
}

/// The numbers of the games in files of the window whose names begin like this.
fn numbers(run: &RunDirectory, prefix: &str) -> Vec<u64> {
    let is_one = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with(prefix);
    let chunks = chunks(&run.replay()).unwrap().into_iter().filter(is_one);
    let mut numbers: Vec<u64> =
        chunks.flat_map(|path| read_chunk::<TicTacToe>(&path).unwrap()).map(|record| record.number).collect();
    numbers.sort_unstable();
    numbers
}

#[test]
fn waiting_games_count_as_played_ahead() {
    let folder = Folder::new("ahead");
    folder.go(false, &[]);
    // Three generations of eight games each may be ahead at most.
    let selfplay = folder.0.join("selfplay");
    folder.open(true, &[]).unwrap();
    write_chunk::<TicTacToe>(&selfplay.join("00000000.games"), &games(&folder.run(), 8..38)).unwrap();
    assert_eq!(folder.go(true, &["generations=2"]), Finish::Complete);
    let ahead: u64 = chunks(&selfplay).unwrap().iter().map(|path| read_header(path).unwrap().games).sum();
    assert!(numbers(&folder.run(), "000002-").starts_with(&Vec::from_iter(8..38)) && ahead <= 24, "{ahead}");
}

#[test]
fn games_taken_before_an_interruption_count_for_their_generation() {
    for (overlap, next) in [(true, 17), (false, 13)] {
        let folder = Folder::new(if overlap { "taken" } else { "taken-alternate" });
        folder.go(false, &[]);
        folder.open(true, &[]).unwrap();
        let taken = folder.run().replay().join("000002-adopted-000000.games");
        write_chunk::<TicTacToe>(&taken, &games(&folder.run(), 8..next)).unwrap();
        assert_eq!(folder.go(overlap, &["generations=2"]), Finish::Complete);
        let counted = Metrics::load(&folder.run()).unwrap()[1].selfplay.games;
        let numbers = numbers(&folder.run(), "000002-");
        assert!(
            numbers.starts_with(&[8, 9, 10, 11, 12, 13]) && numbers.len() as u64 == counted,
            "{numbers:?} {counted}"
        );
        assert!(overlap || counted == 8, "{counted}");
    }
}

#[test]
fn games_added_before_an_interruption_are_not_taken_again_in_the_other_mode() {
    let folder = Folder::new("twice");
    folder.open(false, &[]).unwrap();
    let beginning = std::fs::read(folder.run().state()).unwrap();
    folder.go(false, &[]);
    // Added to the window, but the state was not written.
    std::fs::write(folder.run().state(), beginning).unwrap();
    let added = folder.run().replay().join("000001-0000.games");
    std::fs::copy(added, folder.0.join("selfplay").join("00000000.games")).unwrap();
    assert_eq!(folder.go(true, &[]), Finish::Complete);
    let numbers = numbers(&folder.run(), "");
    assert!(
        numbers.starts_with(&Vec::from_iter(0..8)) && numbers.windows(2).all(|pair| pair[0] < pair[1]),
        "{numbers:?}"
    );
}

#[test]
fn games_in_the_window_do_not_count_again_in_the_other_mode() {
    let folder = Folder::new("modes");
    folder.go(false, &[]);
    let selfplay = folder.0.join("selfplay");
    // An interruption has left the games of the first generation, and some of the second's are there.
    let taken = chunks(&folder.run().replay()).unwrap().remove(0);
    let mut records = read_chunk::<TicTacToe>(&taken).unwrap();
    std::fs::copy(taken, selfplay.join("00000000.games")).unwrap();
    records.truncate(3);
    records.iter_mut().for_each(|record| record.number += 8);
    write_chunk::<TicTacToe>(&selfplay.join("00000001.games"), &records).unwrap();
    folder.open(true, &[]).unwrap();
    assert_eq!(chunks(&selfplay).unwrap(), [selfplay.join("00000001.games")]);
    assert_eq!(folder.go(false, &["generations=2"]), Finish::Complete);
    let numbers = numbers(&folder.run(), "");
    assert!(numbers.len() >= 16 && numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
}

#[test]
fn expectations_are_compared_with_results_alone() {
    let folder = Folder::new("calibration");
    folder.go(false, &["selfplay.games=64", "training.search_value=0.7"]);
    let calibration = &Metrics::load(&folder.run()).unwrap()[0].learning.calibration;
    let positions: f64 = calibration.iter().map(|[count, ..]| count).sum();
    // Results are whole numbers, what a search expects is not.
    let points: f64 = calibration.iter().map(|[count, _, result]| count * result).sum();
    assert!(positions > 50.0 && (points - points.round()).abs() < 1e-3, "{calibration:?}");
}

#[test]
fn few_games_are_learnt_from_less_often() {
    let folder = Folder::new("reuse");
    let settings = ["training.reuse=4", "training.first_reuse=1", "window.first=700"];
    folder.go(false, &[&["generations=2", "selfplay.games=64"], &settings[..]].concat());
    let metrics = Metrics::load(&folder.run()).unwrap();
    let positions: Vec<u64> = metrics.iter().map(|generation| generation.selfplay.positions).collect();
    assert!(positions[0] < 700 && positions[0] + positions[1] >= 700, "{positions:?}");
    // Three of ten games are held out.
    let steps = |positions: u64, reuse: f64| (positions as f64 * 0.7 * reuse / 16.0).round() as u64;
    assert_eq!(metrics[0].learning.steps, steps(positions[0], 1.0));
    assert_eq!(metrics[1].learning.steps, metrics[0].learning.steps + steps(positions[1], 4.0));
}

#[test]
fn a_run_resumes_although_its_old_configuration_is_no_longer_allowed() {
    let folder = Folder::new("config");
    folder.go(false, &[]);
    let text = std::fs::read_to_string(folder.run().config()).unwrap();
    let old = text.replace("kind = \"none\"", "kind = \"vote\"").replace("batch = 16", "batch = 0\nunknown = 1");
    std::fs::write(folder.run().config(), old).unwrap();
    let refused = |settings| folder.open(false, settings).err().unwrap().to_string();
    assert!(refused(&["network.size=16x1"]).contains("has network.size = 8x1, not 16x1"));
    assert!(refused(&["seed=7"]).contains("has seed = 1, not 7"));
    assert!(refused(&["window.held_out=0.4"]).contains("has window.held_out = 0.3, not 0.4"));
    assert!(refused(&["training.optimizer=sgd"]).contains("has training.optimizer = adamw, not sgd"));
    folder.open(false, &[]).unwrap();
}

#[test]
fn a_run_does_not_resume_from_a_damaged_checkpoint() {
    let folder = Folder::new("checkpoint");
    folder.go(false, &[]);
    let newest = std::fs::read_dir(folder.0.join("checkpoints")).unwrap().map(|entry| entry.unwrap().path()).max();
    let newest = newest.unwrap();
    let mut bytes = std::fs::read(&newest).unwrap();
    // Still a number of steps.
    *bytes.last_mut().unwrap() ^= 3;
    std::fs::write(&newest, bytes).unwrap();
    let error = folder.open(false, &["generations=2"]).err();
    assert!(matches!(error, Some(RunError::NoCheckpoint(_))), "{error:?}");
}

#[test]
fn games_of_an_older_version_are_taken_into_the_window() {
    let folder = Folder::new("version-3");
    folder.open(false, &["selfplay.games=40"]).unwrap();
    let old = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../selfplay/tests/de99b77/tictactoe.games");
    std::fs::copy(&old, folder.0.join("selfplay/00000000.games")).unwrap();
    assert_eq!(folder.go(false, &["selfplay.games=40"]), Finish::Complete);
    let taken = folder.run().replay().join("000001-0000.games");
    assert_eq!(std::fs::read(&taken).unwrap()[8], 4, "the version");
    let codes = |path: &PathBuf| {
        let codes = |record: GameRecord| (record.number, Vec::from_iter(record.plies.iter().map(|ply| ply.code)));
        let mut games: Vec<_> = read_chunk::<TicTacToe>(path).unwrap().into_iter().map(codes).collect();
        games.sort();
        games
    };
    assert_eq!(codes(&taken), codes(&old));
}

/// Works until a phase of a generation begins.
fn stop_in(folder: &Folder, generation: u32, phase: Phase, settings: &[&str]) {
    stop_on(machine(false), folder, generation, phase, settings);
}

/// The same with another machine.
fn stop_on(machine: Machine, folder: &Folder, generation: u32, phase: Phase, settings: &[&str]) {
    let stop = AtomicBool::new(false);
    let mut stop_there = |event: Event<'_>| {
        if let Event::Phase { generation: g, phase: p } = event {
            stop.store((g, p) == (generation, phase), Relaxed);
        }
    };
    let mut run = Run::<Stones>::open(folder.run(), config(settings), machine, &mut |_| {}).unwrap();
    assert_eq!(run.go(&stop, &mut stop_there).unwrap(), Finish::Stopped);
    assert_eq!((run.state().generation, run.state().phase), (generation, phase));
}

#[test]
fn steps_that_a_damaged_checkpoint_has_cost_are_taken_again() {
    let settings = [
        "generations=3",
        "selfplay.games=24",
        "training={steps=8,checkpoint_steps=3}",
        "gate={kind=\"score\",score=0,games=4,visits=2}",
        "rating={every=1,games=4,visits=2,positions=0,players=[\"random\"]}",
    ];
    // What a run has come to: all steps that were due are taken, whatever was lost in between.
    let result = |folder: &Folder| {
        let (run, _) = folder.open(false, &settings).unwrap();
        let (steps, promoted) = (run.state().steps, run.state().promoted.clone());
        (steps, promoted, Metrics::load(&folder.run()).unwrap().len(), numbers(&folder.run(), ""))
    };
    let calm = Folder::new("calm");
    assert_eq!(calm.go(false, &settings), Finish::Complete);
    let calm = result(&calm);
    for (generation, phase) in [
        (1, Phase::Gate),
        (1, Phase::Rate),
        (2, Phase::Selfplay),
        (2, Phase::Learn),
        (2, Phase::Gate),
        (2, Phase::Rate),
        (3, Phase::Selfplay),
    ] {
        let folder = Folder::new(&format!("lost-{generation}-{phase:?}"));
        stop_in(&folder, generation, phase, &settings);
        let checkpoints = alfil_core::disk::list(&folder.0.join("checkpoints")).unwrap();
        let [older, newest] = checkpoints.as_slice() else { panic!("{checkpoints:?}") };
        let mut bytes = std::fs::read(newest).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(newest, bytes).unwrap();
        let mut told = Vec::new();
        let tell = &mut |event: Event<'_>| match event {
            Event::DamagedCheckpoint { path } => told.push(path.display().to_string()),
            Event::LostSteps { steps, lost } => told.push(format!("{steps} {lost}")),
            _ => {}
        };
        drop(Run::<Stones>::open(folder.run(), config(&settings), machine(false), tell).unwrap());
        let steps = |path: &PathBuf| path.file_stem().unwrap().to_str().unwrap().parse::<u64>().unwrap();
        let lost = format!("{} {}", steps(older), steps(newest) - steps(older));
        assert_eq!(told, [format!("{}.damaged", newest.display()), lost], "{phase:?} of {generation}");
        assert_eq!(folder.go(false, &settings), Finish::Complete);
        assert_eq!(result(&folder), calm, "{phase:?} of {generation}");
    }
}

#[test]
fn the_first_training_needs_no_checkpoint_to_be_taken_again() {
    let settings = ["generations=2", "gate={kind=\"score\",score=0,games=4,visits=2}"];
    let folder = Folder::new("first");
    stop_in(&folder, 1, Phase::Gate, &settings);
    let only = alfil_core::disk::list(&folder.0.join("checkpoints")).unwrap().remove(0);
    std::fs::write(&only, "").unwrap();
    assert_eq!(folder.go(false, &settings), Finish::Complete);
    let steps: Vec<u64> =
        Metrics::load(&folder.run()).unwrap().iter().map(|generation| generation.learning.steps).collect();
    assert!(steps[0] > 0 && steps[1] > steps[0], "{steps:?}");
}

#[test]
fn a_file_that_cannot_be_used_is_named_and_left_alone() {
    let folder = Folder::new("named");
    folder.go(false, &[]);
    let refused = || folder.open(false, &["generations=2"]).err().unwrap().to_string();
    let spoilt = |path: PathBuf, bytes: &[u8], expected: &str| {
        let before = std::fs::read(&path).unwrap();
        std::fs::write(&path, bytes).unwrap();
        let error = refused();
        assert!(error.contains(&path.display().to_string()) && error.contains(expected), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
        std::fs::write(&path, before).unwrap();
    };
    let checkpoint = alfil_core::disk::list(&folder.0.join("checkpoints")).unwrap().remove(0);
    spoilt(checkpoint.clone(), b"ALFILCKP\x09\0\0\0 and then something else", "by a newer alfil, in version 9");
    // Whole, but not a state of this learner.
    let state = b"abc";
    let whole = [&alfil_core::checksum::checksum(state).to_le_bytes()[..], state].concat();
    spoilt(checkpoint, &whole, "it is too short");
    let text = std::fs::read_to_string(folder.run().state()).unwrap();
    let champion = text.replace("\"champion\": 1", "\"champion\": 0");
    assert_ne!(text, champion);
    spoilt(folder.run().state(), champion.as_bytes(), "its checksum does not match; restore it from a copy");
    let newer = text.replace("\"version\": 2", "\"version\": 3");
    spoilt(folder.run().state(), newer.as_bytes(), "by a newer alfil, in version 3");
    spoilt(folder.run().network(1), b"nothing", "it is not a network file");
    folder.open(false, &["generations=2"]).unwrap();
}

#[test]
fn losses_of_skipped_steps_do_not_count() {
    let folder = Folder::new("skipped");
    let learner = |architecture: &Architecture, settings: LearningSettings| Idle {
        skips: true,
        ..Idle::new(architecture.clone(), settings)
    };
    let machine = Machine {
        learner: Arc::new(move |encoded, settings, _| Ok(Box::new(learner(encoded.architecture(), settings)))),
        ..machine(false)
    };
    let mut run = Run::<Stones>::open(folder.run(), config(&[]), machine, &mut |_| {}).unwrap();
    assert_eq!(run.go(&AtomicBool::new(false), &mut |_| {}).unwrap(), Finish::Complete);
    assert_eq!(Metrics::load(&folder.run()).unwrap()[0].learning.training.unwrap().policy, 0.0);
}

#[test]
fn a_run_resumes_although_its_metrics_are_damaged() {
    let folder = Folder::new("metrics");
    folder.go(false, &["generations=2"]);
    let mut bytes = std::fs::read(folder.run().metrics()).unwrap();
    bytes[5] = 0xff;
    std::fs::write(folder.run().metrics(), &bytes).unwrap();
    assert_eq!(folder.go(false, &["generations=3"]), Finish::Complete);
    let error = Metrics::load(&folder.run()).unwrap_err().to_string();
    assert!(error.contains("line 1 cannot be read"), "{error}");
    let lines = std::fs::read(folder.run().metrics()).unwrap();
    assert!(lines.starts_with(&bytes) && lines.iter().filter(|byte| **byte == b'\n').count() == 3);
}

#[test]
fn a_plan_is_made_even_if_no_move_is() {
    let slow = config(&["selfplay.visits=1000000", "selfplay.at_once=1", "gate.kind=score"]);
    let made = plan::<Stones>(&slow, &machine(false), Duration::from_millis(200)).unwrap();
    assert!(made.is_random_length && (5.0..9.0).contains(&made.length), "{made:?}");
    assert!((made.positions_per_second * 1e6 / made.evaluations_per_second - 1.0).abs() < 1e-6, "{made:?}");
    // Eight games of about seven plies with a million visits each.
    assert!(made.selfplay * made.evaluations_per_second > 4e7 && made.gate > 0.0 && made.training > 0.0, "{made:?}");
    // Given enough time, games end, the longest among them.
    let of_time =
        |doubled: u32| plan::<Stones>(&config(&[]), &machine(false), Duration::from_millis(200 << doubled)).unwrap();
    let ends = |plan: &Plan| !plan.is_random_length && (5.0..9.0).contains(&plan.length);
    assert!((0..10).map(of_time).any(|plan| ends(&plan)));
    // A plan refuses what training refuses.
    let refused = plan::<Stones>(&config(&["selfplay.endings_share=0.5"]), &machine(false), Duration::ZERO);
    assert!(refused.is_err_and(|error| error.to_string().starts_with("selfplay.endings_share")));
}

#[test]
fn the_file_of_a_rated_network_has_its_rating() {
    let folder = Folder::new("rating");
    let rating = ["rating.every=1", "rating.games=4", "rating.visits=2", "rating.positions=0"];
    assert_eq!(folder.go(false, &rating), Finish::Complete);
    let rated = &Metrics::load(&folder.run()).unwrap()[0].rating.clone().unwrap();
    let network = Network::load(&folder.run().network(rated.network)).unwrap();
    let rating = network.origin.rating.unwrap();
    assert!(
        rating.starts_with(&format!("{:.0} (", rated.elo)) && rating.ends_with(") in the pool of its run"),
        "{rating}"
    );
    assert_eq!(Network::load(&folder.run().network(0)).unwrap().origin.rating, None);
}

/// The settings of a rating that takes milliseconds.
fn rated(more: &str) -> String {
    format!("rating={{games=4,visits=2,positions=0,{more}}}")
}

/// The generations that were rated.
fn rated_generations(folder: &Folder) -> Vec<u32> {
    let metrics = Metrics::load(&folder.run()).unwrap();
    metrics.iter().filter(|metrics| metrics.rating.is_some()).map(|metrics| metrics.generation).collect()
}

#[test]
fn networks_are_compared_with_the_newest_before_them_and_have_a_slope() {
    let folder = Folder::new("slope");
    let rating = rated("every=1,players=[\"random\"],earlier=2");
    assert_eq!(folder.go(false, &["generations=12", &rating]), Finish::Complete);
    let metrics = Metrics::load(&folder.run()).unwrap();
    for (metrics, generation) in metrics.iter().zip(1u32..) {
        let rating = metrics.rating.as_ref().unwrap();
        let mut names: Vec<&str> = rating.standings.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        let taking_part =
            (generation.saturating_sub(2).max(1)..=generation).map(|number| format!("generation {number}"));
        let mut expected: Vec<String> = taking_part.chain(["random".to_owned()]).collect();
        expected.sort_unstable();
        assert_eq!(names, expected);
        assert_eq!(rating.games, 4, "its own games, and none of later networks yet");
        // All that have been rated so far, from one fit.
        let curve: Vec<u32> = rating.curve.iter().map(|(network, ..)| *network).collect();
        assert_eq!(curve, (1..=generation).collect::<Vec<_>>());
    }
    let trends: Vec<_> = metrics.iter().filter_map(|metrics| metrics.rating.as_ref()?.trend).collect();
    assert!(!trends.is_empty() && metrics[1].rating.as_ref().unwrap().trend.is_none());
    for trend in trends {
        let (begin, end) = trend.hours;
        assert!(trend.networks >= 3 && (2.0 * begin - end).abs() < 1e-9, "{trend:?}");
        assert!(trend.low < trend.per_hour && trend.per_hour < trend.high, "{trend:?}");
    }
    // CPU time is counted beside it.
    let cpu: Vec<f64> = metrics.iter().map(|metrics| metrics.cpu_seconds.unwrap()).collect();
    assert!(cpu[0] > 0.0 && cpu.is_sorted(), "{cpu:?}");
    let (run, _) = folder.open(false, &["generations=12", &rating]).unwrap();
    assert!(run.state().cpu_seconds.unwrap() >= cpu[11]);
}

#[test]
fn networks_without_other_players_are_compared_with_the_untrained_one() {
    let folder = Folder::new("alone");
    let rating = rated("every=1,players=[],earlier=1");
    assert_eq!(folder.go(false, &["generations=3", &rating]), Finish::Complete);
    let last = Metrics::load(&folder.run()).unwrap().remove(2).rating.unwrap();
    let curve: Vec<u32> = last.curve.iter().map(|(network, ..)| *network).collect();
    assert_eq!((curve, last.curve[0].1), (vec![0, 1, 2, 3], 0.0));
}

#[test]
fn a_rating_waits_for_its_share_of_the_time() {
    let folder = Folder::new("share");
    let rating = |every: u32, share: f64| rated(&format!("every={every},share={share:?},players=[\"random\"]"));
    // Any rating takes more than a billionth of the time. The first one is interrupted: that it is due stays decided.
    let little = rating(1, 1e-9);
    stop_in(&folder, 1, Phase::Rate, &["generations=5", &little]);
    stop_in(&folder, 3, Phase::Selfplay, &["generations=5", &little]);
    assert_eq!(rated_generations(&folder), [1]);
    // With a larger share it is made up for, and the last network is rated in any case.
    assert_eq!(folder.go(false, &["generations=5", &rating(100, 1.0)]), Finish::Complete);
    assert_eq!(rated_generations(&folder), [1, 3, 5]);
}

#[test]
fn a_player_whose_program_is_not_installed_is_left_out() {
    let folder = Folder::new("missing");
    let line = "uci:no-such-program-of-alfil --flag,nodes=1,name=SF0";
    let rating = |every: u32| rated(&format!("every={every},players=[\"random\",\"{line}\"]"));
    let (mut run, warnings) = folder.open(false, &[&rating(1)]).unwrap();
    let why =
        "SF0: cannot find the engine 'no-such-program-of-alfil --flag': there is no program 'no-such-program-of-alfil'";
    assert!(warnings.len() == 1 && warnings[0].starts_with(why), "{warnings:?}");
    assert_eq!(run.go(&AtomicBool::new(false), &mut |_| {}).unwrap(), Finish::Complete);
    drop(run);
    let rated = Metrics::load(&folder.run()).unwrap().remove(0).rating.unwrap();
    assert_eq!((rated.standings.len(), rated.games), (2, 4), "{rated:?}");
    // Whoever takes the place of the first player is named.
    let first = self::rated(&format!("every=1,players=[\"{line}\",\"alphabeta:depth=1\",\"random\"]"));
    let warnings = folder.open(false, &[&first]).unwrap().1;
    assert_eq!(
        warnings[1..],
        ["alphabeta:depth=1 has the rating 0 in place of SF0, which is not there: ratings with it differ"]
    );
    // Nobody asks for a player of a run that is not rated; and a line that names no player is refused as before.
    assert_eq!(folder.open(false, &[&rating(0)]).unwrap().1, [""; 0]);
    plan::<Stones>(&config(&[&rating(1)]), &machine(false), Duration::from_millis(20)).unwrap();
    let wrong = ["rating.players=[\"uci:no-such-program-of-alfil\"]".to_owned()];
    let refused = Config::parse("game=\"tictactoe\"\nencoding=\"tictactoe/stones\"", &wrong).unwrap_err();
    assert!(refused.to_string().contains("needs a limit"), "{refused}");
}

/// An engine that is installed and removed while the run is interrupted.
#[cfg(unix)]
#[test]
fn all_games_count_whether_an_engine_is_there_or_not() {
    use std::os::unix::fs::PermissionsExt;

    let (folder, programs) = (Folder::new("comes-and-goes"), Folder::new("comes-and-goes-programs"));
    std::fs::create_dir_all(&programs.0).unwrap();
    let engine = programs.0.join("engine");
    let lines = format!("players=[\"random\",\"uci:{},nodes=1,name=first\"],every=1,earlier=1", engine.display());
    let go = |generations: u32| {
        let generations = format!("generations={generations}");
        assert_eq!(folder.go(false, &[&generations, &rated(&lines)]), Finish::Complete);
        Metrics::load(&folder.run()).unwrap().pop().unwrap().rating.unwrap()
    };
    let takes_part = |rating: &RatingMetrics| rating.standings.iter().any(|(name, _)| name == "first");
    assert!(!takes_part(&go(1)));
    // Takes the first free cell, as far as it can tell.
    let script = r#"#!/bin/sh
        while read -r line; do
          case "$line" in
            uci) echo 'option name UCI_Variant type combo default tictactoe var tictactoe'; echo uciok;;
            isready) echo readyok;;
            position*) moves="${line#*moves}";;
            quit) exit 0;;
            go*)
              for cell in 9 8 7 6 5 4 3 2 1; do case " $moves " in *" $cell "*) ;; *) best=$cell;; esac; done
              echo "bestmove $best";;
          esac
        done
    "#;
    std::fs::write(&engine, script).unwrap();
    std::fs::set_permissions(&engine, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(takes_part(&go(2)));
    std::fs::remove_file(&engine).unwrap();
    let last = go(3);
    assert!(!takes_part(&last));
    assert_eq!(last.curve.iter().map(|(network, ..)| *network).collect::<Vec<_>>(), [1, 2, 3]);
    let games = std::fs::read_to_string(folder.run().path().join("rating.jsonl")).unwrap();
    assert!(games.contains("engine,nodes=1"), "its games are kept: {games}");
}

/// Whatever phase an evaluator fails in, the run reports it, leaves no thread, and resumes to the same result.
#[test]
fn a_run_resumes_after_its_evaluator_failed() {
    alone("a_run_resumes_after_its_evaluator_failed", fail_again_and_again).unwrap();
}

fn fail_again_and_again() {
    let settings = [
        "generations=2",
        "selfplay.games=24",
        "gate={kind=\"score\",games=4,visits=2}",
        "rating={every=1,games=4,visits=2,positions=10,players=[\"random\"]}",
    ];
    let files = |folder: &Folder| {
        let origin = |generation| Network::load(&folder.run().network(generation)).ok().map(|network| network.origin);
        let state = std::fs::read_to_string(folder.run().state()).unwrap();
        let state: serde_json::Value = serde_json::from_str(&state).unwrap();
        let progress = ["generation", "champion", "promoted", "steps", "games"].map(|key| state[key].clone());
        ((0..=2).map(origin).collect::<Vec<_>>(), progress, numbers(&folder.run(), ""))
    };
    for overlap in [false, true] {
        let (whole, broken) = (Folder::new(&format!("whole-{overlap}")), Folder::new(&format!("broken-{overlap}")));
        assert_eq!(whole.go(overlap, &settings), Finish::Complete);
        // Those of rayon stay.
        let before = threads();
        let mut failures = [0, 0];
        for attempt in 0.. {
            assert!(attempt < 100, "it makes no progress");
            let panics = attempt % 2 == 1;
            let device = if panics { FailingDevice::panicking_after(80) } else { FailingDevice::after(80) };
            let machine = machine_on(overlap, Arc::new(device));
            let mut run = Run::<Stones>::open(broken.run(), config(&settings), machine, &mut |_| {}).unwrap();
            let went = run.go(&AtomicBool::new(false), &mut |_| {});
            drop(run);
            assert!(no_thread_is_left(before));
            match went.map_err(|error| error.to_string()) {
                Ok(finish) => {
                    assert_eq!(finish, Finish::Complete);
                    break;
                }
                Err(sentence) if panics => assert!(sentence.ends_with(" panicked: the test wants it"), "{sentence}"),
                Err(sentence) => assert_eq!(sentence, SENTENCE),
            }
            failures[usize::from(panics)] += 1;
        }
        assert!(failures[0] > 0 && failures[1] > 0, "{failures:?}");
        if !overlap {
            assert_eq!(files(&broken), files(&whole), "the same as without a failure");
        }
    }
}

/// Whether [`Breaking`] panics.
static BREAKS: AtomicBool = AtomicBool::new(false);

/// The usual encoding, except that it panics when it is told to.
struct Breaking;

impl Encoding for Breaking {
    type Game = TicTacToe;

    const NAME: &'static str = Stones::NAME;
    const VERSION: u32 = Stones::VERSION;
    const PLANES: usize = Stones::PLANES;
    const HEIGHT: usize = Stones::HEIGHT;
    const WIDTH: usize = Stones::WIDTH;
    const POLICY_PLANES: usize = Stones::POLICY_PLANES;
    const POLICY_SIZE: usize = Stones::POLICY_SIZE;

    fn planes(game: &TicTacToe, planes: &mut [f32]) {
        assert!(!BREAKS.load(Relaxed), "the test wants it");
        Stones::planes(game, planes);
    }

    fn index(game: &TicTacToe, m: Cell) -> usize {
        Stones::index(game, m)
    }

    fn move_at(game: &TicTacToe, index: usize) -> Option<Cell> {
        Stones::move_at(game, index)
    }
}

/// A batch that cannot be built ends the run with an error. Training goes on from there, and is not shortened.
#[test]
fn training_is_not_shortened_by_a_panic_of_the_thread_that_builds_batches() {
    let folder = Folder::new("builder");
    let settings = ["training.steps=9"];
    let mut run = Run::<Breaking>::open(folder.run(), config(&settings), machine(false), &mut |_| {}).unwrap();
    let mut tell = |event: Event<'_>| {
        // The batches after this one are under way.
        if let Event::Step { step: 2, .. } = event {
            BREAKS.store(true, Relaxed);
        }
    };
    let error = run.go(&AtomicBool::new(false), &mut tell).unwrap_err().to_string();
    BREAKS.store(false, Relaxed);
    assert_eq!(error, "a thread of training panicked: the test wants it");
    drop(run);
    let mut run = Run::<Breaking>::open(folder.run(), config(&settings), machine(false), &mut |_| {}).unwrap();
    assert_eq!(run.go(&AtomicBool::new(false), &mut |_| {}).unwrap(), Finish::Complete);
    assert_eq!(Metrics::load(&folder.run()).unwrap()[0].learning.steps, 9);
}

#[test]
fn a_plan_ends_when_the_evaluator_fails() {
    alone("a_plan_ends_when_the_evaluator_fails", || {
        let before = threads();
        // In its first batch, which is measured however long it takes.
        let machine = machine_on(false, Arc::new(FailingDevice::after(0)));
        let failed = plan::<Stones>(&config(&[]), &machine, Duration::from_millis(200)).unwrap_err();
        assert_eq!(failed.to_string(), SENTENCE);
        assert!(no_thread_is_left(before));
    })
    .unwrap();
}

/// A run of two generations with all phases, on tables as few as the pairs of its matches. The second has other settings.
const EVERYTHING: [&str; 7] = [
    "tensorboard=true",
    "[[stage]]\nfrom_generation = 2\nselfplay = {games = 7, visits = 6}\ntraining = {batch = 12, reuse = 5, rate = 0.1}\nwindow.first = 30",
    "generations=2",
    "selfplay.games=6",
    "training.checkpoint_steps=2",
    "gate={kind=\"score\",score=0.0,games=4,visits=2}",
    "rating={every=2,games=4,visits=2,positions=4,players=[\"random\",\"uct:rollouts=2\"]}",
];

/// What a run has come to, except times: networks, state, games of the window, texts for people, measurements.
fn outcome(folder: &Folder) -> impl PartialEq + std::fmt::Debug + use<> {
    let run = folder.run();
    let networks = [0, 1, 2].map(|generation| {
        let Network { weights, origin, .. } = Network::load(&run.network(generation)).unwrap();
        (origin, checksum(format!("{weights:?}").as_bytes()))
    });
    let state = std::fs::read_to_string(run.state()).unwrap();
    let state: serde_json::Value = serde_json::from_str(&state).unwrap();
    let keys = ["generation", "phase", "champion", "promoted", "steps", "games", "cursor"];
    let state = keys.map(|key| state[key].clone());
    let games = chunks(&run.replay()).unwrap().into_iter();
    let games: Vec<_> =
        games.map(|path| (path.file_name().unwrap().to_owned(), read_chunk::<TicTacToe>(&path).unwrap())).collect();
    let paths = std::fs::read_dir(run.games()).unwrap().map(|entry| entry.unwrap().path());
    let texts = paths.chain([run.path().join("rating.jsonl")]);
    let texts: BTreeMap<_, _> = texts.map(|path| (path.file_name().unwrap().to_owned(), timeless(&path))).collect();
    let metrics = Metrics::load(&run).unwrap().into_iter().map(|metrics| {
        let rating = metrics.rating.map(|rating| (rating.elo, rating.games, rating.curve, rating.exam));
        let learning = (metrics.learning.steps, metrics.learning.calibration, metrics.learning.window);
        let games = (metrics.selfplay.results, metrics.selfplay.won_by_rules, metrics.selfplay.policy_divergence);
        (games, metrics.games, learning, metrics.gate.map(|gate| gate.results), metrics.promoted, rating)
    });
    (networks, state, games, texts, metrics.collect::<Vec<_>>())
}

/// The lines of a text without comments and notes, which tell times, in alphabetical order.
fn timeless(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    if path.extension().is_some_and(|ending| ending == "pgn") {
        return text.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest).to_owned()).collect();
    }
    let mut lines: Vec<String> = text
        .lines()
        .map(|line| {
            let mut line: serde_json::Value = serde_json::from_str(&unseal(line).unwrap().0).unwrap();
            line.as_object_mut().unwrap().remove("notes");
            line.to_string()
        })
        .collect();
    lines.sort();
    lines
}

/// Opens the run and works until it is complete, unless it fails.
fn attempt(folder: &Folder, overlap: bool, settings: &[&str]) -> Result<(), RunError> {
    warned_attempt(folder, overlap, settings, &mut Vec::new())
}

/// The same with what it warns of.
fn warned_attempt(
    folder: &Folder,
    overlap: bool,
    settings: &[&str],
    warnings: &mut Vec<String>,
) -> Result<(), RunError> {
    let mut note = |event: Event<'_>| note(event, warnings);
    let mut run = Run::<Stones>::open(folder.run(), config(settings), machine(overlap), &mut note)?;
    assert_eq!(run.go(&AtomicBool::new(false), &mut note)?, Finish::Complete);
    Ok(())
}

/// Whether one of these sentences says what has failed.
fn is_told(failed: &faults::Failed, told: &[String]) -> bool {
    let path = failed.path.display().to_string();
    told.iter().any(|text| ["cannot ", &path, faults::SENTENCE].iter().all(|part| text.contains(part)))
}

/// Whichever file operation fails, once or from there on, the run ends with an error that names the file, and resumes to
/// the same result; where only people miss the file, it warns of that and goes on. Tries every `stride`-th operation.
fn fail_everywhere(name: &str, settings: &[&str], lasting: bool, stride: usize) {
    let whole = Folder::new(&format!("{name}-{lasting}"));
    attempt(&whole, false, settings).unwrap();
    let expected = outcome(&whole);
    for operation in (0..).step_by(stride) {
        let folder = Folder::new(&format!("{name}-{lasting}-{operation}"));
        let faults = faults::inject(&folder.0, operation, lasting);
        let mut told = Vec::new();
        let ended = warned_attempt(&folder, false, settings, &mut told);
        let failed = faults.failed();
        drop(faults);
        let Some(failed) = failed else {
            ended.unwrap();
            assert!(operation > 50, "{operation}");
            break;
        };
        if let Err(error) = ended {
            assert!(error.to_string().ends_with(faults::SENTENCE), "{failed:?}: {error}");
            told.push(error.to_string());
        }
        // A file that is no longer needed may stay.
        assert!(failed.operation == "remove" || is_told(&failed, &told), "{failed:?}: {told:?}");
        attempt(&folder, false, settings).unwrap();
        // Games that are only looked at are not played again for that.
        let shown = failed.path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("selfplay-"));
        if shown && !failed.path.exists() {
            std::fs::copy(whole.0.join(failed.path.strip_prefix(&folder.0).unwrap()), &failed.path).unwrap();
        }
        assert_eq!(outcome(&folder), expected, "{failed:?}");
    }
}

const BORDER: &str = "[[stage]]\nfrom_generation = 2
    selfplay = {games = 12, random_plies = 3}
    training = {batch = 8, reuse = 2, rate = 0.5}
    window.first = 40
    gate = {kind = \"score\", score = 0, games = 4, visits = 3}";

#[test]
fn a_stage_changes_games_training_window_and_gate_from_its_generation_on() {
    let folder = Folder::new("stage");
    assert_eq!(folder.go(false, &["generations=3", "window.first=1000", BORDER]), Finish::Complete);
    let metrics = Metrics::load(&folder.run()).unwrap();
    assert_eq!(metrics.iter().map(|generation| generation.selfplay.games).collect::<Vec<_>>(), [8, 12, 12]);
    // Games begin with up to three random plies.
    let random: Vec<bool> = games_of_all(&folder.run()).iter().map(|(_, games)| begin_anywhere(games)).collect();
    assert_eq!(random, [false, true, true]);
    let rates: Vec<f64> = metrics.iter().map(|generation| generation.learning.rate).collect();
    assert_eq!(rates.iter().map(|rate| *rate > 0.002).collect::<Vec<_>>(), [false, true, true], "{rates:?}");
    let positions: Vec<u64> = metrics.iter().map(|generation| generation.selfplay.positions).collect();
    let steps = |positions: u64, reuse: f64, batch: f64| (positions as f64 * 0.7 * reuse / batch).round() as u64;
    assert_eq!(metrics[0].learning.steps, steps(positions[0], 4.0, 16.0));
    assert_eq!(metrics[1].learning.steps, metrics[0].learning.steps + steps(positions[1], 2.0, 8.0));
    assert!(metrics[2].learning.window < positions.iter().sum(), "{metrics:?}");
    assert_eq!(metrics.iter().map(|generation| generation.gate.is_some()).collect::<Vec<_>>(), [false, true, true]);
    // The run's own file has the stage.
    let stored = Config::load(&folder.run().config(), &[]).unwrap();
    assert_eq!(stored.stages, config(&[BORDER]).stages);
}

/// A network that passes its first match, however it ends.
const GROWING: &str = "[[stage]]\nfrom_generation = 2
    network.size = \"16x1\"
    gate = {kind = \"score\", score = 0, games = 4, visits = 3}";

#[test]
fn a_network_grows_when_it_passes_the_gate() {
    let folder = Folder::new("grow");
    let sizes = |folder: &Folder| {
        let networks = (0..=3).filter_map(|number| Network::load(&folder.run().network(number)).ok());
        networks.map(|network| network.architecture.size().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(folder.go(false, &["generations=3", GROWING]), Finish::Complete);
    assert_eq!(sizes(&folder), ["8x1", "8x1", "16x1", "16x1"]);
    let metrics = Metrics::load(&folder.run()).unwrap();
    let steps: Vec<u64> = metrics.iter().map(|generation| generation.learning.steps).collect();
    let positions: Vec<u64> = metrics.iter().map(|generation| generation.selfplay.positions).collect();
    // It has learnt from all games before its first match.
    let all = ((positions[0] + positions[1]) as f64 * 0.7 * 4.0 / 16.0).round() as u64;
    assert_eq!(steps[1] - steps[0], all, "{steps:?} {positions:?}");
    assert!(steps[2] > steps[1]);
    // One that never passes goes on learning, while the smaller one plays.
    let never = Folder::new("grow-never");
    let stage = GROWING.replace("score = 0", "score = 1");
    assert_eq!(never.go(false, &["generations=3", "gate.score=1", &stage]), Finish::Complete);
    assert_eq!(sizes(&never)[..2], ["8x1", "8x1"]);
    // Without a gate there is one as long as the network grows.
    let none = Folder::new("grow-none");
    let stage = "[[stage]]\nfrom_generation = 2\nnetwork.size = \"16x1\"\ngate = {games = 4, visits = 3}";
    assert_eq!(none.go(false, &["generations=2", stage]), Finish::Complete);
    let metrics = Metrics::load(&none.run()).unwrap();
    assert!(metrics[0].gate.is_none() && metrics[1].gate.is_some());
}

#[test]
fn a_network_grows_when_it_is_told_to_and_stays_so() {
    let folder = Folder::new("grow-told");
    let settings = ["generations=2", "gate={games=4,visits=2}"];
    let (mut run, _) = folder.open(false, &settings).unwrap();
    run.grow("16x1".parse().unwrap()).unwrap();
    let mut told = Vec::new();
    let mut tell = |event: Event<'_>| {
        if let Event::Grow { from, to } = event {
            told.push(format!("{from} {to}"));
        }
    };
    assert_eq!(run.go(&AtomicBool::new(false), &mut tell).unwrap(), Finish::Complete);
    drop(run);
    assert_eq!(told, ["8x1 16x1"]);
    let later = ["generations=4", "gate={kind=\"score\",score=0,games=4,visits=2}"];
    assert_eq!(folder.go(false, &later), Finish::Complete);
    let newest = Network::load(&folder.run().network(4)).unwrap();
    assert_eq!(newest.architecture.size().to_string(), "16x1");
    let (run, _) = folder.open(false, &later).unwrap();
    assert_eq!(newest.origin.steps, Some(run.state().earlier + run.state().steps));
    assert!(run.state().earlier > 0);
}

#[test]
fn a_run_that_is_stopped_around_a_border_ends_as_one_that_is_not() {
    stopped_around(BORDER, "border");
}

#[test]
fn a_run_that_is_stopped_while_its_network_grows_ends_as_one_that_is_not() {
    stopped_around(GROWING, "growing");
}

fn stopped_around(stage: &str, name: &str) {
    let settings = ["generations=3", "training.checkpoint_steps=3", stage];
    let result = |folder: &Folder| {
        let networks = [0, 1, 2, 3].map(|generation| Network::load(&folder.run().network(generation)).unwrap());
        let steps: Vec<u64> = Metrics::load(&folder.run()).unwrap().iter().map(|line| line.learning.steps).collect();
        (networks, steps, games_of_all(&folder.run()))
    };
    let calm = Folder::new(name);
    assert_eq!(calm.go(false, &settings), Finish::Complete);
    let calm = result(&calm);
    for (generation, phase) in [
        (1, Phase::Learn),
        (2, Phase::Selfplay),
        (2, Phase::Learn),
        (2, Phase::Gate),
        (3, Phase::Selfplay),
        (3, Phase::Learn),
    ] {
        let folder = Folder::new(&format!("{name}-{generation}-{phase:?}"));
        stop_in(&folder, generation, phase, &settings);
        assert_eq!(folder.go(false, &settings), Finish::Complete);
        assert!(result(&folder) == calm, "{phase:?} of {generation}");
    }
}

/// A network file in the folder of the test, with this value head.
fn start_file(folder: &Folder, size: &str, head: HeadShape) -> String {
    let mut architecture = Architecture::new::<Stones>(size.parse().unwrap());
    architecture.value.head = head;
    let path = folder.0.with_extension("safetensors");
    Network::random::<Stones>(architecture, 77).save(&path).unwrap();
    format!("network.start={}", path.display())
}

const USUAL_HEAD: HeadShape = HeadShape { filters: 32, hidden: 128 };

#[test]
fn a_run_begins_with_a_network_and_goes_on_without_its_file() {
    let settings = ["generations=2", "training={statistics_batches=2,checkpoint_steps=1000}"];
    let networks = |folder: &Folder| [0, 1, 2].map(|number| Network::load(&folder.run().network(number)).unwrap());
    let (calm, random) = (Folder::new("start"), Folder::new("start-random"));
    let start = start_file(&calm, "8x1", USUAL_HEAD);
    assert_eq!(calm.go(false, &[&settings[..], &[&start]].concat()), Finish::Complete);
    let file = start.strip_prefix("network.start=").unwrap();
    let first = networks(&calm)[0].origin.clone();
    assert_eq!(first.parent.as_deref(), Some(alfil_core::wording::shorten(file).as_str()));
    assert_eq!(random.go(false, &settings), Finish::Complete);
    assert!(networks(&random)[0].origin.parent.is_none() && networks(&random)[1] != networks(&calm)[1]);
    // Stopped before its first training, and after some steps of it.
    for steps in [0, 2] {
        let folder = Folder::new(&format!("start-{steps}"));
        assert_eq!(start_file(&calm, "8x1", USUAL_HEAD), start);
        let begun = [&settings[..], &[&start]].concat();
        let (mut run, _) = folder.open(false, &begun).unwrap();
        let stop = AtomicBool::new(false);
        let mut tell = |event: Event<'_>| {
            let is_there = match event {
                Event::Phase { phase: Phase::Learn, .. } => steps == 0,
                Event::Step { step, .. } => step == steps,
                _ => false,
            };
            stop.fetch_or(is_there, Relaxed);
        };
        assert_eq!(run.go(&stop, &mut tell).unwrap(), Finish::Stopped);
        drop(run);
        std::fs::remove_file(file).unwrap();
        assert_eq!(folder.go(false, &begun), Finish::Complete);
        assert!(networks(&folder) == networks(&calm), "{steps}");
    }
}

#[test]
fn a_run_says_which_heads_are_new_and_refuses_a_network_that_does_not_fit() {
    let folder = Folder::new("start-heads");
    let start = start_file(&folder, "8x1", HeadShape { filters: 4, hidden: 8 });
    let mut told = Vec::new();
    let tell = &mut |event: Event<'_>| {
        if let Event::Start { network, new_heads } = event {
            told.push(format!("{network} {new_heads:?}"));
        }
    };
    Run::<Stones>::open(folder.run(), config(&[&start]), machine(false), tell).unwrap();
    let file = start.strip_prefix("network.start=").unwrap();
    assert_eq!(told, [format!("{file} [\"value\"]")]);
    let other = Folder::new("start-wrong");
    let refused = |start: &str| other.open(false, &[start]).err().unwrap().to_string();
    let tower = refused(&start_file(&folder, "8x2", USUAL_HEAD));
    assert!(tower.starts_with(&format!("cannot begin with the network {file}: its tower is 8x2 with ")), "{tower}");
    let connect4 = refused("network.start=connect4");
    assert!(
        connect4.contains("it was made for connect4/stones version ") && connect4.contains("tictactoe/stones"),
        "{connect4}"
    );
    std::fs::write(file, "nothing").unwrap();
    let damaged = refused(&start);
    assert!(damaged.contains("it is not a network file, or it is damaged"), "{damaged}");
    std::fs::remove_file(file).unwrap();
    assert!(refused(&start).contains("No such file"), "{}", refused(&start));
    assert!(!other.0.exists(), "nothing is written");
}

/// Whether some of the games begin elsewhere than at the start.
fn begin_anywhere(games: &[GameRecord]) -> bool {
    games.iter().any(|game| !game.start.is_empty())
}

/// All games of the window, by file.
fn games_of_all(run: &RunDirectory) -> Vec<(PathBuf, Vec<GameRecord>)> {
    let chunks = chunks(&run.replay()).unwrap().into_iter();
    let read =
        |path: PathBuf| (path.strip_prefix(run.path()).unwrap().to_owned(), read_chunk::<TicTacToe>(&path).unwrap());
    chunks.map(read).collect()
}

#[test]
fn self_play_in_the_background_takes_over_the_settings_of_a_stage() {
    let folder = Folder::new("overlap-stage");
    let long = "[[stage]]\nfrom_generation = 2\nselfplay.random_plies = 4\nselfplay.games = 24";
    let settings = ["generations=4", "selfplay={games=300,at_once=300,visits=2}", "training.steps=4", long];
    assert_eq!(folder.go(true, &settings), Finish::Complete);
    // Games of before are learnt from in the second generation; those of the last one are new.
    let games = games_of_all(&folder.run());
    assert!(!begin_anywhere(&games[0].1) && begin_anywhere(&games.last().unwrap().1), "{games:?}");
    let numbers = numbers(&folder.run(), "");
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
}

#[test]
fn settings_by_time_are_those_of_the_hour_that_the_generation_began_at() {
    let folder = Folder::new("hours");
    // The stage begins after a millisecond, and a generation whose steps take 20 each takes longer. The planned hour does not end.
    let settings = ["generations=2", "training={decay=\"cosine\",planned=1,warm_up=0,rate=1,last_rate=0}"];
    let hours = "[[stage]]\nfrom_hours = 0.0000003\nselfplay.games = 9";
    let settings = [&settings[..], &[hours]].concat();
    stop_on(Machine { overlap: false, ..machine(true) }, &folder, 2, Phase::Learn, &settings);
    std::thread::sleep(Duration::from_millis(50));
    let (run, _) = folder.open(false, &settings).unwrap();
    let began = run.state().hours();
    drop(run);
    assert_eq!(folder.go(false, &settings), Finish::Complete);
    let metrics = Metrics::load(&folder.run()).unwrap();
    assert!((began * 3600.0 - metrics[0].seconds).abs() < 0.002, "{began} {metrics:?}");
    let schedule: Schedule = config(&settings).training.learning.schedule;
    assert_eq!(metrics[0].learning.rate, 1.0);
    // A number that went through JSON may differ in its last bit.
    assert!((metrics[1].learning.rate / schedule.after(began).at(0) - 1.0).abs() < 1e-12, "{metrics:?}");
    assert!(metrics[1].learning.rate < 1.0, "{metrics:?}");
    assert_eq!([metrics[0].selfplay.games, metrics[1].selfplay.games], [8, 9]);
}

#[test]
fn a_stage_that_the_game_cannot_have_is_refused_at_the_start() {
    let folder = Folder::new("stage-refused");
    let wrong = "[[stage]]\nfrom_generation = 99\nselfplay.endings_share = 0.5";
    let refused = folder.open(false, &[wrong]).err().unwrap().to_string();
    assert_eq!(refused, "stage 1: selfplay.endings_share must be 0: tictactoe has no random endings");
    assert!(!folder.run().has_begun());
    let file = folder.0.with_extension("safetensors");
    std::fs::write(&file, "not a network").unwrap();
    let player = format!("[[stage]]\nfrom_hours = 99\nrating.players = [\"{}:visits=1\"]", file.display());
    let refused = folder.open(false, &[&player]).err().unwrap().to_string();
    std::fs::remove_file(&file).unwrap();
    assert!(refused.starts_with("stage 1: ") && refused.contains("stage-refused"), "{refused}");
}

#[test]
fn a_plan_can_be_adapted_to_a_stage() {
    let settings = ["selfplay.visits=8", "gate.kind=score"];
    let stage =
        "[[stage]]\nfrom_generation = 3\nselfplay = {games = 16, visits = 32}\ntraining.batch = 8\ngate.visits = 64";
    let config = config(&[settings[0], settings[1], stage]);
    let first = plan::<Stones>(&config, &machine(false), Duration::from_millis(100)).unwrap();
    let later = first.adapted(&config.at(1, 0.0), &config.at(3, 0.0));
    assert!((later.selfplay / first.selfplay / 8.0 - 1.0).abs() < 1e-9, "twice the games, four times the visits");
    assert!((later.training / first.training / 2.0 - 1.0).abs() < 0.2, "{first:?} {later:?}");
    assert!((later.gate / first.gate - 2.0).abs() < 1e-9);
}

#[test]
fn a_run_resumes_after_any_file_operation_failed() {
    fail_everywhere("faults", &EVERYTHING, false, 1);
}

#[test]
fn a_run_resumes_after_the_disk_failed_from_an_operation_on() {
    fail_everywhere("faults", &EVERYTHING, true, 3);
}

/// Which games are played in overlap mode depends on when generations end. None is lost or counted twice.
#[test]
fn an_overlapping_run_resumes_after_file_operations_failed() {
    // Full chunks: smaller ones are written after ten seconds.
    let settings = [&EVERYTHING[..], &["selfplay={games=256,at_once=256,visits=2}", "training.steps=4"]].concat();
    for operation in (0..).step_by(17) {
        let folder = Folder::new(&format!("faults-overlap-{operation}"));
        let faults = faults::inject(&folder.0, operation, operation % 2 == 0);
        let mut told = Vec::new();
        let ended = warned_attempt(&folder, true, &settings, &mut told);
        let failed = faults.failed();
        drop(faults);
        match ended {
            Err(error) => assert!(error.to_string().ends_with(faults::SENTENCE), "{failed:?}: {error}"),
            // A file of games that cannot be read while others are waited for is tried again, and one that only people miss is
            // not missed by the run.
            Ok(()) => assert!(
                failed.as_ref().is_none_or(|failed| failed.operation == "remove" || is_told(failed, &told)),
                "{failed:?}: {told:?}"
            ),
        }
        attempt(&folder, true, &settings).unwrap();
        let (metrics, numbers) = (Metrics::load(&folder.run()).unwrap(), numbers(&folder.run(), ""));
        assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{failed:?}: {numbers:?}");
        let games: Vec<u64> = metrics.iter().map(|metrics| metrics.selfplay.games).collect();
        assert!(games.len() == 2 && games.iter().sum::<u64>() == numbers.len() as u64, "{failed:?}: {games:?}");
        if failed.is_none() {
            break;
        }
    }
}

/// What a newer program has written is neither read nor set aside.
#[test]
fn a_rating_file_of_a_newer_program_stays_where_it_is() {
    let folder = Folder::new("newer");
    let rated = rated("every=1,players=[\"random\"]");
    attempt(&folder, false, &[&rated]).unwrap();
    let path = folder.run().path().join("rating.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let (first, others) = text.split_once('\n').unwrap();
    let newer = seal(&unseal(first).unwrap().0.replace("ladder\":2", "ladder\":3")) + others;
    std::fs::write(&path, &newer).unwrap();
    let error = attempt(&folder, false, &["generations=2", &rated]).unwrap_err().to_string();
    let sentence = "was written by a newer alfil, in version 3 of its format, and this one knows 2: update it";
    assert_eq!(error, format!("{} {sentence}", path.display()));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), newer);
    // The same with what was measured.
    let metrics = folder.run().metrics();
    let text = std::fs::read_to_string(&metrics).unwrap();
    let line = unseal(text.lines().next().unwrap()).unwrap().0;
    std::fs::write(&metrics, seal(&line.replace("\"version\":2", "\"version\":3"))).unwrap();
    assert_eq!(Metrics::load(&folder.run()).unwrap_err().to_string(), format!("{} {sentence}", metrics.display()));
}

/// Files of games that only people look at, or that only save work, do not stop a run when they are damaged.
#[test]
fn a_run_sets_damaged_files_of_matches_aside() {
    let settings = [
        "selfplay.games=6",
        "gate={kind=\"score\",score=0.0,games=60,visits=2}",
        "rating={every=1,games=60,visits=2,positions=0,players=[\"random\"]}",
    ];
    let (whole, folder) = (Folder::new("no-damage"), Folder::new("aside"));
    attempt(&whole, false, &settings).unwrap();
    // Works until an event comes, and returns the warnings.
    let go = |is_end: fn(&Event<'_>) -> bool| {
        let (mut run, mut warnings) = folder.open(false, &settings).unwrap();
        let stop = AtomicBool::new(false);
        let mut tell = |event: Event<'_>| {
            stop.fetch_or(is_end(&event), Relaxed);
            note(event, &mut warnings);
        };
        (run.go(&stop, &mut tell).unwrap(), warnings)
    };
    let damage = |path: &Path| {
        let mut bytes = std::fs::read(path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(path, &bytes).unwrap();
        (format!("{}.damaged", path.display()), bytes)
    };
    assert_eq!(go(|event| matches!(event, Event::Gate { .. })).0, Finish::Stopped);
    let pgn = folder.run().games().join("gate-000001-2.pgn");
    std::fs::write(&pgn, "[Event \"of someone else\"]\n").unwrap();
    let gate = [damage(&folder.run().games().join("gate-000001-2.jsonl")), damage(&pgn)];
    let (finish, warnings) = go(|event| matches!(event, Event::Rating { .. }));
    assert!(finish == Finish::Stopped && warnings.len() == 2, "{warnings:?}");
    let rating = damage(&folder.0.join("rating.jsonl"));
    let (finish, more) = go(|_| false);
    assert!(finish == Finish::Complete && more.len() == 1, "{more:?}");
    for ((path, bytes), warning) in gate.iter().chain([&rating]).zip(warnings.iter().chain(&more)) {
        assert!(warning.ends_with(path), "{warning}");
        assert_eq!(std::fs::read(path).unwrap(), *bytes);
    }
    let results = |folder: &Folder| {
        let metrics = Metrics::load(&folder.run()).unwrap().remove(0);
        let rating = metrics.rating.unwrap();
        (metrics.gate.unwrap().results, rating.elo, rating.games)
    };
    assert_eq!(results(&folder), results(&whole));
    assert_eq!(timeless(&pgn), timeless(&whole.run().games().join("gate-000001-2.pgn")));
}

#[cfg(unix)]
#[test]
fn a_plan_starts_no_program_and_a_run_does() {
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::new("programs");
    std::fs::create_dir_all(&folder.0).unwrap();
    let (engine, started) = (folder.0.join("engine"), folder.0.join("started"));
    std::fs::write(&engine, format!("#!/bin/sh\ntouch {}\n", started.display())).unwrap();
    std::fs::set_permissions(&engine, std::fs::Permissions::from_mode(0o755)).unwrap();
    let players = format!("rating.players=[\"uci:{},nodes=1\"]", engine.display());
    plan::<Stones>(&config(&[&players]), &machine(false), Duration::from_millis(20)).unwrap();
    assert!(!started.exists(), "the engine was started");
    let refused = folder.open(false, &[&players]).err().unwrap().to_string();
    assert!(refused.contains("it crashed") && started.exists(), "{refused}");
    assert!(!folder.run().has_begun(), "nothing is written before");
}

/// A run of chess has the instruments of its estimates, and they are the same after an interruption.
#[test]
fn networks_are_probed_where_the_game_has_estimates() {
    let text = r#"
        game = "chess"
        encoding = "chess/az21"
        generations = 2
        network.size = "8x1"
        selfplay = { games = 2, at_once = 2, visits = 4, considered = 4, random_plies = 40, adjudicate_material = 100 }
        window.held_out = 0.3
        training = { batch = 16, statistics_batches = 0, steps = 2 }
        gate.kind = "none"
        rating.every = 0
        probe = { positions = 6, pairs = 8 }
    "#;
    let open = |folder: &Folder| {
        let config = Config::parse(text, &[]).unwrap();
        Run::<Az21>::open(folder.run(), config, machine(false), &mut |_| {}).unwrap()
    };
    let measured = |folder: &Folder| {
        let metrics = Metrics::load(&folder.run()).unwrap().into_iter();
        let each = metrics.map(|metrics| {
            let ProbeMetrics { gap, bias, correlation, blunders, .. } = metrics.probe.unwrap();
            (gap, bias, correlation, blunders, metrics.selfplay.policy_divergence, metrics.selfplay.won_by_rules)
        });
        each.collect::<Vec<_>>()
    };
    let (whole, broken) = (Folder::new("probe"), Folder::new("probe-broken"));
    assert_eq!(open(&whole).go(&AtomicBool::new(false), &mut |_| {}).unwrap(), Finish::Complete);
    // Stopped after the last step: the probe is cut short.
    let stop = AtomicBool::new(false);
    let mut stop_late = |event: Event<'_>| {
        if let Event::Step { step, of, .. } = event {
            stop.fetch_or(step == of, Relaxed);
        }
    };
    let mut run = open(&broken);
    assert_eq!(run.go(&stop, &mut stop_late).unwrap(), Finish::Stopped);
    assert_eq!((run.state().generation, run.state().phase), (1, Phase::Learn));
    drop(run);
    for at in [(1, Phase::Learn), (1, Phase::Gate), (2, Phase::Learn), (2, Phase::Gate)] {
        let stop = AtomicBool::new(false);
        let mut stop_there = |event: Event<'_>| {
            if let Event::Phase { generation, phase } = event {
                stop.fetch_or((generation, phase) == at, Relaxed);
            }
        };
        assert_eq!(open(&broken).go(&stop, &mut stop_there).unwrap(), Finish::Stopped);
    }
    assert_eq!(open(&broken).go(&AtomicBool::new(false), &mut |_| {}).unwrap(), Finish::Complete);
    let expected = measured(&whole);
    assert_eq!(measured(&broken), expected);
    let counts = |(gap, bias, _, blunders, ..): &(Option<Measured>, Option<Measured>, _, Option<Measured>, _, _)| {
        [gap, bias, blunders].map(|measured| measured.map(|measured| measured.count))
    };
    assert_eq!(expected.iter().map(counts).collect::<Vec<_>>(), [[Some(8), Some(8), Some(6)]; 2]);
    assert!(expected[0] != expected[1], "networks differ: {expected:?}");
    let elapsed: f64 = Metrics::load(&whole.run()).unwrap().iter().map(|metrics| metrics.elapsed).sum();
    let seconds = Metrics::load(&whole.run()).unwrap()[1].seconds;
    // When a generation began is known to the millisecond.
    assert!((elapsed - seconds).abs() < 0.01, "{elapsed} {seconds}");
}
