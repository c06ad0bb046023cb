//! A server and a run for a test.
#![allow(dead_code, clippy::unwrap_used, clippy::disallowed_methods)]

pub mod client;

use std::collections::BTreeMap;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use alfil_core::checksum::Fnv;
use alfil_fleet::{Address, Ended, FleetError, Trainer, WorkerSettings, work};
use alfil_game::tictactoe::{Stones, TicTacToe};
use alfil_nn::learning::{LearnError, Learner, LearningSettings, Losses, Samples};
use alfil_nn::{
    Architecture, Batch, BatchSizes, Cpu, Device, EncodedNetwork, EvaluatorError, Inference, LoadedNetwork, Network,
    Outputs, Weights,
};
use alfil_selfplay::{GameRecord, chunks, read_chunk};
use alfil_train::{Config, Finish, Machine, Run, RunDirectory};

/// What a hung test would wait for.
const LONGEST: Duration = Duration::from_secs(600);

/// A temporary folder, which is removed at the end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(test: &str) -> Folder {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let memory = PathBuf::from("/dev/shm");
        let place = if memory.is_dir() { memory } else { std::env::temp_dir() };
        let number = NEXT.fetch_add(1, Relaxed);
        let folder = place.join(format!("alfil-fleet-{test}-{}-{number}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A server of its own for a test.
pub struct Server {
    folder: Folder,
    /// 0 until the server has chosen one.
    port: u16,
    child: Option<Child>,
    /// Its configuration, with a word in place of the port.
    text: String,
}

/// What stands for the port in a configuration.
const PORT: &str = "THE_PORT";

impl Server {
    /// None, with a line that says so, where nats-server is not installed.
    pub fn start(test: &str) -> Option<Server> {
        Server::start_with(test, "")
    }

    /// The same with more lines in its configuration.
    pub fn start_with(test: &str, more: &str) -> Option<Server> {
        Server::start_as(test, |store| {
            format!("listen: 127.0.0.1:{PORT}\njetstream {{ store_dir: \"{store}\" }}\n{more}\n")
        })
    }

    /// The same with the configuration that ships with the program.
    pub fn start_shipped(test: &str) -> Option<Server> {
        Server::start_changed(test, |text| text)
    }

    /// The same with a change.
    pub fn start_changed(test: &str, change: impl Fn(String) -> String) -> Option<Server> {
        let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/fleet/nats.conf");
        let text = std::fs::read_to_string(shipped).unwrap();
        Server::start_as(test, |store| {
            let text = text.replace("127.0.0.1:4222", &format!("127.0.0.1:{PORT}")).replace("data/nats", store);
            change(text.replace("http:", "# http:"))
        })
    }

    fn start_as(test: &str, text: impl Fn(&str) -> String) -> Option<Server> {
        if Command::new("nats-server").arg("--version").stdout(Stdio::null()).status().is_err() {
            alfil_skipped::skip(test, "nats-server");
            return None;
        }
        let folder = Folder::new(test);
        let text = text(&folder.0.join("store").display().to_string());
        let mut server = Server { folder, port: 0, child: None, text };
        server.go_on();
        Some(server)
    }

    /// Starts it again with the same store, at the same port.
    pub fn go_on(&mut self) {
        let began = Instant::now();
        let config = self.folder.0.join("nats.conf");
        let port = if self.port == 0 { "-1".to_owned() } else { self.port.to_string() };
        std::fs::write(&config, self.text.replace(PORT, &port)).unwrap();
        // Another test may have the port for a moment.
        loop {
            let log = std::fs::File::create(self.folder.0.join("log")).unwrap();
            let mut command = Command::new("nats-server");
            command.arg("-c").arg(&config).arg("--ports_file_dir").arg(&self.folder.0);
            let mut child = command.stdout(Stdio::null()).stderr(log).spawn().unwrap();
            let ports = self.folder.0.join(format!("nats-server_{}.ports", child.id()));
            while child.try_wait().unwrap().is_none() {
                if let Some(port) = std::fs::read_to_string(&ports).ok().and_then(|text| port_of(&text))
                    && TcpStream::connect(("127.0.0.1", port)).is_ok()
                {
                    (self.port, self.child) = (port, Some(child));
                    return;
                }
                assert!(began.elapsed() < LONGEST, "{}", std::fs::read_to_string(self.folder.0.join("log")).unwrap());
                std::thread::sleep(Duration::from_millis(20));
            }
            assert!(began.elapsed() < LONGEST, "{}", std::fs::read_to_string(self.folder.0.join("log")).unwrap());
        }
    }

    /// Kills it as a power cut would.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Loses all that it has stored.
    pub fn lose_everything(&mut self) {
        self.kill();
        std::fs::remove_dir_all(self.folder.0.join("store")).unwrap();
        self.go_on();
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub fn address(&self) -> Address {
        Address::new(&self.url(), None).unwrap()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.0.join(name)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The port in a file of ports, which is there once the server listens: {"nats":["nats://127.0.0.1:1234"]}.
fn port_of(text: &str) -> Option<u16> {
    let (_, rest) = text.split_once("127.0.0.1:")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// A worker on a thread of this process.
pub struct Worker {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Result<Ended, FleetError>>,
}

impl Worker {
    pub fn start(address: Address, name: &str) -> Worker {
        Worker::start_on(address, name, Arc::new(Cpu))
    }

    /// The same on another device.
    pub fn start_on(address: Address, name: &str, device: Arc<dyn Device>) -> Worker {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let settings = WorkerSettings { device, ..worker_settings(name) };
        let thread = std::thread::spawn(move || work(&address, settings, &flag, &|_| {}));
        Worker { stop, thread }
    }

    /// Stops it in the middle of whatever it does, and says how it ended.
    pub fn stop(self) -> Result<Ended, FleetError> {
        self.stop.store(true, Relaxed);
        self.thread.join().unwrap()
    }

    /// Waits until it ends by itself.
    pub fn end(self) -> Result<Ended, FleetError> {
        self.thread.join().unwrap()
    }
}

pub fn worker_settings(name: &str) -> WorkerSettings {
    WorkerSettings { name: name.to_owned(), machine: "test".to_owned(), lanes: 1, device: Arc::new(Cpu) }
}

/// A configuration of a short run, with some keys set.
pub fn config(settings: &[&str]) -> Config {
    let text = r#"
        game = "tictactoe"
        encoding = "tictactoe/stones"
        generations = 2
        network.size = "8x1"
        selfplay = { games = 40, at_once = 8, visits = 4, considered = 4, random_plies = 2 }
        window.held_out = 0.3
        training = { batch = 16, statistics_batches = 0 }
        gate = { games = 8, visits = 4 }
        rating = { every = 1, games = 4, visits = 4, players = ["random", "uct:rollouts=4"], positions = 0 }
        fleet = { lease_games = 3, lease_seconds = 5 }
    "#;
    Config::parse(text, &settings.iter().map(|setting| (*setting).to_owned()).collect::<Vec<_>>()).unwrap()
}

/// What a run computes with; its games are played by a fleet, if it is one's trainer.
pub fn machine(overlap: bool, fleet: Option<Trainer>) -> Machine {
    Machine {
        learner: Arc::new(|encoded, _: LearningSettings, _| {
            Ok(Box::new(Idle { architecture: encoded.architecture().clone(), steps: 0, seen: 0 }))
        }),
        device: Arc::new(Cpu),
        lanes: 1,
        overlap,
        cache: 0,
        fleet: fleet.map(|fleet| Arc::new(fleet) as Arc<dyn alfil_train::fleet::Fleet>),
    }
}

/// Trains a run in a folder until it is complete, or is stopped.
pub fn train(folder: &Path, config: Config, machine: Machine, stop: &Arc<AtomicBool>) -> Finish {
    let late = Arc::clone(stop);
    let over = Arc::new(AtomicBool::new(false));
    let done = Arc::clone(&over);
    std::thread::spawn(move || {
        let began = Instant::now();
        while began.elapsed() < LONGEST && !done.load(Relaxed) {
            std::thread::sleep(Duration::from_millis(100));
        }
        if !done.load(Relaxed) {
            late.store(true, Relaxed);
        }
    });
    let mut run = Run::<Stones>::open(RunDirectory::new(folder), config, machine, &mut |_| {}).unwrap();
    let finish = run.go(stop, &mut |_| {}).unwrap();
    over.store(true, Relaxed);
    finish
}

/// All games of the window, by the files that they are in.
pub fn window(folder: &Path) -> BTreeMap<String, Vec<GameRecord>> {
    let chunks = chunks(&folder.join("replay")).unwrap();
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    chunks.iter().map(|path| (name(path), read_chunk::<TicTacToe>(path).unwrap())).collect()
}

/// The numbers of all games of the window, in order.
pub fn numbers(folder: &Path) -> Vec<u64> {
    let mut numbers: Vec<u64> = window(folder).into_values().flatten().map(|record| record.number).collect();
    numbers.sort_unstable();
    numbers
}

/// A device that answers a number of batches, and then never again.
#[derive(Clone)]
pub struct HangingDevice(pub Arc<AtomicUsize>);

impl Device for HangingDevice {
    fn name(&self) -> String {
        "the hanging device".to_owned()
    }

    fn batch_sizes(&self) -> BatchSizes {
        BatchSizes::default()
    }

    fn load(&self, network: &EncodedNetwork<'_>) -> Result<Box<dyn LoadedNetwork>, EvaluatorError> {
        Ok(Box::new(Hanging { inner: Cpu.load(network)?, left: Arc::clone(&self.0) }))
    }
}

struct Hanging<T> {
    inner: T,
    left: Arc<AtomicUsize>,
}

impl LoadedNetwork for Hanging<Box<dyn LoadedNetwork>> {
    fn inference(&self) -> Result<Box<dyn Inference>, EvaluatorError> {
        Ok(Box::new(Hanging { inner: self.inner.inference()?, left: Arc::clone(&self.left) }))
    }
}

impl Inference for Hanging<Box<dyn Inference>> {
    fn evaluate(&mut self, batch: &Batch, outputs: &mut Outputs) -> Result<(), EvaluatorError> {
        while self.left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_err() {
            std::thread::sleep(Duration::from_secs(3600));
        }
        self.inner.evaluate(batch, outputs)
    }
}

/// A learner that only remembers a checksum of the samples: what it exports follows from them.
struct Idle {
    architecture: Architecture,
    steps: u64,
    seen: u64,
}

impl Learner for Idle {
    fn steps(&self) -> u64 {
        self.steps
    }

    fn begin_with(
        &mut self,
        _: &Network,
        _: &mut dyn Iterator<Item = Samples>,
    ) -> Result<Vec<&'static str>, LearnError> {
        Ok(Vec::new())
    }

    fn change(&mut self, _: LearningSettings) -> Result<(), LearnError> {
        Ok(())
    }

    fn step(&mut self, samples: &Samples) -> Result<Losses, LearnError> {
        self.steps += 1;
        let mut hash = Fnv::default();
        hash.feed_word(self.seen);
        samples.batch().planes().iter().for_each(|number| hash.feed_word(number.to_bits().into()));
        self.seen = hash.finish();
        Ok(Losses::default())
    }

    fn measure(&mut self, _: &Samples) -> Result<Losses, LearnError> {
        Ok(Losses::default())
    }

    fn export(&mut self, batches: &mut dyn Iterator<Item = Samples>) -> Result<Weights, LearnError> {
        batches.for_each(drop);
        Ok(Network::random::<Stones>(self.architecture.clone(), self.steps ^ self.seen).weights)
    }

    fn state(&self) -> Result<Vec<u8>, LearnError> {
        Ok([self.steps.to_le_bytes(), self.seen.to_le_bytes()].concat())
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), LearnError> {
        let word = |at: usize| u64::from_le_bytes(state[at..at + 8].try_into().unwrap());
        (self.steps, self.seen) = (word(0), word(8));
        Ok(())
    }
}
