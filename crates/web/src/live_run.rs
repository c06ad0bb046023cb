//! A run that is at work, through the socket in its folder.

use std::collections::BTreeMap;

use alfil_game::{FullGame, MoveNumbers, read_foreign_rules, with_game};
use alfil_selfplay::{WatchedGame, WatchedSearch};
use alfil_train::fleet::WorkerNow;
use alfil_train::live::Snapshot;
use serde::Serialize;

use crate::view::{self, BoardView, touched};

/// Moves of a game that are followed: no game of self-play is longer.
const LONGEST_GAME: usize = 4096;

/// Moves that are told with their names, the last ones.
const NAMED: usize = 8;

/// What a run is doing, for the page.
#[derive(Debug, Serialize)]
pub struct LiveView {
    generation: u32,
    phase: &'static str,
    /// What the phase counts, how many are done, how many there will be (0 if nothing is counted), and how fast it goes.
    unit: String,
    done: u64,
    of: u64,
    per_second: Option<f64>,
    /// Seconds until the phase ends.
    left: Option<f64>,
    /// Other figures of the phase.
    figures: BTreeMap<String, f64>,
    /// Games of self-play under way.
    games: Vec<WatchedView>,
    /// Other machines that play for the run.
    workers: Vec<WorkerView>,
}

/// A machine that plays for the run.
#[derive(Debug, Serialize)]
struct WorkerView {
    name: String,
    games: u64,
    positions: u64,
    pairs: u64,
    refused: u64,
    /// Positions.
    per_second: f64,
    /// Seconds since its last result.
    quiet: f64,
    shut: bool,
}

/// A game of self-play while it is played.
#[derive(Debug, Serialize)]
struct WatchedView {
    number: u64,
    board: Option<BoardView>,
    /// The position in words, where there is no board.
    text: String,
    /// Whose move it is.
    turn: usize,
    /// The cells of the last move.
    last: Vec<String>,
    plies: usize,
    /// The last moves as people write them.
    moves: Vec<String>,
    /// The first player's expected points before each move.
    expected: Vec<f32>,
    /// The search for the last move.
    search: Option<WatchedSearchView>,
    /// The first player's points, once the game has ended.
    result: Option<f32>,
}

#[derive(Debug, Serialize)]
struct WatchedSearchView {
    wdl: [f32; 3],
    moves: Vec<FavouriteView>,
}

#[derive(Debug, Serialize)]
struct FavouriteView {
    name: String,
    visits: u32,
    prior: f32,
}

impl LiveView {
    /// What is told of a game that cannot have been played is left out.
    pub fn new(snapshot: Snapshot, game: &str, rules: &str) -> LiveView {
        let Snapshot { generation, phase, unit, done, of, per_second, left, figures, games, workers, .. } = snapshot;
        let games = with_game!(game, G => watched::<G>(&games, rules)).unwrap_or_default();
        let phase = view::phase(phase);
        let figures = figures.into_iter().collect();
        let workers = workers.into_iter().map(worker).collect();
        LiveView { generation, phase, unit, done, of, per_second, left, figures, games, workers }
    }
}

fn worker(worker: WorkerNow) -> WorkerView {
    let WorkerNow { name, done, quiet, shut } = worker;
    WorkerView {
        name: alfil_core::wording::shorten(&name),
        games: done.games,
        positions: done.positions,
        pairs: done.pairs,
        refused: done.refused,
        per_second: done.per_second,
        quiet,
        shut,
    }
}

fn watched<G: FullGame>(games: &[WatchedGame], rules: &str) -> Vec<WatchedView> {
    let rules = read_foreign_rules::<G>(rules, &G::Rules::default()).unwrap_or_default();
    games.iter().filter_map(|game| follow::<G>(game, &rules)).collect()
}

fn follow<G: FullGame>(watched: &WatchedGame, rules: &G::Rules) -> Option<WatchedView> {
    let mut game = G::from_position(&watched.start, rules).ok()?;
    if watched.moves.len() > LONGEST_GAME {
        return None;
    }
    let mut numbers = MoveNumbers::of(&game);
    let (mut moves, mut last, mut search) = (Vec::new(), Vec::new(), None);
    for (ply, text) in watched.moves.iter().enumerate() {
        let m = game.parse_move(text).ok()?;
        let number = numbers.next(game.side());
        if ply + NAMED >= watched.moves.len() {
            let name = game.move_name(m);
            let is_first = moves.is_empty();
            moves.push(if number.begins || is_first { format!("{number} {name}") } else { name });
        }
        if ply + 1 == watched.moves.len() {
            last = touched(&game, m);
            search = watched.search.as_ref().map(|search| favourites(&game, search));
        }
        game.play(m);
    }
    Some(WatchedView {
        number: watched.number,
        board: game.diagram().map(view::board),
        text: game.to_string(),
        turn: game.side() as usize,
        last,
        plies: watched.moves.len(),
        moves,
        expected: watched.expected.clone(),
        search,
        result: watched.result,
    })
}

fn favourites<G: FullGame>(game: &G, search: &WatchedSearch) -> WatchedSearchView {
    let favourite = |(text, visits, prior): &(String, u32, f32)| {
        let m = game.parse_move(text).ok()?;
        Some(FavouriteView { name: game.move_name(m), visits: *visits, prior: *prior })
    };
    WatchedSearchView { wdl: search.wdl, moves: search.moves.iter().filter_map(favourite).collect() }
}

/// The socket of a run: asking whether it is at work, stopping it, and following it.
#[cfg(unix)]
pub mod socket {
    use std::io::{self, ErrorKind};
    use std::path::Path;
    use std::time::Duration;

    use alfil_train::live::{STOP, Snapshot};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::UnixStream;
    use tokio::runtime::Handle;
    use tokio::time::timeout;

    /// Bytes of a snapshot at most.
    const LARGEST: usize = 1 << 20;

    /// How long a run may take to hear that it should stop.
    const PATIENCE: Duration = Duration::from_secs(5);

    /// Whether a process works on the run. For a thread that may wait, though this does not: a process that is stopped takes in
    /// nobody, and whoever waited for it would do so for ever.
    pub fn is_at_work(path: &Path) -> bool {
        match Handle::current().block_on(UnixStream::connect(path)) {
            Ok(_) => true,
            // It listens, and has not taken in those who asked before.
            Err(why) => why.kind() == ErrorKind::WouldBlock,
        }
    }

    /// Stops a run as ctrl-C would.
    pub fn stop(path: &Path) -> io::Result<()> {
        let stop = async {
            let mut stream = UnixStream::connect(path).await?;
            stream.write_all(STOP.as_bytes()).await?;
            stream.shutdown().await?;
            // The run tells how it is doing, hears, and closes.
            let mut bytes = [0; 4096];
            while stream.read(&mut bytes).await? > 0 {}
            Ok(())
        };
        let late = |_| io::Error::from(ErrorKind::TimedOut);
        Handle::current().block_on(async { timeout(PATIENCE, stop).await.map_err(late)? })
    }

    /// A run that is followed.
    pub struct Follower {
        stream: UnixStream,
        waiting: Vec<u8>,
    }

    impl Follower {
        pub async fn connect(path: &Path) -> io::Result<Follower> {
            Ok(Follower { stream: UnixStream::connect(path).await?, waiting: Vec::new() })
        }

        /// What the run tells next; an error once it has ended, or says what cannot be understood.
        pub async fn next(&mut self) -> io::Result<Snapshot> {
            let mut bytes = vec![0; 1 << 14];
            loop {
                if let Some(end) = self.waiting.iter().position(|byte| *byte == b'\n') {
                    let line: Vec<u8> = self.waiting.drain(..=end).collect();
                    let snapshot = std::str::from_utf8(&line).ok().and_then(Snapshot::read);
                    return snapshot.ok_or_else(|| ErrorKind::InvalidData.into());
                }
                if self.waiting.len() > LARGEST {
                    return Err(ErrorKind::InvalidData.into());
                }
                self.stream.readable().await?;
                match self.stream.try_read(&mut bytes) {
                    Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                    Ok(length) => self.waiting.extend_from_slice(&bytes[..length]),
                    Err(why) if why.kind() == ErrorKind::WouldBlock => {}
                    Err(why) => return Err(why),
                }
            }
        }
    }
}

/// Systems without such sockets: no run can be followed.
#[cfg(not(unix))]
pub mod socket {
    use std::convert::Infallible;
    use std::io::{self, ErrorKind};
    use std::path::Path;

    use alfil_train::live::Snapshot;

    pub fn is_at_work(_: &Path) -> bool {
        false
    }

    pub fn stop(_: &Path) -> io::Result<()> {
        Err(ErrorKind::Unsupported.into())
    }

    pub struct Follower(Infallible);

    impl Follower {
        pub async fn connect(_: &Path) -> io::Result<Follower> {
            Err(ErrorKind::Unsupported.into())
        }

        pub async fn next(&mut self) -> io::Result<Snapshot> {
            match self.0 {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_run_tells_is_played_again_and_checked() {
        let watched = WatchedGame {
            number: 7,
            start: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned(),
            moves: ["e2e4", "e7e5", "g1f3"].map(str::to_owned).to_vec(),
            expected: vec![0.5, 0.5, 0.6],
            search: Some(WatchedSearch {
                wdl: [0.4, 0.4, 0.2],
                moves: vec![("g1f3".to_owned(), 30, 0.5), ("h9h9".to_owned(), 1, 0.1)],
            }),
            result: None,
        };
        let view = &watched_view(&watched)[0];
        assert_eq!((&view.moves.join(" ")[..], view.turn, view.plies), ("1. e4 e5 2. Nf3", 1, 3));
        assert_eq!(view.last, ["g1", "f3"]);
        let search = view.search.as_ref().unwrap();
        assert_eq!((search.moves.len(), &search.moves[0].name[..]), (1, "Nf3"));
        let wrong = [
            WatchedGame { start: "nowhere".to_owned(), ..watched.clone() },
            WatchedGame { moves: vec!["e2e5".to_owned()], ..watched.clone() },
            WatchedGame { moves: vec!["e2e4".to_owned(); 1 << 20], ..watched.clone() },
        ];
        assert!(wrong.iter().all(|wrong| watched_view(wrong).is_empty()));
    }

    #[test]
    fn workers_of_a_fleet_are_told_with_harmless_names() {
        let line = r#"{"version": 1, "generation": 2, "phase": "selfplay", "unit": "games", "done": 1, "of": 2, "figures": [],
            "games": [], "workers": [{"name": "a\u001b[2J", "done": {"games": 3, "per_second": 4.5}, "quiet": 1.0, "shut": true}]}"#;
        let view = LiveView::new(Snapshot::read(line).unwrap(), "nim", "");
        let worker = &view.workers[0];
        assert_eq!((&worker.name[..], worker.games, worker.per_second, worker.shut), ("a\\u{1b}[2J", 3, 4.5, true));
    }

    fn watched_view(game: &WatchedGame) -> Vec<WatchedView> {
        watched::<alfil_game::chess::Chess>(std::slice::from_ref(game), "")
    }
}
