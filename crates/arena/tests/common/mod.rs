//! What the tests share.
#![allow(dead_code, clippy::disallowed_methods)]

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use alfil_arena::contest::{Archive, ContestError, Match, MatchReport, MatchSettings, Progress, Record};
use alfil_arena::opening::Openings;
use alfil_arena::player::{Entrant, PlayerLine};
use alfil_core::lines::unseal;
use alfil_game::FullGame;
use alfil_search::Adjudicator;

pub fn entrant<G: FullGame>(line: &str) -> Entrant<G> {
    line.parse::<PlayerLine>().unwrap().entrant().unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// Plays a match with random openings and returns its pairs, in their order, with the report.
pub fn play<G: FullGame>(
    a: &Entrant<G>,
    b: &Entrant<G>,
    settings: MatchSettings,
    archive: Archive,
) -> Result<(Vec<[Record; 2]>, MatchReport), ContestError> {
    play_by(&G::Rules::default(), a, b, settings, archive)
}

/// The same by chosen rules.
pub fn play_by<G: FullGame>(
    rules: &G::Rules,
    a: &Entrant<G>,
    b: &Entrant<G>,
    settings: MatchSettings,
    archive: Archive,
) -> Result<(Vec<[Record; 2]>, MatchReport), ContestError> {
    let mut openings = Openings::random(settings.seed, rules);
    let mut pairs = Vec::new();
    let mut note = |progress: Progress<'_>| pairs.extend(progress.pair.cloned());
    let contest = Match { a, b, openings: &mut openings, settings, adjudicator: Adjudicator::default(), archive };
    let report = contest.run(&mut note, &AtomicBool::new(false))?;
    pairs.sort_by_key(|pair| pair[0].pair);
    Ok((pairs, report))
}

pub fn settings(games: u64, concurrency: usize) -> MatchSettings {
    MatchSettings { games, concurrency, seed: 7, sprt: None }
}

/// Everything in a file of a contest except the checksums and the times that moves took.
pub fn timeless(path: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(path).unwrap();
    let json = text.lines().map(|line| unseal(line).unwrap().0);
    let mut lines: Vec<serde_json::Value> = json.map(|json| serde_json::from_str(&json).unwrap()).collect();
    for line in &mut lines[1..] {
        line.as_object_mut().unwrap().remove("notes");
    }
    lines
}

/// Whether the process with this number soon ends. One that nobody has reaped yet is a zombie.
pub fn ends(process: &str) -> bool {
    let stat = format!("/proc/{process}/stat");
    (0..12_000).any(|_| {
        let has_ended = std::fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z "));
        if !has_ended {
            std::thread::sleep(Duration::from_millis(10));
        }
        has_ended
    })
}

/// A folder for one test.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("alfil-arena-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
