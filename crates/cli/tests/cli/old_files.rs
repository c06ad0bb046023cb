//! Files of earlier versions can be resumed from.

use std::path::{Path, PathBuf};

use super::support::{Folder, json, stdout};

/// A copy of what commit de99b77 wrote.
fn copy(name: &str, folder: &Folder) -> String {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/de99b77").join(name);
    let target = PathBuf::from(folder.file(name.rsplit('/').next().unwrap()));
    copy_all(&source, &target);
    target.display().to_string()
}

fn copy_all(source: &Path, target: &Path) {
    if source.is_file() {
        std::fs::copy(source, target).unwrap();
        return;
    }
    std::fs::create_dir_all(target).unwrap();
    for entry in std::fs::read_dir(source).unwrap() {
        let path = entry.unwrap().path();
        copy_all(&path, &target.join(path.file_name().unwrap()));
    }
}

#[test]
fn a_match_resumes_from_an_old_journal() {
    let folder = Folder::new("old-match");
    let pgn = copy("match.pgn", &folder);
    copy("match.pgn.journal", &folder);
    let report = json(&[
        "match",
        "random",
        "alphabeta:depth=2",
        "--game",
        "tictactoe",
        "--games",
        "12",
        "--pgn",
        &pgn,
        "--json",
    ]);
    assert_eq!((&report["games"], &report["resumed"]), (&12.into(), &8.into()));
    assert_eq!(std::fs::read_to_string(pgn).unwrap().matches("[Result ").count(), 12);
}

#[test]
fn a_ladder_resumes_from_an_old_file() {
    let folder = Folder::new("old-ladder");
    let state = copy("ladder.jsonl", &folder);
    let old = std::fs::read_to_string(&state).unwrap();
    stdout(&["ladder", "random", "alphabeta:depth=2", "--game", "tictactoe", "--games", "12", "--state", &state]);
    assert!(std::fs::read_to_string(&state).unwrap().starts_with(&old));
}

#[cfg(feature = "torch")]
mod runs {
    use super::*;

    #[test]
    fn an_old_run_is_reported() {
        let folder = Folder::new("old-report");
        let run = copy("runs/old", &folder);
        stdout(&["report", &run]);
        let page = std::fs::read_to_string(Path::new(&run).join("report.html")).unwrap();
        assert!(page.contains("<svg"), "{page}");
    }

    #[test]
    fn old_runs_resume() {
        let folder = Folder::new("old-runs");
        let config = copy("small.toml", &folder);
        for (name, settings) in [("old", &["--set", "training.reuse=3", "--set", "generations=3"][..]), ("half", &[])] {
            let run = copy(&format!("runs/{name}"), &folder);
            let text = stdout(&[&["train", &config, "--run", &run], settings].concat());
            assert!(text.contains("complete"), "{text}");
            let state = std::fs::read_to_string(Path::new(&run).join("state.json")).unwrap();
            let state: serde_json::Value = serde_json::from_str(&state).unwrap();
            assert_eq!(state["games"], if name == "old" { 300 } else { 200 });
        }
    }
}
