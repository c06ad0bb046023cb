//! Runs, from files as a run writes them.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use alfil_web::WebSettings;
use serde_json::json;

use crate::http::Running;

/// A data folder with one run of nim, called first, that has two generations behind it.
pub fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("alfil-web-{name}-{}", std::process::id()));
    let run = run(&folder);
    std::fs::create_dir_all(run.join("games")).unwrap();
    std::fs::write(
        run.join("config.toml"),
        "game = \"nim\"\nencoding = \"nim/heaps\"\ngenerations = 9\n[network]\nsize = \"8x1\"\n",
    )
    .unwrap();
    std::fs::write(
        run.join("games/selfplay-000002.pgn"),
        "[Variant \"nim\"]\n\n1. d7 c4 2. b2 *\n\n[Variant \"nim\"]\n\n1. a1 *\n",
    )
    .unwrap();
    std::fs::write(run.join("games/secret.txt"), "secret").unwrap();
    write(&run, 3, &[1, 2]);
    folder
}

/// The folder of that run.
pub fn run(data: &Path) -> PathBuf {
    data.join("runs/first")
}

/// Writes a run that learns from folders of games alone.
pub fn write_people(data: &Path) {
    use alfil_train::RunDirectory;
    use alfil_train::run::{FolderMetrics, LearningMetrics, Metrics, State};
    let run = data.join("runs/people");
    std::fs::create_dir_all(&run).unwrap();
    std::fs::write(run.join("config.toml"), "game = \"nim\"\nencoding = \"nim/heaps\"\n").unwrap();
    let directory = RunDirectory::new(run);
    State::new().save(&directory).unwrap();
    let games = Some(FolderMetrics { epochs: 0.5, games: 100, share: 1.0, ..FolderMetrics::default() });
    let learning = LearningMetrics { training: Some(Default::default()), ..LearningMetrics::default() };
    let metrics = Metrics { generation: 1, games, learning, ..Metrics::default() };
    let line = alfil_core::lines::seal(&serde_json::to_string(&metrics).unwrap());
    std::fs::write(directory.metrics(), line).unwrap();
}

/// Ends that run: its two epochs are behind it.
pub fn finish_people(data: &Path) {
    use alfil_train::run::State;
    let directory = alfil_train::RunDirectory::new(data.join("runs/people"));
    let config = "game = \"nim\"\nencoding = \"nim/heaps\"\n[games]\nfolders = [\"somewhere\"]\nepochs = 2\n";
    std::fs::write(directory.config(), config).unwrap();
    let mut state = State::load(&directory).unwrap();
    state.cursor.epoch = 2;
    state.save(&directory).unwrap();
}

/// Writes the state and the metrics of a run through the crate whose files they are.
pub fn write(run: &Path, generation: u32, measured: &[u32]) {
    use alfil_train::RunDirectory;
    use alfil_train::run::{Metrics, State};
    let directory = RunDirectory::new(run);
    let mut state = State::new();
    (state.generation, state.seconds) = (generation, 90.0);
    state.save(&directory).unwrap();
    let metrics: Vec<Metrics> =
        measured.iter().map(|&generation| Metrics { generation, ..Metrics::default() }).collect();
    let lines: Vec<String> = metrics
        .iter()
        .map(|metrics| {
            let mut value = serde_json::to_value(metrics).unwrap();
            value["selfplay"]["games"] = json!(10);
            alfil_core::lines::seal(&value.to_string())
        })
        .collect();
    std::fs::write(directory.metrics(), lines.concat()).unwrap();
}

#[test]
fn runs_are_shown_from_their_files_while_they_go_on() {
    let folder = folder("runs");
    let server = Running::of(&folder);
    let runs = server.get("/api/v1/runs").json();
    assert_eq!(
        (&runs[0]["name"], &runs[0]["game"], &runs[0]["generation"], &runs[0]["games"]),
        (&json!("first"), &json!("nim"), &json!(3), &json!(20))
    );
    let mut events = server.events("/api/v1/runs/first/events");
    let first = events.until(|name, _| name == "run");
    assert_eq!(first["metrics"].as_array().unwrap().len(), 2);
    write(&run(&folder), 4, &[1, 2, 3]);
    let second = events.until(|name, _| name == "run");
    assert_eq!((&second["run"]["generation"], &second["metrics"][0]["generation"]), (&json!(4), &json!(3)));
    assert_eq!(second["metrics"].as_array().unwrap().len(), 1, "only what is new");

    let files = server.get("/api/v1/runs/first/games").json();
    assert_eq!(files, json!([{ "id": "selfplay-000002", "kind": "selfplay", "generation": 2 }]));
    let games = server.get("/api/v1/runs/first/games/selfplay-000002").json();
    assert_eq!((games.as_array().unwrap().len(), &games[0]["plies"]), (2, &json!(3)));
    let pgn = games[0]["pgn"].as_str().unwrap();
    server.game(&json!({ "game": "nim", "side": "both", "pgn": pgn }).to_string());
    let broken = folder.join("runs/broken");
    std::fs::create_dir_all(&broken).unwrap();
    std::fs::write(broken.join("config.toml"), "game = \"nim\"\n").unwrap();
    std::fs::write(broken.join("state.json"), "{").unwrap();
    let runs = server.get("/api/v1/runs").json();
    assert_eq!((runs.as_array().unwrap().len(), &runs[1]["name"]), (2, &json!("broken")));
    assert!(runs[1]["error"].as_str().unwrap().contains("state.json"), "{runs}");
    assert_eq!(server.get("/api/v1/runs/first/games/secret").status, 404);
    assert_eq!(server.get("/api/v1/runs/second").error(), "there is no run 'second'");
    assert!(server.get("/api/v1/runs/first/config").body.contains("nim/heaps"));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_run_on_folders_is_complete_after_its_epochs() {
    let data = folder("epochs");
    write_people(&data);
    let server = Running::with(WebSettings { control: Some("false".into()), ..WebSettings::local(0, &data) });
    let is_complete = || server.get("/api/v1/runs/people").json()["run"]["is_complete"].clone();
    assert_eq!(is_complete(), json!(false));
    finish_people(&data);
    assert_eq!(is_complete(), json!(true));
    assert_eq!(server.post("/api/v1/runs/people/resume", "").error(), "the run is complete");
    std::fs::remove_dir_all(data).unwrap();
}

#[test]
fn the_longest_games_of_all_files_are_found() {
    let data = folder("longest");
    let server = Running::of(&data);
    let longest = || server.get("/api/v1/runs/first/longest").json();
    assert_eq!((longest().as_array().unwrap().len(), &longest()[0]["plies"]), (2, &json!(3)));
    let more = "[Variant \"nim\"]\n\n1. a1 b1 2. b2 *\n\n[Variant \"nim\"]\n\n1. a1 b1 2. b2 c1 3. c2 *\n";
    std::fs::write(run(&data).join("games/selfplay-000003.pgn"), more).unwrap();
    let found = longest();
    let told: Vec<_> = found.as_array().unwrap().iter().map(|game| (&game["generation"], &game["plies"])).collect();
    assert_eq!(told, [(&json!(3), &json!(5)), (&json!(3), &json!(3)), (&json!(2), &json!(3)), (&json!(2), &json!(1))]);
    std::fs::remove_dir_all(data).unwrap();
}

/// A process that plays games of nim for the run, and shows them.
#[cfg(unix)]
pub struct Working {
    pub stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

#[cfg(unix)]
impl Working {
    pub fn start(data: &Path) -> Working {
        use alfil_game::nim::Nim;
        use alfil_search::evaluators::Uniform;
        use alfil_selfplay::{Gallery, Lane, LaneContext, SelfplaySettings, Tickets};
        use alfil_train::live::LiveRun;
        use alfil_train::{Event, RunDirectory};

        let (stop, gallery) = (Arc::new(AtomicBool::new(false)), Arc::new(Gallery::default()));
        let directory = RunDirectory::new(run(data));
        let state = alfil_train::run::State::load(&directory).unwrap();
        let live = LiveRun::open(&directory, &state, Arc::clone(&gallery), Arc::clone(&stop)).unwrap();
        let settings = SelfplaySettings { at_once: 4, ..SelfplaySettings::default() };
        let context = LaneContext::<Nim>::open(settings, (), Arc::new(Tickets::endless()), 1).unwrap();
        let context = LaneContext { gallery: Some(gallery), ..context };
        let stopped = Arc::clone(&stop);
        let work = move || {
            let mut lane = Lane::new(context, Box::new(Uniform::default()));
            while !stopped.load(SeqCst) {
                lane.step(&mut |_| {}).unwrap();
                let counts = lane.counts();
                live.tell(&Event::Games { games: counts.games, of: 1_000_000, counts: &counts, seconds: 2.0 });
                std::thread::sleep(Duration::from_millis(5));
            }
        };
        Working { stop, thread: Some(std::thread::spawn(work)) }
    }
}

#[cfg(unix)]
impl Drop for Working {
    fn drop(&mut self) {
        self.stop.store(true, SeqCst);
        self.thread.take().unwrap().join().unwrap();
    }
}

#[cfg(unix)]
#[test]
fn games_are_watched_while_a_process_plays_them() {
    let data = folder("live");
    let server = Running::of(&data);
    let mut events = server.events("/api/v1/runs/first/events");
    assert_eq!(events.until(|name, _| name == "run")["run"]["at_work"], json!(false));
    let working = Working::start(&data);
    let seen =
        events.until(|name, now| name == "live" && now["games"].as_array().is_some_and(|games| !games.is_empty()));
    assert_eq!((&seen["phase"], &seen["generation"], &seen["unit"]), (&json!("self-play"), &json!(3), &json!("games")));
    let first = &seen["games"][0];
    assert!(!first["board"]["cells"].as_array().unwrap().is_empty(), "{first}");
    events.until(|name, now| name == "live" && now["games"][0]["search"]["moves"][0]["visits"].as_u64() > Some(0));
    events.until(|name, now| name == "live" && now["games"][0]["plies"] != first["plies"]);
    drop(working);
    // Both are told, in any order.
    let (silent, at_rest) = (Cell::new(false), Cell::new(false));
    events.until(|name, told| {
        silent.set(silent.get() || name == "live" && told.is_null());
        at_rest.set(at_rest.get() || name == "run" && told["run"]["at_work"] == false);
        silent.get() && at_rest.get()
    });
    std::fs::remove_dir_all(data).unwrap();
}

#[cfg(unix)]
#[test]
fn runs_are_stopped_and_resumed_only_where_the_page_may() {
    let data = folder("control");
    let ask = |server: &Running, what: &str| server.post(&format!("/api/v1/runs/first/{what}"), "");
    let watching = Running::of(&data);
    for what in ["stop", "resume"] {
        let answer = ask(&watching, what);
        assert_eq!(answer.status, 403);
        assert_eq!(answer.error(), "this page may only watch: start it as alfil web --control");
    }
    // Stands for alfil: it writes down what it was told, and fails.
    let program = data.join("program");
    let script = format!(
        "#!/bin/sh\necho \"$@\" > {0}/asked.partial\nmv {0}/asked.partial {0}/asked\necho it has no time >&2\nexit 2\n",
        data.display()
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let server = Running::with(WebSettings { control: Some(program), ..WebSettings::local(0, &data) });
    assert_eq!(ask(&server, "stop").error(), "no process of this machine works on the run");
    assert_eq!(server.post("/api/v1/runs/second/resume", "").status, 404);
    let working = Working::start(&data);
    assert_eq!(ask(&server, "resume").error(), "a process works on the run already");
    assert_eq!(ask(&server, "stop").status, 200);
    assert!(working.stop.load(SeqCst));
    drop(working);
    let mut events = server.events("/api/v1/runs/first/events");
    assert_eq!(ask(&server, "resume").json()["can_control"], json!(true));
    let failed = events.until(|name, update| name == "run" && !update["run"]["failure"].is_null());
    assert_eq!(failed["run"]["failure"], "the run could not go on: it has no time");
    let asked = std::fs::read_to_string(data.join("asked")).unwrap();
    let folder = run(&data);
    assert_eq!(asked.trim(), format!("train {0}/config.toml --run {0}", folder.display()));
    std::fs::remove_dir_all(data).unwrap();
}

/// A process that was stopped takes in nobody: whoever asked for it would wait for ever.
#[cfg(unix)]
#[test]
fn a_run_whose_process_is_stopped_hangs_nobody() {
    let data = folder("stopped");
    // It listens, as a process that was stopped does, and never accepts.
    let listener = std::os::unix::net::UnixListener::bind(run(&data).join("live.sock")).unwrap();
    let server = Running::of(&data);
    for _ in 0..300 {
        assert_eq!(server.get("/api/v1/runs/first").json()["run"]["at_work"], json!(true));
    }
    drop(listener);
    assert_eq!(server.get("/api/v1/runs/first").json()["run"]["at_work"], json!(false));
    std::fs::remove_dir_all(data).unwrap();
}

#[cfg(unix)]
#[test]
fn a_run_that_is_resumed_twice_has_one_process() {
    let data = folder("twice");
    // Stands for alfil: it notes that it was started, and works until it is told to end.
    let program = data.join("program");
    let script =
        format!("#!/bin/sh\necho started >> {0}/started\nwhile [ ! -e {0}/end ]; do sleep 0.1; done\n", data.display());
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let server = Running::with(WebSettings { control: Some(program), ..WebSettings::local(0, &data) });
    let resume = || server.post("/api/v1/runs/first/resume", "");
    assert_eq!(resume().status, 200);
    assert_eq!(resume().error(), "a process works on the run already");
    let started = || std::fs::read_to_string(data.join("started")).unwrap_or_default();
    let wait = |done: &dyn Fn() -> bool| {
        assert!((0..1200).any(|_| {
            std::thread::sleep(Duration::from_millis(50));
            done()
        }));
    };
    wait(&|| started() == "started\n");
    std::fs::write(data.join("end"), "").unwrap();
    // After its end, another one may begin.
    wait(&|| resume().status == 200);
    wait(&|| started() == "started\nstarted\n");
    drop(server);
    std::fs::remove_dir_all(data).unwrap();
}
