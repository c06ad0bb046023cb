//! A fleet as users of the command line see it, on a server of its own.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::support::{Folder, alfil, complaint};

/// A server, which ends with this.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    /// None, with a line that says so, where nats-server is not installed.
    fn start(test: &str, folder: &Path) -> Option<Server> {
        let config = folder.join("nats.conf");
        let text = format!("listen: 127.0.0.1:-1\njetstream {{ store_dir: \"{}\" }}\n", folder.join("store").display());
        std::fs::write(&config, text).unwrap();
        let mut command = Command::new("nats-server");
        command.arg("-c").arg(&config).arg("--ports_file_dir").arg(folder).stdout(Stdio::null()).stderr(Stdio::null());
        let Ok(child) = command.spawn() else {
            alfil_skipped::skip(test, "nats-server");
            return None;
        };
        let ports = folder.join(format!("nats-server_{}.ports", child.id()));
        let mut server = Server { child, url: String::new() };
        until("the server listens", || {
            let text = std::fs::read_to_string(&ports).unwrap_or_default();
            let address = text.split('"').find(|word| word.starts_with("nats://127.0.0.1:")).map(str::to_owned);
            server.url = address.unwrap_or_default();
            !server.url.is_empty()
        });
        Some(server)
    }

    fn spawn(&self, command: &str, arguments: &[&str]) -> Running {
        let mut all = vec![command];
        all.extend(arguments);
        let mut program = Command::new(env!("CARGO_BIN_EXE_alfil"));
        Running(program.args(all).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }

    fn worker(&self, name: &str) -> Running {
        self.spawn("worker", &[&self.url, "--name", name, "--lanes", "1"])
    }

    fn status(&self) -> Value {
        let output = alfil(&["fleet", "status", &self.url, "--json"]);
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    }

    fn sees(&self, name: &str) -> bool {
        let status = self.status();
        status["workers"].as_array().is_some_and(|workers| workers.iter().any(|worker| worker["name"] == name))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A command at work, which ends with this.
struct Running(Child);

impl Running {
    /// What it printed, and whether it went well.
    fn end(mut self) -> (bool, String) {
        let status = self.0.wait().unwrap();
        let mut text = String::new();
        for pipe in [
            self.0.stdout.take().map(|pipe| Box::new(pipe) as Box<dyn std::io::Read>),
            self.0.stderr.take().map(|pipe| Box::new(pipe) as _),
        ] {
            std::io::Read::read_to_string(&mut pipe.unwrap(), &mut text).unwrap();
        }
        (status.success(), text)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..6000 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("never: {what}");
}

#[test]
fn wrong_addresses_and_names_are_one_sentence() {
    for command in
        [&["worker", "http://host"][..], &["fleet", "status", "http://host"], &["fleet", "drain", "a", "host"]]
    {
        assert!(complaint(command).contains("is not the address of a fleet"), "{command:?}");
    }
    let why = complaint(&["worker", "nats://127.0.0.1:1"]);
    assert!(why.contains("cannot connect to nats://127.0.0.1:1"), "{why}");
    let why = complaint(&["worker", "nats://127.0.0.1:1", "--name", "a\u{1b}[2J"]);
    assert!(why.contains("cannot be the name of a worker") && !why.contains('\u{1b}'), "{why}");
    for command in ["drain", "forgive"] {
        let why = complaint(&["fleet", command, "a b", "nats://127.0.0.1:1"]);
        assert!(why.contains("'a b' cannot be the name of a worker"), "{why}");
    }
}

#[test]
fn a_fleet_without_a_trainer_is_one_sentence() {
    let folder = Folder::new("fleet-alone");
    let Some(server) = Server::start("a_fleet_without_a_trainer_is_one_sentence", Path::new(&folder.file(""))) else {
        return;
    };
    let why = complaint(&["fleet", "status", &server.url]);
    assert!(why.contains("has a trainer been there, with alfil train CONFIG --fleet"), "{why}");
}

/// Train, worker, status, drain and forgive, as somebody would use them.
#[cfg(feature = "torch")]
#[test]
fn a_run_is_played_by_workers() {
    let folder = Folder::new("fleet");
    let Some(server) = Server::start("a_run_is_played_by_workers", Path::new(&folder.file(""))) else { return };
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/tictactoe.toml").display().to_string();
    let run = folder.file("run");
    let keys = [
        "generations=1",
        "machine.device=cpu",
        "machine.mode=alternate",
        "machine.replicas=1",
        "network.size=8x1",
        "selfplay.games=200",
        "gate.games=8",
        "rating.every=0",
        "fleet.lease_games=4",
    ];
    let mut arguments = vec![config.as_str(), "--fleet", &server.url, "--run", &run];
    arguments.extend(keys.iter().flat_map(|key| ["--set", *key]));
    let train = server.spawn("train", &arguments);
    until("the trainer is seen", || server.status()["trainer"]["run"] == "run");
    let first = server.worker("first");
    until("the first worker is seen", || server.sees("first"));
    let output = alfil(&["fleet", "status", &server.url]);
    let text = String::from_utf8(output.stdout).unwrap();
    let head = text.lines().find(|line| line.starts_with("worker")).unwrap();
    assert!(["version", "lanes", "leases", "pos/s", "seen"].iter().all(|column| head.contains(column)), "{text}");
    assert!(text.contains("first") && text.contains(env!("CARGO_PKG_VERSION")), "{text}");
    let output = alfil(&["fleet", "drain", "nobody", &server.url]);
    assert_eq!((output.status.code(), &output.stdout[..18]), (Some(1), &b"there is no worker"[..]));
    assert!(alfil(&["fleet", "drain", "first", &server.url]).status.success());
    let (went_well, text) = first.end();
    assert!(went_well && text.contains("first has finished what it had begun, and leaves"), "{text}");
    assert_eq!(alfil(&["fleet", "forgive", "first", &server.url]).status.code(), Some(1));
    let second = server.worker("second");
    let (went_well, text) = train.end();
    assert!(went_well, "{text}");
    drop(second);
    let metrics = std::fs::read_to_string(Path::new(&run).join("metrics.jsonl")).unwrap();
    let metrics: Value = serde_json::Deserializer::from_str(&metrics).into_iter().next().unwrap().unwrap();
    let workers = metrics["fleet"]["workers"].as_object().unwrap();
    assert_eq!(workers.values().map(|worker| worker["games"].as_u64().unwrap()).sum::<u64>(), 200);
    assert!(workers.values().any(|worker| worker["per_second"].as_f64() > Some(0.0)), "{workers:?}");
}
