//! Self-play whose evaluator fails: it ends with one sentence, keeps every game that has ended, and goes on from there.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use alfil_failing_device::{FailingDevice, SENTENCE, alone, no_thread_is_left, threads, without_threads};
use alfil_game::connect4::{Connect4, Stones};
use alfil_nn::{Architecture, Network};
use alfil_search::evaluators::NetworkBackend;
use alfil_selfplay::{GameRecord, LaneContext, SelfplaySettings, Session, Tickets, chunks, read_chunk};

const GAMES: u64 = 24;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("alfil-selfplay-failure-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Plays the games that are missing in the folder, on two lanes. Returns how many have ended, as far as was reported,
/// and the error.
fn play(device: &FailingDevice, folder: &Path) -> (u64, Result<(), String>) {
    let network = Network::random::<Stones>(Architecture::new::<Stones>("8x1".parse().unwrap()), 1);
    let backend = NetworkBackend::<Stones>::new(&network, device).unwrap();
    let known = games(folder);
    let settings = SelfplaySettings { at_once: 4, ..SelfplaySettings::default() };
    let tickets = Tickets::of((0..GAMES).filter(move |number| !known.contains_key(number)));
    let session = Session {
        context: LaneContext::open(settings, (), Arc::new(tickets), 5).unwrap(),
        lanes: 2,
        backend: &backend,
        stop: &AtomicBool::new(false),
        folder,
    };
    let mut ended = 0;
    let played = session.run(&mut |counts| ended = counts.games);
    (ended, played.map(drop).map_err(|error| error.to_string()))
}

fn games(folder: &Path) -> BTreeMap<u64, GameRecord> {
    let records = chunks(folder).unwrap().into_iter().flat_map(|path| read_chunk::<Connect4>(&path).unwrap());
    records.map(|record| (record.number, record)).collect()
}

#[test]
fn games_that_have_ended_are_kept_when_an_evaluator_fails() {
    alone("games_that_have_ended_are_kept_when_an_evaluator_fails", || {
        let (whole, broken) = (Folder::new("whole"), Folder::new("broken"));
        play(&FailingDevice::never(), &whole.0).1.unwrap();
        assert_eq!(games(&whole.0).len() as u64, GAMES);
        let before = threads();
        let (ended, failed) = play(&FailingDevice::after(2_500), &broken.0);
        assert_eq!(failed.unwrap_err(), SENTENCE);
        assert!(no_thread_is_left(before));
        let kept = games(&broken.0).len() as u64;
        assert!(kept > 0 && kept < GAMES && kept >= ended, "{kept} of {ended}");
        let (_, failed) = play(&FailingDevice::panicking_after(500), &broken.0);
        assert_eq!(failed.unwrap_err(), "a thread of self-play panicked: the test wants it");
        assert!(no_thread_is_left(before));
        play(&FailingDevice::never(), &broken.0).1.unwrap();
        assert_eq!(games(&broken.0), games(&whole.0), "the same games as without a failure");
    })
    .unwrap();
}

#[test]
fn lanes_that_cannot_be_started_are_a_failure() {
    without_threads("lanes_that_cannot_be_started_are_a_failure", || {
        let folder = Folder::new("threads");
        let failed = play(&FailingDevice::never(), &folder.0).1.unwrap_err();
        assert!(failed.starts_with("self-play cannot start a thread: "), "{failed}");
    })
    .unwrap();
}
