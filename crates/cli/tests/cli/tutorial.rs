//! The commands of docs/new-game.md work as they are written. Needs libtorch.

use std::path::Path;
use std::process::{Command, Stdio};

use super::support::{Folder, json};

/// Keeps training short: this is a test of the commands, not of the network.
const SMALL: [&str; 8] = [
    "generations=2",
    "machine.lanes=1",
    "machine.replicas=1",
    "network.size=8x1",
    "selfplay.games=40",
    "gate.games=4",
    "rating.games=4",
    "rating.positions=20",
];

/// The commands in the shell blocks of the tutorial, as words.
fn commands() -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/new-game.md");
    let tutorial = std::fs::read_to_string(path).unwrap();
    let blocks = tutorial.split("```sh\n").skip(1).map(|rest| rest.split_once("```").unwrap().0);
    blocks.flat_map(str::lines).map(words).collect()
}

/// The words of a command; only double quotes are understood.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    let words = parts.flat_map(|(number, part)| match number % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

#[test]
fn every_command_of_the_tutorial_works() {
    let folder = Folder::new("tutorial");
    let configs = Path::new(&folder.file("configs")).to_owned();
    std::fs::create_dir(&configs).unwrap();
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/nim.toml");
    std::fs::copy(config, configs.join("nim.toml")).unwrap();
    let commands = commands();
    assert!(commands.len() >= 9, "{commands:?}");
    for words in &commands {
        let (program, arguments) = words.split_first().unwrap();
        assert_eq!(program, "alfil");
        let mut command = Command::new(env!("CARGO_BIN_EXE_alfil"));
        // The network of the last generation has another number in a shorter run.
        command.args(arguments.iter().map(|word| word.replace("000014", "000000")));
        if arguments[0] == "train" {
            command.args(SMALL.iter().flat_map(|key| ["--set", key]));
        }
        let output = command.current_dir(folder.file("")).stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn nim_is_learnt_nearly_to_perfection() {
    let folder = Folder::new("nim");
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/nim.toml").display().to_string();
    let run = folder.file("run");
    super::support::stdout(&["train", &config, "--run", &run]);
    let metrics = std::fs::read_to_string(Path::new(&run).join("state.json")).unwrap();
    let state: serde_json::Value = serde_json::from_str(&metrics).unwrap();
    let player = format!("{run}/networks/{:06}.safetensors:visits=64", state["champion"].as_u64().unwrap());
    let mark = json(&["exam", &player, "--game", "nim", "--json"]);
    assert!(mark["share"].as_f64().unwrap() >= 0.99, "{mark}");
}
