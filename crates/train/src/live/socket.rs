//! The socket.

use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use alfil_core::pace::Pace;
use alfil_nn::learning::Loss;
use alfil_selfplay::Gallery;

use super::{STOP, Snapshot};
use crate::fleet::Fleet;
use crate::run::State;
use crate::{Event, RunDirectory};

/// Whoever watches is told this often at most.
const TICK: Duration = Duration::from_millis(500);

/// How long somebody may take to read a snapshot.
const PATIENCE: Duration = Duration::from_secs(5);

/// Workers that are told of at most.
const WORKERS: usize = 200;

/// Watchers at once; more are turned away.
const WATCHERS: usize = 16;

/// The socket of a run, as long as this lives.
pub struct LiveRun {
    shared: Arc<Shared>,
    path: PathBuf,
    listening: Option<JoinHandle<()>>,
}

struct Shared {
    told: Mutex<Told>,
    gallery: Arc<Gallery>,
    /// Only looked at: it leaves its server when the run lets go of it, whoever watches.
    fleet: OnceLock<Weak<dyn Fleet>>,
    /// Set by a watcher who stops the run.
    stop: Arc<AtomicBool>,
    /// Set when nothing more will be told.
    closing: AtomicBool,
    watchers: AtomicUsize,
}

struct Told {
    snapshot: Snapshot,
    pace: Pace,
    began: Instant,
    changes: u64,
}

impl LiveRun {
    /// Listens in the folder of a run, which this process works on: what is there already was left by a process that was killed.
    pub fn open(
        directory: &RunDirectory,
        state: &State,
        gallery: Arc<Gallery>,
        stop: Arc<AtomicBool>,
    ) -> io::Result<LiveRun> {
        let path = directory.live();
        match alfil_core::disk::remove(&path) {
            Err(why) if why.kind() != ErrorKind::NotFound => return Err(why),
            _ => {}
        }
        let listener = UnixListener::bind(&path)?;
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600))?;
        listener.set_nonblocking(true)?;
        let snapshot = Snapshot::new(state.generation, state.phase);
        let told = Told { snapshot, pace: Pace::default(), began: Instant::now(), changes: 0 };
        let shared = Arc::new(Shared {
            told: Mutex::new(told),
            gallery,
            fleet: OnceLock::new(),
            stop,
            closing: AtomicBool::new(false),
            watchers: AtomicUsize::new(0),
        });
        let listening = {
            let shared = Arc::clone(&shared);
            std::thread::Builder::new().name("live".to_owned()).spawn(move || shared.listen(&listener))?
        };
        Ok(LiveRun { shared, path, listening: Some(listening) })
    }

    /// Tells of the workers of this fleet as well.
    pub fn show_fleet(&self, fleet: &Arc<dyn Fleet>) {
        let _ = self.shared.fleet.set(Arc::downgrade(fleet));
    }

    /// Takes note of an event of the run.
    pub fn tell(&self, event: &Event<'_>) {
        match event {
            Event::Phase { generation, phase } => {
                let mut told = self.shared.told();
                told.snapshot = Snapshot::new(*generation, *phase);
                told.pace = Pace::default();
                told.changes += 1;
            }
            Event::Games { games, of, counts, seconds } => {
                let per_second = |count: u64| count as f64 / seconds.max(1e-9);
                let [won, drawn, lost] = counts.results.map(|count| count as f64);
                let figures = [
                    ("positions_per_second", per_second(counts.moves)),
                    ("evaluations_per_second", per_second(counts.evaluations)),
                    ("evaluator_share", counts.evaluator_share()),
                    ("batch", counts.mean_batch()),
                    ("cache_hits", counts.cache_share()),
                    ("length", counts.mean_length()),
                    ("won", won),
                    ("drawn", drawn),
                    ("lost", lost),
                    ("resigned", counts.resigned as f64),
                ];
                self.progress("games", *games, *of, figures);
            }
            Event::Step { step, of, losses, .. } => {
                // A term is 0 where the network has no such head.
                let terms = Loss::ALL.into_iter().map(|loss| (loss.name(), losses[loss]));
                self.progress("steps", *step, *of, terms.filter(|(_, loss)| *loss != 0.0));
            }
            Event::Gate { report, of } => {
                let elo = report.pairs.elo();
                let [won, drawn, lost] = [report.wins, report.draws, report.losses].map(|count| count as f64);
                let figures = [
                    ("won", won),
                    ("drawn", drawn),
                    ("lost", lost),
                    ("elo", elo.elo),
                    ("low", elo.low),
                    ("high", elo.high),
                ];
                self.progress("games", report.games(), *of, figures);
            }
            Event::Rating { games, of } => self.progress("games", *games, *of, []),
            Event::Exam { positions, of } => self.progress("positions", *positions, *of, []),
            _ => {}
        }
    }

    fn progress(&self, unit: &'static str, done: u64, of: u64, figures: impl IntoIterator<Item = (&'static str, f64)>) {
        let mut told = self.shared.told();
        let now = told.began.elapsed().as_secs_f64();
        if told.snapshot.unit != unit {
            (told.snapshot.unit, told.pace) = (unit.to_owned(), Pace::default());
        }
        told.pace.note(done, now);
        (told.snapshot.done, told.snapshot.of) = (done, of);
        (told.snapshot.per_second, told.snapshot.left) = (told.pace.per_second(), told.pace.left(of, now));
        // JSON has no infinite numbers.
        let finite = figures.into_iter().filter(|(_, value)| value.is_finite());
        told.snapshot.figures = finite.map(|(name, value)| (name.to_owned(), value)).collect();
        told.changes += 1;
    }
}

impl Drop for LiveRun {
    fn drop(&mut self) {
        self.shared.closing.store(true, SeqCst);
        let _ = alfil_core::disk::remove(&self.path);
        if let Some(listening) = self.listening.take() {
            let _ = listening.join();
        }
    }
}

impl Shared {
    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn listen(self: Arc<Self>, listener: &UnixListener) {
        while !self.closing.load(SeqCst) {
            let Ok((stream, _)) = listener.accept() else {
                // Nobody is there, or there are too many open files: some will be closed.
                std::thread::sleep(TICK / 5);
                continue;
            };
            if self.watchers.fetch_add(1, SeqCst) >= WATCHERS {
                self.watchers.fetch_sub(1, SeqCst);
                continue;
            }
            let shared = Arc::clone(&self);
            let watch = move || {
                if let Err(why) = shared.show(stream) {
                    tracing::debug!(%why, "a watcher has left");
                }
                shared.watchers.fetch_sub(1, SeqCst);
            };
            if std::thread::Builder::new().name("live watcher".to_owned()).spawn(watch).is_err() {
                self.watchers.fetch_sub(1, SeqCst);
            }
        }
    }

    /// Tells one watcher of everything until one side leaves.
    fn show(&self, mut stream: UnixStream) -> io::Result<()> {
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(TICK))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let (mut last, mut asked) = (None, Vec::new());
        while !self.closing.load(SeqCst) {
            let changes = (self.told().changes, self.gallery.version());
            if last != Some(changes) {
                last = Some(changes);
                stream.write_all(self.line()?.as_bytes())?;
            }
            let mut bytes = [0; STOP.len()];
            match stream.read(&mut bytes) {
                Ok(0) => return Ok(()),
                Ok(length) => asked.extend_from_slice(&bytes[..length]),
                Err(why) if matches!(why.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(why) => return Err(why),
            }
            if asked == STOP.as_bytes() {
                self.stop.store(true, SeqCst);
                asked.clear();
            } else if !STOP.as_bytes().starts_with(&asked) {
                return Ok(());
            }
        }
        Ok(())
    }

    fn line(&self) -> io::Result<String> {
        let fleet = self.fleet.get().and_then(Weak::upgrade);
        let mut workers = fleet.map(|fleet| fleet.workers()).unwrap_or_default();
        workers.sort_by_key(|worker| std::cmp::Reverse((worker.done.positions, worker.done.pairs)));
        workers.truncate(WORKERS);
        let snapshot = Snapshot { games: self.gallery.games(), workers, ..self.told().snapshot.clone() };
        Ok(serde_json::to_string(&snapshot)? + "\n")
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};

    use alfil_selfplay::Counts;

    use super::*;
    use crate::run::Phase;

    #[test]
    fn whoever_connects_is_told_what_happens_and_can_stop_it() {
        let folder = std::env::temp_dir().join(format!("alfil-live-{}", std::process::id()));
        let directory = RunDirectory::new(&folder);
        directory.create().unwrap();
        // A process that was killed has left its socket.
        drop(UnixListener::bind(directory.live()).unwrap());
        let stop = Arc::new(AtomicBool::new(false));
        let open = || LiveRun::open(&directory, &State::new(), Arc::default(), Arc::clone(&stop)).unwrap();
        let live = open();
        assert_eq!(directory.live().metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let mut stream = UnixStream::connect(directory.live()).unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
        let mut next = || Snapshot::read(&lines.next().unwrap().unwrap()).unwrap();
        assert_eq!(next(), Snapshot::new(1, Phase::Selfplay));
        let counts = Counts { games: 3, results: [2, 0, 1], ..Counts::default() };
        live.tell(&Event::Games { games: 3, of: 12, counts: &counts, seconds: 2.0 });
        let snapshot = next();
        assert_eq!((snapshot.unit.as_str(), snapshot.done, snapshot.of), ("games", 3, 12));
        assert!(snapshot.figures.contains(&("won".to_owned(), 2.0)), "{snapshot:?}");
        live.tell(&Event::Phase { generation: 1, phase: Phase::Learn });
        assert_eq!(next(), Snapshot::new(1, Phase::Learn));
        stream.write_all(b"st").unwrap();
        stream.write_all(b"op\n").unwrap();
        while !stop.load(SeqCst) {
            std::thread::sleep(TICK / 50);
        }
        drop(live);
        assert!(lines.next().is_none(), "the run has ended");
        assert!(!directory.live().exists());
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn watchers_who_say_something_else_are_sent_away() {
        let folder = std::env::temp_dir().join(format!("alfil-live-rude-{}", std::process::id()));
        let directory = RunDirectory::new(&folder);
        directory.create().unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let live = LiveRun::open(&directory, &State::new(), Arc::default(), Arc::clone(&stop)).unwrap();
        let mut stream = UnixStream::connect(directory.live()).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\n").unwrap();
        let mut told = String::new();
        let _ = stream.read_to_string(&mut told);
        assert!(told.lines().count() <= 1 && !stop.load(SeqCst), "{told}");
        drop(live);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
