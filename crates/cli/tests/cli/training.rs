//! Training as users of the command line see it. Needs libtorch.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use alfil_game::tictactoe::TicTacToe;

use super::support::{Folder, PATIENCE, complaint, json, stdout};

/// A configuration of `configs/`.
fn shipped(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs").join(name).display().to_string()
}

/// A run of tic-tac-toe that takes a few seconds, with all phases: four generations of 500 games. One thread of each
/// kind: what is compared bit by bit must not depend on the number of cores.
fn small() -> Vec<String> {
    let keys = [
        "generations=4",
        "machine.lanes=1",
        "machine.replicas=1",
        "machine.cache=1",
        "network.size=8x1",
        "selfplay.games=500",
        "selfplay.at_once=8",
        "training.checkpoint_steps=20",
        "gate.games=12",
        "rating.every=2",
        "rating.games=8",
        "rating.positions=40",
        "rating.players=[\"random\", \"alphabeta:depth=1\"]",
    ];
    keys.iter().flat_map(|key| ["--set".to_owned(), (*key).to_owned()]).collect()
}

fn train(run: &str) -> Vec<String> {
    train_with(&shipped("tictactoe.toml"), run)
}

fn train_with(config: &str, run: &str) -> Vec<String> {
    let mut arguments = vec!["train".to_owned(), config.to_owned(), "--run".to_owned(), run.to_owned()];
    arguments.extend(small());
    arguments
}

fn start(arguments: &[String]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_alfil"));
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Starts the run at `path` this often and kills it, at any moments within `longest` of the start, and then lets it complete. However
/// fast the machine has become meanwhile, there are that many kills: a run that is complete too early begins again, with kills that
/// come sooner. Returns what the last start printed.
fn complete_with_kills(arguments: &[String], path: &str, kills: u32, mut longest: Duration) -> String {
    let began = Instant::now();
    for _ in 0..kills {
        loop {
            let mut child = start(arguments);
            let part = f64::from(began.elapsed().subsec_micros() % 1_000) / 1_000.0;
            std::thread::sleep(longest.mul_f64(part));
            if child.try_wait().unwrap().is_none() {
                child.kill().unwrap();
                child.wait().unwrap();
                break;
            }
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            std::fs::remove_dir_all(path).unwrap();
            longest /= 2;
        }
    }
    text(arguments)
}

fn text(arguments: &[String]) -> String {
    stdout(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The files of a run that must not depend on interruptions, by name.
fn lasting(run: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for folder in ["checkpoints", "replay", "games"] {
        for entry in std::fs::read_dir(run.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            // The games of a gate contain the time of each move.
            if !path.file_name().unwrap().to_string_lossy().starts_with("gate-") {
                files.insert(path.strip_prefix(run).unwrap().to_owned(), std::fs::read(&path).unwrap());
            }
        }
    }
    files
}

/// What was measured, without times and speeds.
fn measured(run: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let mut lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &mut lines {
        let losses = line["learning"]["held_out"].clone();
        let games = ["policy_divergence", "won_by_rules"].map(|key| line["selfplay"][key].clone());
        assert!(games.iter().all(|number| !number.is_null()), "{line}");
        let kept = ["generation", "gate", "promoted", "rating"].map(|key| (key.to_owned(), line[key].clone()));
        *line = serde_json::Value::Object(
            kept.into_iter()
                .chain([("held_out".to_owned(), losses), ("games".to_owned(), games.to_vec().into())])
                .collect(),
        );
        for part in ["gate", "rating"] {
            if let Some(object) = line[part].as_object_mut() {
                object.remove("seconds");
                object.remove("trend");
            }
        }
    }
    lines
}

/// The numbers of all games in the window.
fn numbers(run: &Path) -> Vec<u64> {
    let mut numbers: Vec<u64> = alfil_selfplay::chunks(&run.join("replay"))
        .unwrap()
        .iter()
        .flat_map(|path| alfil_selfplay::read_chunk::<TicTacToe>(path).unwrap())
        .map(|record| record.number)
        .collect();
    numbers.sort_unstable();
    numbers
}

#[test]
fn tic_tac_toe_is_learnt_to_perfection() {
    let folder = Folder::new("perfection");
    let run = folder.file("run");
    let lines = stdout(&["train", &shipped("tictactoe.toml"), "--run", &run]);
    let network = lines.lines().last().unwrap().strip_prefix("complete: the network is ").unwrap().to_owned();
    let openings = folder.file("start.txt");
    std::fs::write(&openings, "3/3/3 x\n").unwrap();
    let player = format!("{network}:visits=100");
    let against =
        ["match", &player, "oracle", "--game", "tictactoe", "--games", "100", "--openings", &openings, "--json"];
    let report = json(&against);
    assert_eq!((&report["wins"], &report["draws"], &report["losses"]), (&0.into(), &100.into(), &0.into()), "{lines}");
}

#[test]
fn a_run_that_is_killed_thirty_times_ends_as_one_that_is_not() {
    let folder = Folder::new("kill");
    let (calm, rough) = (folder.file("calm"), folder.file("rough"));
    let config = folder.file("stages.toml");
    let stages = "[[stage]]\nfrom_generation = 2\nselfplay = {visits = 12, random_plies = 2}\ntraining.rate = 0.01\n\
        [[stage]]\nfrom_generation = 3\ntraining = {batch = 96, reuse = 2.5, average = 0.5, value_weight = 2}\nwindow.first = 900\n";
    let base = std::fs::read_to_string(shipped("tictactoe.toml")).unwrap();
    std::fs::write(&config, format!("{base}\n{stages}")).unwrap();
    let train = |run: &str| train_with(&config, run);
    let began = Instant::now();
    let lines = text(&train(&calm));
    assert!(lines.contains("stage from generation 2: selfplay.visits = 12, selfplay.random_plies = 2,"), "{lines}");
    // From before the first line of work until well into it.
    complete_with_kills(&train(&rough), &rough, 30, began.elapsed() / 12);
    let (calm, rough) = (Path::new(&calm), Path::new(&rough));
    assert_eq!(numbers(rough), (0..2_000).collect::<Vec<_>>());
    let (files, others) = (lasting(calm), lasting(rough));
    assert_eq!(files.keys().collect::<Vec<_>>(), others.keys().collect::<Vec<_>>());
    for (name, bytes) in &files {
        assert_eq!(bytes, &others[name], "{} differs", name.display());
    }
    assert_eq!(measured(calm), measured(rough));
    let leftovers = alfil_selfplay::chunks(&rough.join("selfplay")).unwrap();
    assert!(leftovers.is_empty(), "{leftovers:?}");
}

/// Three generations on games of rollouts, then one beside self-play. Killed at any moments, it comes to the same network.
#[test]
fn a_network_learns_from_a_folder_and_goes_on_by_itself() {
    let folder = Folder::new("folder");
    let (games, config) = (folder.file("games"), folder.file("folders.toml"));
    let of_rollouts = ["--game", "tictactoe", "--games", "1200", "--visits", "16", "--lanes", "1"];
    stdout(&[&["selfplay", "rollout:5", "-o", &games], &of_rollouts[..]].concat());
    let base = std::fs::read_to_string(shipped("tictactoe.toml")).unwrap();
    let stage = "[[stage]]\nfrom_generation = 4\ngames.share = 0.5\n";
    std::fs::write(&config, format!("{base}\n[games]\nfolders = [\"{games}\"]\npositions = 6000\n{stage}")).unwrap();
    let train = |run: &str| {
        let few = ["selfplay.games=100", "rating.every=4", "gate.kind=auto", "gate.games=4"];
        let few = few.iter().flat_map(|key| ["--set".to_owned(), (*key).to_owned()]);
        train_with(&config, run).into_iter().chain(few).collect::<Vec<_>>()
    };
    let (calm, rough) = (folder.file("calm"), folder.file("rough"));
    let began = Instant::now();
    let lines = text(&train(&calm));
    let (learns, plays) = (lines.find(" gen    time epochs ").unwrap(), lines.find(" gen    time  games ").unwrap());
    assert!(learns < plays && lines.contains("\n     folders: epochs "), "{lines}");
    complete_with_kills(&train(&rough), &rough, 12, began.elapsed() / 5);
    let files = |run: &str| {
        let mut files = BTreeMap::new();
        untimed(Path::new(run), Path::new(run), &mut files);
        files.retain(|name, _| ["networks/", "checkpoints/", "replay/"].iter().any(|part| name.starts_with(part)));
        files
    };
    let (expected, found) = (files(&calm), files(&rough));
    assert_eq!(expected.keys().collect::<Vec<_>>(), found.keys().collect::<Vec<_>>());
    let different: Vec<&String> = expected.keys().filter(|name| expected[*name] != found[*name]).collect();
    assert!(different.is_empty(), "{different:?}");
    let metrics = |run: &str| {
        let text = std::fs::read_to_string(Path::new(run).join("metrics.jsonl")).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        lines.map(|line| (line["learning"]["held_out"].clone(), line["games"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(metrics(&calm), metrics(&rough));
    // Held-out games are predicted better and better.
    let held_out = |number: usize, key: &str| metrics(&calm)[number].0[key].as_f64().unwrap();
    assert!(held_out(2, "policy") < held_out(0, "policy") && held_out(2, "value") < held_out(0, "value"), "{lines}");
    assert!(held_out(2, "agreement") > held_out(0, "agreement"), "{lines}");
    let page = stdout(&["report", &calm]);
    assert!(!page.is_empty());
}

/// Files that say how long something took, or which process did it; every other byte of a run follows from its seed.
const TIMED: [&str; 4] = ["state.json", "metrics.jsonl", "games/gate-", "lock"];

/// All files of a folder, by name, except those.
fn untimed(folder: &Path, run: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    for path in alfil_core::disk::list(folder).unwrap() {
        let name = path.strip_prefix(run).unwrap().display().to_string();
        if path.is_dir() {
            untimed(&path, run, files);
        } else if !TIMED.iter().any(|timed| name.starts_with(timed)) {
            files.insert(name, std::fs::read(&path).unwrap());
        }
    }
}

/// The learning rate falls over the time that the run was first given, and it begins with the network that is named.
#[test]
fn a_run_has_a_plan_and_begins_with_a_network() {
    let folder = Folder::new("planned");
    let (first, run) = (folder.file("first"), folder.file("run"));
    let few = ["generations=1", "selfplay.games=40", "gate.kind=none", "rating.every=0"];
    let few: Vec<String> = few.iter().flat_map(|key| ["--set".to_owned(), (*key).to_owned()]).collect();
    let with = |run: &str, more: &[&str]| {
        let more = more.iter().map(|text| (*text).to_owned());
        train(run).into_iter().chain(few.clone()).chain(more).collect::<Vec<_>>()
    };
    text(&with(&first, &[]));
    let start = format!("network.start={first}/networks/000001.safetensors");
    let cosine = ["--set", "training.decay=cosine", "--set", "training.decay_steps=0", "--set", &start];
    let refused = with(&run, &cosine);
    let refused = complaint(&refused.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(refused.contains("training.decay_steps or planned must be more than 0 for a cosine"), "{refused}");
    let lines = text(&with(&run, &[&cosine[..], &["--for", "2h"]].concat()));
    assert!(lines.contains("begins with the network ") && !lines.contains("random weights"), "{lines}");
    let config = || std::fs::read_to_string(format!("{run}/config.toml")).unwrap();
    assert!(config().contains("\nplanned = 2.0\n"), "{}", config());
    // Resumed for less time, without the file, and with a larger network.
    std::fs::remove_dir_all(&first).unwrap();
    let more = ["--for", "1h", "--grow", "16x1", "--set", "generations=3"];
    let lines = text(&with(&run, &[&cosine[..], &more].concat()));
    assert!(config().contains("\nplanned = 2.0\n") && lines.contains("a network of 16x1 learns now"), "{lines}");
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let folder = Folder::new("bytes");
    let [first, second] = ["first", "second"].map(|name| {
        let run = folder.file(name);
        let few = ["generations=2", "selfplay.games=100", "rating.every=1", "rating.positions=10"];
        let few = few.iter().flat_map(|key| ["--set".to_owned(), (*key).to_owned()]);
        text(&train(&run).into_iter().chain(few).collect::<Vec<_>>());
        let mut files = BTreeMap::new();
        untimed(Path::new(&run), Path::new(&run), &mut files);
        files
    });
    assert_eq!(first.keys().collect::<Vec<_>>(), second.keys().collect::<Vec<_>>());
    let different: Vec<&String> = first.keys().filter(|name| first[*name] != second[*name]).collect();
    assert!(different.is_empty(), "{different:?}");
    for kind in ["networks/", "checkpoints/", "replay/000002", "games/selfplay", "rating.jsonl", "config.toml"] {
        assert!(first.keys().any(|name| name.starts_with(kind)), "{kind}: {:?}", first.keys());
    }
}

#[test]
fn a_run_has_one_process_at_a_time_and_stops_when_asked() {
    let folder = Folder::new("lock");
    let run = folder.file("run");
    let mut arguments = train(&run);
    arguments.extend(["--set".to_owned(), "generations=0".to_owned()]);
    let child = start(&arguments);
    let state = Path::new(&run).join("state.json");
    let began = Instant::now();
    while !state.exists() {
        assert!(began.elapsed() < PATIENCE, "it did not begin");
        std::thread::sleep(Duration::from_millis(20));
    }
    let second: Vec<&str> = arguments.iter().map(String::as_str).collect();
    assert!(complaint(&second).contains("another process is working on the run"), "{}", complaint(&second));
    let asked = Command::new("kill").arg(child.id().to_string()).status().unwrap();
    assert!(asked.success());
    let output = child.wait_with_output().unwrap();
    let words = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && words.contains("the same command resumes it"), "{words}");
    // The run cannot be resumed with another network.
    let mut other = train(&run);
    other.extend(["--set".to_owned(), "network.size=16x1".to_owned()]);
    let other: Vec<&str> = other.iter().map(String::as_str).collect();
    assert!(complaint(&other).contains("has network.size = 8x1, not 16x1"), "{}", complaint(&other));
}

#[test]
fn self_play_continues_during_training_and_no_game_counts_twice() {
    let folder = Folder::new("overlap");
    let run = folder.file("run");
    let mut arguments = train(&run);
    arguments.extend(["--set".to_owned(), "machine.mode=overlap".to_owned(), "--log".to_owned(), "json".to_owned()]);
    for kill in 0..6 {
        let mut child = start(&arguments);
        std::thread::sleep(Duration::from_millis(300 + 150 * kill));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let lines = text(&arguments);
    let events: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(measured(Path::new(&run)).len(), 4, "{lines}");
    assert_eq!(events.last().unwrap()["complete"], true);
    let numbers = numbers(Path::new(&run));
    assert!(numbers.len() >= 2_000, "{}", numbers.len());
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "a game is there twice");
}

#[test]
fn what_is_wrong_with_a_run_is_one_sentence() {
    let folder = Folder::new("wrong");
    let quickstart = shipped("quickstart.toml");
    assert!(complaint(&["train", "nothing.toml"]).contains("cannot read the configuration nothing.toml"));
    let typo = complaint(&["train", &quickstart, "--set", "training.bacth=3"]);
    assert!(typo.contains("there is no key 'training.bacth': did you mean training.batch?"), "{typo}");
    let range = complaint(&["train", &quickstart, "--set", "training.batch=1"]);
    assert!(range.contains("training.batch must be from 2 to 65536"), "{range}");
    let file = folder.file("file");
    std::fs::write(&file, "").unwrap();
    let blocked = complaint(&["train", &quickstart, "--run", &format!("{file}/run")]);
    assert!(blocked.contains("cannot list ") && blocked.contains("Not a directory"), "{blocked}");
    assert!(complaint(&["train", &quickstart, "--for", "soon"]).contains("'soon' is not a duration"));
    for name in ["", ".", ".."] {
        assert!(
            complaint(&["train", &quickstart, "--run", name])
                .contains(&format!("'{name}' cannot be the name of a run"))
        );
    }
    // What is there already is not overwritten.
    let theirs = folder.file("config.toml");
    std::fs::write(&theirs, "precious").unwrap();
    let occupied = complaint(&["train", &quickstart, "--run", &folder.file("")]);
    assert!(occupied.contains("is not a run, and not empty"), "{occupied}");
    assert_eq!(std::fs::read_to_string(&theirs).unwrap(), "precious");
}
