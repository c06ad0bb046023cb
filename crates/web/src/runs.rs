//! The runs in the data folder, from their files.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use alfil_core::wording::shorten;
use alfil_game::pgn::PgnReader;
use alfil_game::{FullGame, read_foreign_rules, with_game};
use alfil_selfplay::{chunks, read_header};
use alfil_train::RunDirectory;
use alfil_train::report::Report;
use alfil_train::run::Metrics;
use serde::Serialize;
use tokio::sync::mpsc;

use crate::control::Control;
use crate::error::ApiError;
use crate::live_run::LiveView;
use crate::live_run::socket::{self, Follower};
use crate::stream::Message;
use crate::view;

/// How often the files of a run that somebody watches are looked at.
const LOOK: Duration = Duration::from_secs(2);

/// Files of games that are listed, the newest first.
const MOST_FILES: usize = 200;

/// Bytes of a file of games that are read.
const LARGEST_GAMES: u64 = 4 << 20;

/// Games of a file that are listed.
const MOST_GAMES: usize = 100;

/// The runs in the data folder. A request names a run; only runs that are in the folder are looked at.
pub struct Runs {
    folder: PathBuf,
    control: Control,
    /// What was read last, with the time and the length of the files that it was read from.
    known: Mutex<HashMap<String, (Stamp, Arc<Report>)>>,
}

type Stamp = [Option<(SystemTime, u64)>; 2];

/// A run of the list.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum ListedRun {
    Run(Box<RunView>),
    /// Its files are damaged, or of another version.
    Unreadable {
        name: String,
        error: String,
    },
}

/// A run in a few numbers.
#[derive(Debug, Serialize)]
pub struct RunView {
    name: String,
    game: String,
    encoding: String,
    /// Filters and blocks of its network.
    size: String,
    /// The generation under way, and how many there will be; 0 is no limit.
    generation: u32,
    generations: u32,
    is_complete: bool,
    phase: &'static str,
    /// Whether a process works on it that can be followed.
    at_work: bool,
    /// Why it could not be resumed from the page.
    failure: Option<String>,
    /// The generation whose network plays.
    champion: u32,
    promoted: usize,
    games: u64,
    positions: u64,
    steps: u64,
    /// Seconds of work, without pauses.
    seconds: f64,
    /// Games of the generation under way that are finished.
    games_under_way: u64,
    /// Seconds since its files last changed.
    changed: Option<u64>,
    rating: Option<RatingView>,
}

/// How strong a run's network is.
#[derive(Debug, Serialize)]
struct RatingView {
    elo: f64,
    low: f64,
    high: f64,
    /// The generation that was rated.
    network: u32,
    /// Generation, Elo, and the interval's ends.
    curve: Vec<(u32, f64, f64, f64)>,
    /// rising, flat or falling, with the slope in Elo per hour and its interval.
    trend: Option<TrendView>,
}

#[derive(Debug, Serialize)]
struct TrendView {
    word: &'static str,
    per_hour: f64,
    low: f64,
    high: f64,
}

/// What has happened since a page was told last.
#[derive(Debug, Serialize)]
pub struct UpdateView {
    run: RunView,
    /// Whether the page may stop and resume it.
    can_control: bool,
    /// New generations.
    metrics: Vec<Metrics>,
}

/// A file with games of a run.
#[derive(Debug, Serialize)]
pub struct GamesFileView {
    id: String,
    /// `selfplay` or `gate`.
    kind: String,
    generation: u32,
}

/// A game of such a file.
#[derive(Debug, Serialize)]
pub struct SavedGameView {
    white: String,
    black: String,
    result: &'static str,
    plies: usize,
    pgn: String,
}

impl Runs {
    pub fn new(folder: PathBuf, control: Control) -> Runs {
        Runs { folder, control, known: Mutex::default() }
    }

    /// All runs, the one that changed last first, and those that cannot be read at the end.
    pub fn list(&self) -> Result<Vec<ListedRun>, ApiError> {
        let listed = |name: &String| match self.report(name) {
            Ok(report) => ListedRun::Run(Box::new(self.view(name, &report))),
            Err(why) => ListedRun::Unreadable { name: name.clone(), error: why.to_string() },
        };
        let mut runs: Vec<ListedRun> = self.names()?.iter().map(listed).collect();
        runs.sort_by_key(|run| match run {
            ListedRun::Run(run) => run.changed.unwrap_or(u64::MAX - 1),
            ListedRun::Unreadable { .. } => u64::MAX,
        });
        Ok(runs)
    }

    /// The names of the runs of a game; none if they cannot be listed.
    pub fn of_game(&self, game: &str) -> Vec<String> {
        let mut names = self.names().unwrap_or_default();
        names.retain(|name| self.report(name).is_ok_and(|report| report.game == game));
        names
    }

    /// A run, with the generations after the first `told`.
    pub fn update(&self, name: &str, told: usize) -> Result<UpdateView, ApiError> {
        let report = self.report(name)?;
        let metrics = report.metrics.get(told..).unwrap_or_default().to_vec();
        Ok(UpdateView { run: self.view(name, &report), can_control: self.control.is_allowed(), metrics })
    }

    /// The configuration of a run.
    pub fn config(&self, name: &str) -> Result<String, ApiError> {
        Ok(self.report(name)?.config.clone())
    }

    /// The file of the network that a run plays with.
    pub fn champion(&self, name: &str) -> Result<PathBuf, ApiError> {
        let report = self.report(name)?;
        Ok(self.directory(name)?.network(report.state.champion))
    }

    /// Tells `listener` of a run whenever its files change, until nobody listens.
    pub async fn watch(self: Arc<Self>, name: String, listener: mpsc::Sender<Message>) {
        let (mut told, mut last) = (0, None);
        while !listener.is_closed() {
            let (runs, of) = (Arc::clone(&self), name.clone());
            let before = last.clone();
            let look = move || {
                let now = Some(runs.look(&of));
                (now != before).then(|| (runs.update(&of, told), now))
            };
            match tokio::task::spawn_blocking(look).await {
                Ok(Some((Ok(update), now))) => {
                    told += update.metrics.len();
                    last = now;
                    if listener.send(Message::new("run", &update)).await.is_err() {
                        return;
                    }
                }
                Ok(Some((Err(why), _))) => {
                    let _ = listener.send(Message::failure(&why.to_string())).await;
                    return;
                }
                Ok(None) => {}
                Err(_) => return,
            }
            tokio::select! {
                () = listener.closed() => return,
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }

    /// What changes while a run is watched: its files, the games of its generation, whether it is at work, and why not.
    fn look(&self, name: &str) -> (Option<Stamp>, u64, bool, Option<String>) {
        let directory = self.directory(name).ok();
        let at_work = directory.as_ref().is_some_and(|directory| socket::is_at_work(&directory.live()));
        (directory.as_ref().map(stamp), self.under_way(name), at_work, self.control.failure(name))
    }

    /// Tells `listener` what a run is doing while a process works on it, and `null` when it ends, until nobody listens.
    pub async fn follow(self: Arc<Self>, name: String, listener: mpsc::Sender<Message>) {
        loop {
            tokio::select! {
                () = listener.closed() => return,
                // Its process may begin later, or again.
                followed = self.follow_process(&name, &listener) => if followed {
                    let _ = listener.send(Message::new("live", &None::<LiveView>)).await;
                }
            }
            tokio::select! {
                () = listener.closed() => return,
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }

    /// The same until the process ends; false if there is none.
    async fn follow_process(self: &Arc<Self>, name: &str, listener: &mpsc::Sender<Message>) -> bool {
        let (runs, of) = (Arc::clone(self), name.to_owned());
        let open = move || Some((runs.directory(&of).ok()?.live(), runs.report(&of).ok()?));
        let Ok(Some((path, report))) = tokio::task::spawn_blocking(open).await else { return false };
        let Ok(mut follower) = Follower::connect(&path).await else { return false };
        while let Ok(snapshot) = follower.next().await {
            let report = Arc::clone(&report);
            let view = move || LiveView::new(snapshot, &report.game, &report.rules);
            let Ok(view) = tokio::task::spawn_blocking(view).await else { break };
            // A reader who is slow gets the next one instead.
            let _ = listener.try_send(Message::new("live", &view));
        }
        true
    }

    /// Stops the process that works on a run, as ctrl-C would.
    pub fn stop(&self, name: &str) -> Result<(), ApiError> {
        self.control.check()?;
        let path = self.directory(name)?.live();
        let not_there = |_| ApiError::conflict("no process of this machine works on the run");
        socket::stop(&path).map_err(not_there)
    }

    /// Starts a process that goes on with a run.
    pub fn resume(&self, name: &str) -> Result<(), ApiError> {
        self.control.check()?;
        let directory = self.directory(name)?;
        if socket::is_at_work(&directory.live()) {
            return Err(ApiError::conflict("a process works on the run already"));
        }
        if self.view(name, &*self.report(name)?).is_complete {
            return Err(ApiError::conflict("the run is complete"));
        }
        self.control.resume(name, &directory)
    }

    /// Files with games of a run, the newest first.
    pub fn files(&self, name: &str) -> Result<Vec<GamesFileView>, ApiError> {
        let mut files: Vec<GamesFileView> = self.games(name)?.into_iter().filter_map(|(id, _)| described(id)).collect();
        files.sort_by(|a, b| b.generation.cmp(&a.generation).then(a.kind.cmp(&b.kind)));
        files.truncate(MOST_FILES);
        Ok(files)
    }

    /// The games of such a file.
    pub fn saved(&self, name: &str, file: &str) -> Result<Vec<SavedGameView>, ApiError> {
        let found = self.games(name)?.into_iter().find(|(id, _)| id == file);
        let (_, path) = found.ok_or_else(|| ApiError::missing("the run has no such file of games"))?;
        let bytes = alfil_core::disk::read(&path, LARGEST_GAMES)
            .map_err(|why| ApiError::failed(format!("cannot read {}: {why}", path.display())))?;
        let report = self.report(name)?;
        with_game!(&report.game, G => saved::<G>(&bytes, &report.rules)).map_err(ApiError::failed)
    }

    fn games(&self, name: &str) -> Result<Vec<(String, PathBuf)>, ApiError> {
        let paths = alfil_core::disk::list(&self.directory(name)?.games()).unwrap_or_default();
        let is_pgn = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "pgn");
        let named = |path: PathBuf| Some((path.file_stem()?.to_str()?.to_owned(), path));
        Ok(paths.into_iter().filter(is_pgn).filter_map(named).collect())
    }

    fn names(&self) -> Result<Vec<String>, ApiError> {
        let paths = match alfil_core::disk::list(&self.folder) {
            Err(why) if why.kind() == ErrorKind::NotFound => Vec::new(),
            paths => paths.map_err(|why| ApiError::failed(format!("cannot list {}: {why}", self.folder.display())))?,
        };
        let runs = paths.into_iter().filter(|path| RunDirectory::new(path).has_begun());
        Ok(runs.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect())
    }

    /// The folder of a run that is listed: no other name gets near the disk.
    fn directory(&self, name: &str) -> Result<RunDirectory, ApiError> {
        let found = self.names()?.into_iter().find(|known| known == name);
        let found = found.ok_or_else(|| ApiError::missing(format!("there is no run '{}'", shorten(name))))?;
        Ok(RunDirectory::new(self.folder.join(found)))
    }

    fn report(&self, name: &str) -> Result<Arc<Report>, ApiError> {
        let directory = self.directory(name)?;
        let stamp = stamp(&directory);
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, report)) = known().get(name).filter(|(known, _)| *known == stamp) {
            return Ok(Arc::clone(report));
        }
        let report = Arc::new(Report::load(&directory).map_err(ApiError::failed)?);
        known().insert(name.to_owned(), (stamp, Arc::clone(&report)));
        Ok(report)
    }

    /// Games of the generation under way that are in files.
    fn under_way(&self, name: &str) -> u64 {
        let count = || -> Option<u64> {
            let chunks = chunks(&self.directory(name).ok()?.selfplay()).ok()?;
            Some(chunks.iter().filter_map(|path| Some(read_header(path).ok()?.games)).fold(0, u64::saturating_add))
        };
        count().unwrap_or(0)
    }

    fn view(&self, name: &str, report: &Report) -> RunView {
        let Report { state, metrics, .. } = report;
        let total = |count: fn(&Metrics) -> u64| metrics.iter().map(count).fold(0, u64::saturating_add);
        let changed = self.directory(name).ok().and_then(|directory| {
            let latest = stamp(&directory).into_iter().flatten().map(|(time, _)| time).max()?;
            Some(SystemTime::now().duration_since(latest).map_or(0, |since| since.as_secs()))
        });
        let rating = metrics.iter().rev().find_map(|metrics| metrics.rating.as_ref());
        RunView {
            name: name.to_owned(),
            game: report.game.clone(),
            encoding: report.encoding.clone(),
            size: state.size.map_or(report.size.clone(), |size| size.to_string()),
            generation: state.generation,
            generations: report.generations,
            is_complete: report.generations > 0 && state.generation > report.generations,
            phase: view::phase(state.phase),
            at_work: self.directory(name).is_ok_and(|directory| socket::is_at_work(&directory.live())),
            failure: self.control.failure(name),
            champion: state.champion,
            promoted: state.promoted.len().saturating_sub(1),
            games: total(|metrics| metrics.selfplay.games),
            positions: total(|metrics| metrics.selfplay.positions),
            steps: metrics.last().map_or(state.steps, |last| last.learning.steps),
            seconds: state.seconds,
            games_under_way: self.under_way(name),
            changed,
            rating: rating.map(|rating| RatingView {
                elo: rating.elo,
                low: rating.low,
                high: rating.high,
                network: rating.network,
                curve: rating.curve.clone(),
                trend: rating.trend.map(|trend| TrendView {
                    word: trend.word(),
                    per_hour: trend.per_hour,
                    low: trend.low,
                    high: trend.high,
                }),
            }),
        }
    }
}

/// When the files of a run were last written, and how long they are.
fn stamp(directory: &RunDirectory) -> Stamp {
    let of = |path: &Path| {
        let metadata = path.metadata().ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    };
    [of(&directory.state()), of(&directory.metrics())]
}

/// What the name of a file of games says: `selfplay-000012`, `gate-000012-100`.
fn described(id: String) -> Option<GamesFileView> {
    let mut words = id.split('-');
    let (kind, generation) = (words.next()?.to_owned(), words.next()?.parse().ok()?);
    Some(GamesFileView { kind, generation, id })
}

/// The games of a PGN file, as far as they can be read.
pub fn saved<G: FullGame>(bytes: &[u8], rules: &str) -> Vec<SavedGameView> {
    let rules = read_foreign_rules::<G>(rules, &G::Rules::default()).unwrap_or_default();
    let games = PgnReader::<G, _>::new(bytes).with_rules(rules).take(MOST_GAMES);
    let view = |game: alfil_game::pgn::PgnGame<G>| {
        let mut text = Vec::new();
        game.write(&mut text).ok()?;
        let tag = |name: &str| game.tag(name).unwrap_or("?").to_owned();
        let (white, black) = (tag("White"), tag("Black"));
        let pgn = String::from_utf8(text).ok()?;
        Some(SavedGameView { white, black, result: game.result_text(), plies: game.moves.len(), pgn })
    };
    games.filter_map(Result::ok).filter_map(view).collect()
}
