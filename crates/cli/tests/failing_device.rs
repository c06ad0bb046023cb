//! Commands whose evaluator fails, in processes of their own: one sentence, exit code 2, and no finished work is lost.
//!
//! This program is both sides. Started by the tests below with [`BATCHES`] set, it is the `alfil` command with a libtorch whose
//! only device fails after that many batches; otherwise it is the tests.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};

use alfil_cli::Libtorch;
use alfil_failing_device::{FailingDevice, SENTENCE};
use alfil_game::tictactoe::Stones;
use alfil_nn::learning::{EncodedArchitecture, LearnError, Learner, LearningSettings, Losses, Samples};
use alfil_nn::{Architecture, Device, Devices, EvaluatorError, Network, Weights};

/// The variable that says after how many batches the device fails: a number, a number followed by `panic`, or `never`.
const BATCHES: &str = "ALFIL_TEST_BATCHES";

const TESTS: &[(&str, fn())] = &[
    ("uci", uci),
    ("selfplay", selfplay),
    ("train_alternate", train_alternate),
    ("train_overlap", train_overlap),
    ("plan", plan),
    ("values_that_are_not_numbers", values_that_are_not_numbers),
];

fn main() -> ExitCode {
    if let Ok(batches) = std::env::var(BATCHES) {
        let device = match (batches.parse(), batches.strip_suffix("panic").map(str::parse)) {
            (Ok(batches), _) => FailingDevice::after(batches),
            (_, Some(Ok(batches))) => FailingDevice::panicking_after(batches),
            _ => FailingDevice::never(),
        };
        return alfil_cli::main(Some(Box::leak(Box::new(Fake(device)))));
    }
    // What cargo test and nextest ask of a test program.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    if has("--list") {
        TESTS.iter().filter(|_| !has("--ignored")).for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    let names: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    for (name, test) in TESTS.iter().filter(|(name, _)| names.is_empty() || names.iter().any(|wanted| *wanted == name))
    {
        test();
        println!("{name}: ok");
    }
    ExitCode::SUCCESS
}

/// libtorch with one device, and a learner that learns nothing.
struct Fake(FailingDevice);

impl Devices for Fake {
    fn open(&self, name: &str) -> Result<Box<dyn Device>, EvaluatorError> {
        self.0.open(name)
    }
}

impl Libtorch for Fake {
    fn version(&self) -> &'static str {
        "0"
    }

    fn cuda_devices(&self) -> usize {
        1
    }

    fn choose(&self, _: &str) -> anyhow::Result<String> {
        Ok("cuda:0, for a test".to_owned())
    }

    fn open_exact(&self, name: &str) -> anyhow::Result<Box<dyn Device>> {
        Ok(self.0.open(name)?)
    }

    fn devices(&self, _: &str) -> anyhow::Result<Vec<String>> {
        Ok(vec!["cuda:0".to_owned()])
    }

    fn learner(
        &self,
        encoded: EncodedArchitecture<'_>,
        _: LearningSettings,
        _: &[String],
        _: u64,
    ) -> anyhow::Result<Box<dyn Learner>> {
        Ok(Box::new(Idle { architecture: encoded.architecture().clone(), steps: 0 }))
    }
}

/// Counts its steps, which are the seed of its weights.
struct Idle {
    architecture: Architecture,
    steps: u64,
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

    fn step(&mut self, _: &Samples) -> Result<Losses, LearnError> {
        self.steps += 1;
        Ok(Losses::default())
    }

    fn measure(&mut self, _: &Samples) -> Result<Losses, LearnError> {
        Ok(Losses::default())
    }

    fn export(&mut self, _: &mut dyn Iterator<Item = Samples>) -> Result<Weights, LearnError> {
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

/// A temporary folder per test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("alfil-failing-device-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// An untrained network, which `change` may change.
    fn network(&self, change: impl FnOnce(&mut Network)) -> String {
        let mut network = Network::random::<Stones>(Architecture::new::<Stones>("8x1".parse().unwrap()), 1);
        change(&mut network);
        network.save(Path::new(&self.file("net.safetensors"))).unwrap();
        self.file("net.safetensors")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn alfil(batches: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.env(BATCHES, batches).args(arguments).stdin(Stdio::null()).output().unwrap()
}

/// The standard error of a command that has to fail with exit code 2.
fn failure(batches: &str, arguments: &[&str]) -> String {
    let output = alfil(batches, arguments);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
    text
}

fn sentence() -> String {
    format!("alfil: {SENTENCE}\n")
}

fn works(arguments: &[&str]) -> String {
    let output = alfil("never", arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn uci() {
    use std::io::{Read, Write};
    let folder = Folder::new("uci");
    let network = folder.network(|_| {});
    let arguments = ["uci", "--device", "cuda", "--game", "tictactoe", "--weights", &network, "--hash", "8"];
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.env(BATCHES, "30").args(arguments);
    let mut engine = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Its input stays open: it has to end by itself.
    let mut input = engine.stdin.take().unwrap();
    input.write_all(b"uci\nisready\ngo infinite\n").unwrap();
    assert_eq!(engine.wait().unwrap().code(), Some(2));
    let (mut said, mut complaint) = (String::new(), String::new());
    engine.stdout.unwrap().read_to_string(&mut said).unwrap();
    engine.stderr.unwrap().read_to_string(&mut complaint).unwrap();
    assert!(said.contains("readyok") && said.ends_with(&format!("info string {SENTENCE}\n")), "{said}");
    assert_eq!(complaint, sentence());
}

fn selfplay() {
    let folder = Folder::new("selfplay");
    let network = folder.network(|_| {});
    let output = folder.file("games");
    let play = |batches: &str| {
        alfil(batches, &["selfplay", &network, "--device", "cuda", "--games", "200", "--output", &output])
    };
    let failed = play("600");
    assert_eq!(failed.status.code(), Some(2));
    assert_eq!(String::from_utf8(failed.stderr).unwrap(), sentence());
    let is_chunk = |entry: &std::fs::DirEntry| entry.path().extension().is_some_and(|ending| ending == "games");
    let chunks = std::fs::read_dir(&output).unwrap().flatten().filter(is_chunk).count();
    assert!(chunks > 0, "the games that had ended are written");
    assert!(play("never").status.success(), "and more are added");
}

const CONFIG: &str = r#"
    game = "tictactoe"
    encoding = "tictactoe/stones"
    generations = 3
    network.size = "8x1"
    selfplay = { games = 24, at_once = 4, visits = 4, considered = 4 }
    window.held_out = 0.3
    training = { batch = 16, statistics_batches = 0 }
    gate = { kind = "score", games = 4, visits = 2 }
    rating = { every = 1, games = 4, visits = 2, positions = 10, players = ["random"] }
    machine = { device = "cuda", lanes = 2, cache = 0 }
"#;

fn train(mode: &str) -> (Folder, Vec<String>) {
    let folder = Folder::new(&format!("train-{mode}"));
    std::fs::write(folder.file("config.toml"), CONFIG).unwrap();
    let (config, mode) = (folder.file("config.toml"), format!("machine.mode=\"{mode}\""));
    (folder, vec!["train".to_owned(), config, "--set".to_owned(), mode])
}

/// Fails in every phase in turn, and resumes after each failure until the run is complete.
fn train_until_done(folder: &Folder, arguments: &[String], run: &str) {
    let directory = folder.file(run);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).chain(["--run", &directory]).collect();
    let (mut failures, mut panics) = (0, 0);
    for number in 0.. {
        assert!(number < 200, "it makes no progress");
        let panicking = number % 4 == 3;
        let output = alfil(if panicking { "150panic" } else { "150" }, &arguments);
        let complaint = String::from_utf8(output.stderr).unwrap();
        match output.status.code() {
            Some(0) => break,
            Some(2) if panicking => panics += usize::from(complaint.contains("panicked: the test wants it")),
            Some(2) => failures += usize::from(complaint.ends_with(&sentence())),
            other => panic!("{other:?}: {complaint}"),
        }
        assert_eq!(failures + panics, number + 1, "{complaint}");
    }
    assert!(failures > 2 && panics > 0, "{failures} {panics}");
}

fn train_alternate() {
    let (folder, arguments) = train("alternate");
    let whole = folder.file("whole");
    works(&arguments.iter().map(String::as_str).chain(["--run", &whole]).collect::<Vec<_>>());
    train_until_done(&folder, &arguments, "broken");
    // The same run as without a failure: its networks, and the games that they learnt from.
    // Not the bytes of the files: the order of the metadata in them is arbitrary.
    for generation in 0..=3 {
        let network = |run: &str| {
            let path = folder.file(&format!("{run}/networks/{generation:06}.safetensors"));
            Network::load(Path::new(&path)).ok().map(|network| network.origin)
        };
        assert_eq!(network("broken"), network("whole"), "generation {generation}");
    }
}

fn train_overlap() {
    let (folder, arguments) = train("overlap");
    train_until_done(&folder, &arguments, "broken");
    let state = std::fs::read_to_string(folder.file("broken/state.json")).unwrap();
    let state: serde_json::Value = serde_json::from_str(&state).unwrap();
    assert_eq!(state["generation"], 4, "{state}");
}

fn plan() {
    let folder = Folder::new("plan");
    std::fs::write(folder.file("config.toml"), CONFIG).unwrap();
    assert_eq!(failure("20", &["plan", &folder.file("config.toml"), "--seconds", "1"]), sentence());
    works(&["plan", &folder.file("config.toml"), "--seconds", "1"]);
}

/// Commands without a choice of device: their evaluator fails with a network whose sums overflow, since a file may not
/// hold a NaN.
fn values_that_are_not_numbers() {
    let folder = Folder::new("nan");
    let network = folder.network(|network| network.weights.value.output.weights.fill(f32::MAX));
    let expected = "alfil: the evaluator on cpu failed: an output of the network is not a number\n";
    let player = format!("{network}:visits=8");
    for arguments in [
        &["analyse", &network, "--game", "tictactoe", "--movetime", "1s"][..],
        &["search", "tictactoe", "--evaluator", &network],
        &["match", &player, "random", "--game", "tictactoe", "--games", "4"],
        &["ladder", "--game", "tictactoe", "--anchor", "random=0", &player, "--games", "4"],
        &["exam", &player, "--game", "tictactoe", "--positions", "20"],
        &["selfplay", &network, "--games", "4", "--output", &folder.file("games")],
    ] {
        let text = failure("never", arguments);
        assert!(text.ends_with(expected), "{arguments:?}: {text}");
    }
}
