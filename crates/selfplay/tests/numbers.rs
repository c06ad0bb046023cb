//! A game depends only on its number, not on the games that are played alongside it.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use alfil_game::FullGame;
use alfil_game::chess::{Az119, Chess};
use alfil_game::connect4::{self, Connect4};
use alfil_nn::{Architecture, Cpu, Network};
use alfil_search::evaluators::Kind;
use alfil_search::{Adjudication, Backend};
use alfil_selfplay::{
    Cheap, GameRecord, LaneContext, Resign, SearchKind, SearchSettings, SelfplaySettings, Session, Starts, Surprise,
    Tickets, chunks, read_chunk,
};

const GAMES: u64 = 12;

fn settings(search: SearchSettings, at_once: usize) -> SelfplaySettings {
    SelfplaySettings {
        at_once,
        search,
        cheap: Cheap { share: 0.5, visits: 6, learnt: 0.5 },
        resign: Resign { below: -0.8, moves: 2, play_through: 0.5 },
        starts: Starts { random_plies: 3, ..Starts::default() },
        surprise: Surprise { share: 0.5 },
        ..SelfplaySettings::default()
    }
}

fn backend() -> Arc<dyn Backend<Connect4>> {
    let architecture = Architecture::new::<connect4::Stones>("8x1".parse().unwrap());
    Kind::Network(Arc::new(Network::random::<connect4::Stones>(architecture, 3))).backend(&Cpu).unwrap()
}

/// A folder that is deleted at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("alfil-numbers-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    /// All its games, by number.
    fn records<G: FullGame>(&self) -> Vec<GameRecord> {
        let mut records: Vec<GameRecord> =
            chunks(&self.0).unwrap().iter().flat_map(|path| read_chunk::<G>(path).unwrap()).collect();
        records.sort_by_key(|record| record.number);
        records
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn session<'a, G: FullGame>(
    folder: &'a Folder,
    (settings, lanes): (SelfplaySettings, usize),
    backend: &'a dyn Backend<G>,
    tickets: Tickets,
    stop: &'a AtomicBool,
) -> Session<'a, G> {
    Session {
        context: LaneContext::open(settings, Default::default(), Arc::new(tickets), 9).unwrap(),
        lanes,
        backend,
        stop,
        folder: &folder.0,
    }
}

#[test]
fn a_game_is_the_same_whatever_is_played_alongside_it() {
    let gumbel = SearchSettings { visits: 12, considered: 4, ..SearchSettings::default() };
    let puct = SearchSettings { kind: SearchKind::Puct, visits: 24, noise_alpha: 1.0, forced: 2.0, ..gumbel };
    let backend = backend();
    let go_on = AtomicBool::new(false);
    for search in [gumbel, puct] {
        let play = |lanes, games| {
            let folder = Folder::new("beside");
            let form = (settings(search, games), lanes);
            session(&folder, form, &*backend, Tickets::new(GAMES), &go_on).run(&mut |_| {}).unwrap();
            folder.records::<Connect4>()
        };
        let alone = play(1, 1);
        assert_eq!(alone.iter().map(|record| record.number).collect::<Vec<_>>(), (0..GAMES).collect::<Vec<_>>());
        assert!(alone.iter().enumerate().all(|(at, record)| alone[..at].iter().all(|one| one.plies != record.plies)));
        assert_eq!(play(1, 5), alone);
        assert_eq!(play(3, 4), alone);

        // After an interruption only what is missing is played.
        let folder = Folder::new("interrupted");
        let stop = Arc::new(AtomicBool::new(false));
        let stopper = Arc::clone(&stop);
        let until_7 = (0..GAMES).inspect(move |number| stopper.store(*number >= 7, Relaxed));
        session(&folder, (settings(search, 2), 2), &*backend, Tickets::of(until_7), &stop).run(&mut |_| {}).unwrap();
        let there: Vec<u64> = folder.records::<Connect4>().iter().map(|record| record.number).collect();
        let missing: Vec<u64> = (0..GAMES).filter(|number| !there.contains(number)).collect();
        assert!(missing.contains(&7), "{missing:?}");
        let counts = session(&folder, (settings(search, 3), 2), &*backend, Tickets::of(missing.clone()), &go_on)
            .run(&mut |_| {})
            .unwrap();
        assert_eq!(counts.games as usize, missing.len());
        assert_eq!(folder.records::<Connect4>(), alone);
    }
}

#[test]
fn chess_from_endings_with_history_and_adjudication_is_the_same_too() {
    let architecture = Architecture::new::<Az119>("8x1".parse().unwrap());
    let backend = Kind::Network(Arc::new(Network::random::<Az119>(architecture, 3))).backend::<Chess>(&Cpu).unwrap();
    let search = SearchSettings { visits: 8, considered: 4, ..SearchSettings::default() };
    let play = |lanes, games| {
        let folder = Folder::new("chess");
        let settings = SelfplaySettings {
            starts: Starts { endings_share: 0.8, ..Starts::default() },
            adjudication: Adjudication { material: 200, plies: 10, ..Adjudication::default() },
            ..settings(search, games)
        };
        let go_on = AtomicBool::new(false);
        session(&folder, (settings, lanes), &*backend, Tickets::new(8), &go_on).run(&mut |_| {}).unwrap();
        folder.records::<Chess>()
    };
    assert_eq!(play(1, 1), play(2, 3));
}

#[test]
fn an_immediate_stop_drops_what_is_under_way_and_keeps_what_has_ended() {
    let backend = backend();
    let folder = Folder::new("stop");
    let stop = AtomicBool::new(false);
    let form = (SelfplaySettings { at_once: 8, ..SelfplaySettings::default() }, 2);
    let counts = session(&folder, form, &*backend, Tickets::endless(), &stop)
        .run(&mut |counts| stop.store(counts.games >= 5, Relaxed))
        .unwrap();
    assert!(counts.games >= 5 && counts.moves > counts.positions, "{counts:?}");
    assert_eq!(folder.records::<Connect4>().len() as u64, counts.games);
}
