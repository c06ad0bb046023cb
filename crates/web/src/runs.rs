//! The runs in the data folder, from their files.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
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

/// Games that are listed as the longest ones of a run.
const MOST_LONG: usize = 30;

/// Runs whose longest games are kept in memory.
const MOST_KNOWN: usize = 64;

/// The runs in the data folder. A request names a run; only runs that are in the folder are looked at.
pub struct Runs {
    folder: PathBuf,
    control: Control,
    /// What was read last, with the time and the length of the files that it was read from.
    known: Mutex<HashMap<String, (Stamp, Arc<Report>)>>,
    longest: Mutex<HashMap<String, Longest>>,
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
    /// The same of the processors, with those of engines; none if it was not counted from the beginning.
    cpu_seconds: Option<f64>,
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
    /// Where the line begins and ends, in hours of the run, and its Elo where it begins.
    hours: [f64; 2],
    start: f64,
}

/// What has happened since a page was told last.
#[derive(Debug, Serialize)]
pub struct UpdateView {
    run: RunView,
    /// Whether the page may stop and resume it.
    can_control: bool,
    /// New generations.
    metrics: Vec<MetricsView>,
}

/// What was measured in a generation, with what follows from it.
#[derive(Debug, Serialize)]
struct MetricsView {
    #[serde(flatten)]
    metrics: Metrics,
    /// The shares of games won by the rules, drawn by the rules, resigned and adjudicated.
    ends: [Option<f64>; 4],
    /// Seconds by phase.
    phases: Vec<(&'static str, f64)>,
    /// Positions played per hour of the run, with all its phases.
    positions_per_hour: Option<f64>,
}

impl MetricsView {
    fn new(metrics: &Metrics) -> MetricsView {
        MetricsView {
            metrics: metrics.clone(),
            ends: metrics.selfplay.ends(),
            phases: Metrics::PHASES.into_iter().zip(metrics.phases()).collect(),
            positions_per_hour: metrics.positions_per_hour(),
        }
    }
}

/// A file with games of a run.
#[derive(Debug, Serialize)]
pub struct GamesFileView {
    id: String,
    /// `selfplay` or `gate`.
    kind: String,
    generation: u32,
}

/// One of the longest games of a run, with the file that it is in.
#[derive(Clone, Debug, Serialize)]
pub struct LongGameView {
    file: String,
    generation: u32,
    #[serde(flatten)]
    game: SavedGameView,
}

/// The longest games of the files that were read.
#[derive(Clone, Default)]
struct Longest {
    files: HashSet<String>,
    games: Vec<LongGameView>,
}

/// A game of such a file.
#[derive(Clone, Debug, Serialize)]
pub struct SavedGameView {
    white: String,
    black: String,
    result: &'static str,
    plies: usize,
    pgn: String,
}

impl Runs {
    pub fn new(folder: PathBuf, control: Control) -> Runs {
        Runs { folder, control, known: Mutex::default(), longest: Mutex::default() }
    }

    /// All runs, the one that changed last first, and those that cannot be read at the end.
    pub fn list(&self) -> Result<Vec<ListedRun>, ApiError> {
        let listed = |(name, directory): (String, RunDirectory)| match self.read(&name, &directory) {
            Ok(report) => ListedRun::Run(Box::new(self.view(&name, &directory, &report))),
            Err(why) => ListedRun::Unreadable { name, error: why.to_string() },
        };
        let mut runs: Vec<ListedRun> = self.directories()?.into_iter().map(listed).collect();
        runs.sort_by_key(|run| match run {
            ListedRun::Run(run) => run.changed.unwrap_or(u64::MAX - 1),
            ListedRun::Unreadable { .. } => u64::MAX,
        });
        Ok(runs)
    }

    /// All runs that can be read, each with its game; none if they cannot be listed.
    pub fn games_of_all(&self) -> Vec<(String, String)> {
        let game = |(name, directory): (String, RunDirectory)| Some((self.read(&name, &directory).ok()?, name));
        let all = self.directories().unwrap_or_default().into_iter().filter_map(game);
        all.map(|(report, name)| (name, report.game.clone())).collect()
    }

    /// The game of a run; none if there is no such run.
    pub fn game(&self, name: &str) -> Option<String> {
        Some(self.report(name).ok()?.1.game.clone())
    }

    /// A run, with the generations after the first `told`.
    pub fn update(&self, name: &str, told: usize) -> Result<UpdateView, ApiError> {
        let (directory, report) = self.report(name)?;
        let metrics = report.metrics.get(told..).unwrap_or_default();
        let run = self.view(name, &directory, &report);
        Ok(UpdateView {
            run,
            can_control: self.control.is_allowed(),
            metrics: metrics.iter().map(MetricsView::new).collect(),
        })
    }

    /// The configuration of a run.
    pub fn config(&self, name: &str) -> Result<String, ApiError> {
        Ok(self.report(name)?.1.config.clone())
    }

    /// The file of the network that a run plays with.
    pub fn champion(&self, name: &str) -> Result<PathBuf, ApiError> {
        let (directory, report) = self.report(name)?;
        Ok(directory.network(report.state.champion))
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
        let games = directory.as_ref().map_or(0, under_way);
        (directory.as_ref().map(stamp), games, at_work, self.control.failure(name))
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
        let open = move || runs.report(&of).ok();
        let Ok(Some((directory, report))) = tokio::task::spawn_blocking(open).await else { return false };
        let Ok(mut follower) = Follower::connect(&directory.live()).await else { return false };
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
        socket::stop(&path).map_err(|why| match why.kind() {
            ErrorKind::TimedOut | ErrorKind::WouldBlock => {
                ApiError::conflict("the process that works on the run does not answer")
            }
            _ => ApiError::conflict("no process of this machine works on the run"),
        })
    }

    /// Starts a process that goes on with a run.
    pub fn resume(&self, name: &str) -> Result<(), ApiError> {
        self.control.check()?;
        let (directory, report) = self.report(name)?;
        if socket::is_at_work(&directory.live()) {
            return Err(ApiError::conflict("a process works on the run already"));
        }
        if report.is_complete() {
            return Err(ApiError::conflict("the run is complete"));
        }
        self.control.resume(name, &directory)
    }

    /// Files with games of a run, the newest first.
    pub fn files(&self, name: &str) -> Result<Vec<GamesFileView>, ApiError> {
        Ok(games(&self.directory(name)?).into_iter().map(|(file, _)| file).collect())
    }

    /// The games of such a file.
    pub fn saved(&self, name: &str, file: &str) -> Result<Vec<SavedGameView>, ApiError> {
        let (directory, report) = self.report(name)?;
        let found = games(&directory).into_iter().find(|(known, _)| known.id == file);
        let (_, path) = found.ok_or_else(|| ApiError::missing("the run has no such file of games"))?;
        read_games(&path, &report)
    }

    /// The longest games of all these files, the longest first. A file is read once: it does not change.
    pub fn longest(&self, name: &str) -> Result<Vec<LongGameView>, ApiError> {
        let (directory, report) = self.report(name)?;
        let known = || self.longest.lock().unwrap_or_else(PoisonError::into_inner);
        let mut longest = known().get(name).cloned().unwrap_or_default();
        for (file, path) in games(&directory) {
            if !longest.files.insert(file.id.clone()) {
                continue;
            }
            // One that cannot be read hides none of the others.
            let found = read_games(&path, &report).unwrap_or_default().into_iter();
            longest.games.extend(found.map(|game| LongGameView {
                file: file.id.clone(),
                generation: file.generation,
                game,
            }));
            longest.games.sort_by_key(|long| Reverse((long.game.plies, long.generation)));
            longest.games.truncate(MOST_LONG);
        }
        let mut known = known();
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(name.to_owned(), longest.clone());
        Ok(longest.games)
    }

    /// The runs of the folder, by name.
    fn directories(&self) -> Result<Vec<(String, RunDirectory)>, ApiError> {
        let paths = match alfil_core::disk::list(&self.folder) {
            Err(why) if why.kind() == ErrorKind::NotFound => Vec::new(),
            paths => paths.map_err(|why| ApiError::failed(format!("cannot list {}: {why}", self.folder.display())))?,
        };
        let run = |path: PathBuf| Some((path.file_name()?.to_str()?.to_owned(), RunDirectory::new(path)));
        Ok(paths.into_iter().filter_map(run).filter(|(_, directory)| directory.has_begun()).collect())
    }

    /// The folder of a run that is listed: no other name gets near the disk.
    fn directory(&self, name: &str) -> Result<RunDirectory, ApiError> {
        let found = self.directories()?.into_iter().find(|(known, _)| known == name);
        let missing = || ApiError::missing(format!("there is no run '{}'", shorten(name)));
        Ok(found.ok_or_else(missing)?.1)
    }

    fn report(&self, name: &str) -> Result<(RunDirectory, Arc<Report>), ApiError> {
        let directory = self.directory(name)?;
        let report = self.read(name, &directory)?;
        Ok((directory, report))
    }

    fn read(&self, name: &str, directory: &RunDirectory) -> Result<Arc<Report>, ApiError> {
        let stamp = stamp(directory);
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, report)) = known().get(name).filter(|(known, _)| *known == stamp) {
            return Ok(Arc::clone(report));
        }
        let report = Arc::new(Report::load(directory).map_err(ApiError::failed)?);
        known().insert(name.to_owned(), (stamp, Arc::clone(&report)));
        Ok(report)
    }

    fn view(&self, name: &str, directory: &RunDirectory, report: &Report) -> RunView {
        let Report { state, metrics, .. } = report;
        let total = |count: fn(&Metrics) -> u64| metrics.iter().map(count).fold(0, u64::saturating_add);
        let latest = stamp(directory).into_iter().flatten().map(|(time, _)| time).max();
        let changed = latest.map(|time| SystemTime::now().duration_since(time).map_or(0, |since| since.as_secs()));
        let rating = metrics.iter().rev().find_map(|metrics| metrics.rating.as_ref());
        RunView {
            name: name.to_owned(),
            game: report.game.clone(),
            encoding: report.encoding.clone(),
            size: state.size.map_or(report.size.clone(), |size| size.to_string()),
            generation: state.generation,
            generations: report.generations,
            is_complete: report.is_complete(),
            phase: view::phase(state.phase),
            at_work: socket::is_at_work(&directory.live()),
            failure: self.control.failure(name),
            champion: state.champion,
            promoted: state.promoted.len().saturating_sub(1),
            games: total(|metrics| metrics.selfplay.games),
            positions: total(|metrics| metrics.selfplay.positions),
            steps: metrics.last().map_or(state.steps, |last| last.learning.steps),
            seconds: state.seconds,
            cpu_seconds: state.cpu_seconds,
            games_under_way: under_way(directory),
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
                    hours: [trend.hours.0, trend.hours.1],
                    start: trend.start,
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

/// Games of the generation under way that are in files.
fn under_way(directory: &RunDirectory) -> u64 {
    let chunks = chunks(&directory.selfplay()).unwrap_or_default();
    chunks.iter().filter_map(|path| Some(read_header(path).ok()?.games)).fold(0, u64::saturating_add)
}

/// The files with games of a run, the newest first.
fn games(directory: &RunDirectory) -> Vec<(GamesFileView, PathBuf)> {
    let paths = alfil_core::disk::list(&directory.games()).unwrap_or_default();
    let is_pgn = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "pgn");
    let named = |path: PathBuf| Some((described(path.file_stem()?.to_str()?.to_owned())?, path));
    let mut files: Vec<(GamesFileView, PathBuf)> = paths.into_iter().filter(is_pgn).filter_map(named).collect();
    files.sort_by(|(a, _), (b, _)| b.generation.cmp(&a.generation).then(a.kind.cmp(&b.kind)));
    files.truncate(MOST_FILES);
    files
}

fn read_games(path: &Path, report: &Report) -> Result<Vec<SavedGameView>, ApiError> {
    let bytes = alfil_core::disk::read(path, LARGEST_GAMES)
        .map_err(|why| ApiError::failed(format!("cannot read {}: {why}", path.display())))?;
    with_game!(&report.game, G => saved::<G>(&bytes, &report.rules)).map_err(ApiError::failed)
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
