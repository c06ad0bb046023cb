//! Files of earlier versions can be resumed from.

use std::path::{Path, PathBuf};

use super::support::{Folder, json, stdout};

/// The folders of files that were written in all versions of their formats.
const WRITTEN: [&str; 2] = ["de99b77", "version2"];

/// A copy of a file in one of them.
fn copy(written: &str, name: &str, folder: &Folder) -> String {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(written).join(name);
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
    for written in WRITTEN {
        let folder = Folder::new(&format!("old-match-{written}"));
        let pgn = copy(written, "match.pgn", &folder);
        copy(written, "match.pgn.journal", &folder);
        let players = ["match", "random", "alphabeta:depth=2", "--game", "tictactoe"];
        let report = json(&[&players[..], &["--games", "12", "--pgn", &pgn, "--json"]].concat());
        assert_eq!((&report["games"], &report["resumed"]), (&12.into(), &8.into()), "{written}");
        assert_eq!(std::fs::read_to_string(pgn).unwrap().matches("[Result ").count(), 12);
    }
}

#[test]
fn a_ladder_resumes_from_an_old_file() {
    for written in WRITTEN {
        let folder = Folder::new(&format!("old-ladder-{written}"));
        let state = copy(written, "ladder.jsonl", &folder);
        let old = std::fs::read_to_string(&state).unwrap();
        let games = |text: &str| text.lines().count();
        stdout(&["ladder", "random", "alphabeta:depth=2", "--game", "tictactoe", "--games", "40", "--state", &state]);
        let new = std::fs::read_to_string(&state).unwrap();
        assert!(new.starts_with(&old) && games(&new) > games(&old), "{new}");
    }
}

#[cfg(feature = "torch")]
mod runs {
    use super::*;

    #[test]
    fn an_old_run_is_reported() {
        for (written, name) in [("de99b77", "runs/old"), ("version2", "runs/half")] {
            let folder = Folder::new(&format!("old-report-{written}"));
            let run = copy(written, name, &folder);
            stdout(&["report", &run]);
            let page = std::fs::read_to_string(Path::new(&run).join("report.html")).unwrap();
            assert!(page.contains("<svg"), "{page}");
        }
    }

    #[test]
    fn old_runs_resume() {
        let folder = Folder::new("old-runs");
        let config = copy("de99b77", "small.toml", &folder);
        for (name, settings) in [("old", &["--set", "training.reuse=3", "--set", "generations=3"][..]), ("half", &[])] {
            let run = copy("de99b77", &format!("runs/{name}"), &folder);
            let text = stdout(&[&["train", &config, "--run", &run], settings].concat());
            assert!(text.contains("complete"), "{text}");
            let state = std::fs::read_to_string(Path::new(&run).join("state.json")).unwrap();
            let state: serde_json::Value = serde_json::from_str(&state).unwrap();
            assert_eq!(state["games"], if name == "old" { 300 } else { 200 });
        }
    }

    /// One that was stopped while it trained for the second time, with a rating of the first generation.
    #[test]
    fn a_run_of_the_last_version_resumes() {
        let folder = Folder::new("last-run");
        let run = copy("version2", "runs/half", &folder);
        let file = |name: &str| std::fs::read_to_string(Path::new(&run).join(name)).unwrap();
        let before = ["metrics.jsonl", "rating.jsonl"].map(file);
        let config = Path::new(&run).join("config.toml").display().to_string();
        let text = stdout(&["train", &config, "--run", &run]);
        assert!(text.contains("complete") && !text.contains("warning"), "{text}");
        let after = ["metrics.jsonl", "rating.jsonl"].map(file);
        assert!(before.iter().zip(&after).all(|(before, after)| after.starts_with(before) && before != after));
        let state: serde_json::Value = serde_json::from_str(&file("state.json")).unwrap();
        assert_eq!((&state["generation"], &state["games"]), (&3.into(), &200.into()));
    }
}
