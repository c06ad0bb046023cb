//! Runs of tic-tac-toe with a learner that learns nothing: what they keep, and what they go on from.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use alfil_game::tictactoe::{Stones, TicTacToe};
use alfil_nn::learning::{LearnError, Learner, Losses, Samples};
use alfil_nn::{Architecture, Network, Weights};
use alfil_selfplay::{chunks, read_chunk, write_chunk};
use alfil_train::run::{Metrics, RunError};
use alfil_train::{Config, Event, Finish, Machine, Run, RunDirectory, plan};

/// A run in a folder of its own, which goes away in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("alfil-runs-{test}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        Folder(folder)
    }

    fn run(&self) -> RunDirectory {
        RunDirectory::new(&self.0)
    }

    /// Opens the run with some keys set, and tells what it warned of.
    fn open(&self, overlap: bool, settings: &[&str]) -> Result<(Run<Stones>, Vec<String>), RunError> {
        let mut warnings = Vec::new();
        let run = Run::open(self.run(), config(settings), machine(overlap), &mut |event| note(event, &mut warnings))?;
        Ok((run, warnings))
    }

    /// Goes on until the run is complete, or at most for a minute.
    fn go(&self, overlap: bool, settings: &[&str]) -> Finish {
        let (mut run, _) = self.open(overlap, settings).unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let late = Arc::clone(&stop);
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs(60));
            late.store(true, Relaxed);
        });
        run.go(&stop, &mut |_| {}).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn note(event: Event<'_>, warnings: &mut Vec<String>) {
    if let Event::Damaged(damage) = event {
        warnings.push(damage.why.to_string());
    }
}

fn config(settings: &[&str]) -> Config {
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
    Config::parse(text, &settings.iter().map(|setting| (*setting).to_owned()).collect::<Vec<_>>()).unwrap()
}

fn machine(overlap: bool) -> Machine {
    let time = Duration::from_millis(if overlap { 20 } else { 0 });
    Machine {
        learner: Arc::new(move |architecture, _, _, _| {
            Ok(Box::new(Idle { architecture: architecture.clone(), steps: 0, time }))
        }),
        inference: None,
        lanes: 1,
        overlap,
        cache: 0,
        judge: None,
    }
}

/// Counts its steps.
struct Idle {
    architecture: Architecture,
    steps: u64,
    /// How long a step takes.
    time: Duration,
}

impl Learner for Idle {
    fn steps(&self) -> u64 {
        self.steps
    }

    fn step(&mut self, _: &Samples) -> Result<Losses, LearnError> {
        self.steps += 1;
        std::thread::sleep(self.time);
        Ok(Losses::default())
    }

    fn measure(&mut self, _: &Samples) -> Result<Losses, LearnError> {
        Ok(Losses::default())
    }

    fn export(&mut self, _: &[Samples]) -> Result<Weights, LearnError> {
        Ok(Network::random::<Stones>(self.architecture.clone(), self.steps).weights)
    }

    fn state(&self) -> Result<Vec<u8>, LearnError> {
        Ok(self.steps.to_le_bytes().to_vec())
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), LearnError> {
        let bytes = state.try_into().map_err(|_| LearnError::State("it is too short".to_owned()))?;
        self.steps = u64::from_le_bytes(bytes);
        Ok(())
    }
}

#[test]
fn games_that_go_on_meanwhile_never_wait_for_a_generation_that_waits_for_them() {
    let folder = Folder::new("brake");
    assert_eq!(folder.go(true, &["selfplay.at_once=64", "generations=2"]), Finish::Complete);
    // No second of the second generation is counted for two phases, although its games were played during the first.
    let metrics = Metrics::load(&folder.run()).unwrap();
    let whole = metrics[1].seconds - metrics[0].seconds;
    assert!(metrics[0].learning.seconds > 1.0 && metrics[1].learning.seconds > 0.1, "{metrics:?}");
    assert!(metrics[1].selfplay.seconds + metrics[1].learning.seconds <= whole, "{metrics:?}");
}

#[test]
fn a_run_goes_on_without_a_damaged_chunk_of_the_generation_under_way() {
    let folder = Folder::new("damage");
    folder.go(false, &[]);
    // Taken into the window with no time left to say so, and damaged since.
    let whole = chunks(&folder.run().replay()).remove(0);
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
fn games_in_the_window_do_not_count_again_in_the_other_mode() {
    let folder = Folder::new("modes");
    folder.go(false, &[]);
    let selfplay = folder.0.join("selfplay");
    // An interruption has left the games of the first generation, and some of the second's are there.
    let taken = chunks(&folder.run().replay()).remove(0);
    let mut records = read_chunk::<TicTacToe>(&taken).unwrap();
    std::fs::copy(taken, selfplay.join("00000000.games")).unwrap();
    records.truncate(3);
    records.iter_mut().for_each(|record| record.number += 8);
    write_chunk::<TicTacToe>(&selfplay.join("00000001.games"), &records).unwrap();
    folder.open(true, &[]).unwrap();
    assert_eq!(chunks(&selfplay), [selfplay.join("00000001.games")]);
    assert_eq!(folder.go(false, &["generations=2"]), Finish::Complete);
    let records = chunks(&folder.run().replay()).into_iter().flat_map(|path| read_chunk::<TicTacToe>(&path).unwrap());
    let mut numbers: Vec<u64> = records.map(|record| record.number).collect();
    numbers.sort_unstable();
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
    let steps = |positions: u64, reuse: f64| (positions as f64 * reuse / 16.0).round() as u64;
    assert_eq!(metrics[0].learning.steps, steps(positions[0], 1.0));
    assert_eq!(metrics[1].learning.steps, metrics[0].learning.steps + steps(positions[1], 4.0));
}

#[test]
fn a_run_goes_on_although_its_old_configuration_is_no_longer_allowed() {
    let folder = Folder::new("config");
    folder.go(false, &[]);
    let text = std::fs::read_to_string(folder.run().config()).unwrap();
    let old = text.replace("kind = \"none\"", "kind = \"vote\"").replace("batch = 16", "batch = 0\nunknown = 1");
    std::fs::write(folder.run().config(), old).unwrap();
    let refused = |settings| folder.open(false, settings).err().unwrap().to_string();
    assert!(refused(&["network.size=16x1"]).contains("has network.size = 8x1, not 16x1"));
    assert!(refused(&["seed=7"]).contains("has seed = 1, not 7"));
    assert!(refused(&["training.optimizer=sgd"]).contains("has training.optimizer = adamw, not sgd"));
    folder.open(false, &[]).unwrap();
}

#[test]
fn a_run_goes_on_although_what_was_measured_is_damaged() {
    let folder = Folder::new("metrics");
    folder.go(false, &["generations=2"]);
    let mut bytes = std::fs::read(folder.run().metrics()).unwrap();
    bytes[5] = 0xff;
    std::fs::write(folder.run().metrics(), &bytes).unwrap();
    assert_eq!(folder.go(false, &["generations=3"]), Finish::Complete);
    let error = Metrics::load(&folder.run()).unwrap_err().to_string();
    assert!(error.contains("line 1 makes no sense"), "{error}");
    let lines = std::fs::read(folder.run().metrics()).unwrap();
    assert!(lines.starts_with(&bytes) && lines.iter().filter(|byte| **byte == b'\n').count() == 3);
}

#[test]
fn a_plan_is_made_although_no_move_is() {
    let slow = config(&["selfplay.visits=1000000", "selfplay.at_once=1", "gate.kind=score"]);
    let made = plan::<Stones>(&slow, &machine(false), Duration::from_millis(200)).unwrap();
    assert!(made.is_random_length && (5.0..9.0).contains(&made.length), "{made:?}");
    assert!((made.positions_per_second * 1e6 / made.evaluations_per_second - 1.0).abs() < 1e-6, "{made:?}");
    // Eight games of some seven plies with a million visits each.
    assert!(made.selfplay * made.evaluations_per_second > 4e7 && made.gate > 0.0 && made.training > 0.0, "{made:?}");
    let quick = plan::<Stones>(&config(&[]), &machine(false), Duration::from_millis(200)).unwrap();
    assert!(!quick.is_random_length && (5.0..9.0).contains(&quick.length), "{quick:?}");
}

#[test]
fn a_rated_network_tells_how_strong_it_is() {
    let folder = Folder::new("rating");
    let rating = ["rating.every=1", "rating.games=4", "rating.visits=2", "rating.positions=0"];
    assert_eq!(folder.go(false, &rating), Finish::Complete);
    let rated = &Metrics::load(&folder.run()).unwrap()[0].rating.clone().unwrap();
    let network = Network::load(&folder.run().network(rated.network)).unwrap();
    let told = network.origin.rating.unwrap();
    assert!(told.starts_with(&format!("{:.0} (", rated.elo)) && told.ends_with(") in the pool of its run"), "{told}");
    assert_eq!(Network::load(&folder.run().network(0)).unwrap().origin.rating, None);
}
