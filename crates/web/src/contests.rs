//! Matches and ladders in the data folder, from the files that they keep.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use alfil_arena::contest::SavedMatch;
use alfil_arena::ladder::{Row, SavedLadder};
use alfil_arena::stats::Sprt;
use alfil_core::wording::{cut, shorten};
use alfil_game::with_game;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::mpsc;

use crate::error::ApiError;
use crate::runs::{SavedGameView, saved};
use crate::stream::Message;

/// How often the file of a contest that somebody watches is looked at.
const LOOK: Duration = Duration::from_secs(2);

/// Games that are told, the newest first.
const MOST_GAMES: usize = 100;

/// Characters of a player's name.
const LONGEST_NAME: usize = 80;

/// Bytes at the beginning of a PGN file in which the names of its players are looked for.
const NAMES: u64 = 4096;

/// Contests that are kept in memory.
const MOST_KNOWN: usize = 16;

/// The ending of journals beside their PGN file.
const JOURNAL: &str = "journal";

/// The contests in the data folder. A request names a contest; only files that are in the folder are looked at.
pub struct Contests {
    folder: PathBuf,
    /// What was read last, with the time and the length of its file.
    known: Mutex<HashMap<String, (Stamp, Arc<Contest>)>>,
}

type Stamp = (SystemTime, u64);

enum Contest {
    Match { saved: SavedMatch, names: [String; 2] },
    Ladder(SavedLadder),
}

/// What a sequential test is to decide between.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    elo0: Option<f64>,
    elo1: Option<f64>,
}

/// A contest of the list.
#[derive(Debug, Serialize)]
pub struct ListedContest {
    id: String,
    #[serde(flatten)]
    what: Listed,
    /// Seconds since its file last changed.
    changed: Option<u64>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Listed {
    Match {
        game: String,
        players: [String; 2],
        games: u64,
        /// "+12 =3 -5  Elo +120 (+20 to +240)"
        brief: String,
    },
    Ladder {
        game: String,
        games: u64,
        /// The strongest player.
        first: Option<String>,
    },
    Unreadable {
        error: String,
    },
}

/// A contest with all that is known.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum ContestView {
    Match {
        id: String,
        changed: Option<u64>,
        /// What `alfil match --json` prints.
        report: Value,
    },
    Ladder {
        id: String,
        changed: Option<u64>,
        game: String,
        games: u64,
        players: Vec<PlayerView>,
    },
}

/// A player of a ladder.
#[derive(Debug, Serialize)]
pub struct PlayerView {
    name: String,
    /// Elo with its interval; none if no games connect the player with the anchor.
    elo: Option<[f64; 3]>,
    games: u64,
    points: f64,
    anchor: bool,
}

impl Contests {
    pub fn new(folder: PathBuf) -> Contests {
        Contests { folder, known: Mutex::default() }
    }

    /// All contests, the one that changed last first.
    pub fn list(&self) -> Result<Vec<ListedContest>, ApiError> {
        let mut listed: Vec<ListedContest> = Vec::new();
        for (id, path) in self.files()? {
            let what = match self.read(&id, &path) {
                Ok(Some(contest)) => contest.listed(),
                Ok(None) => continue,
                Err(why) => Listed::Unreadable { error: why.to_string() },
            };
            listed.push(ListedContest { id, what, changed: changed(&path) });
        }
        listed.sort_by_key(|contest| contest.changed.unwrap_or(u64::MAX));
        Ok(listed)
    }

    /// A contest with the state of a sequential test: that with these bounds, or the one that the match began with.
    pub fn view(&self, id: &str, bounds: &Bounds) -> Result<ContestView, ApiError> {
        let (path, contest) = self.contest(id)?;
        let (id, changed) = (id.to_owned(), changed(&path));
        Ok(match &*contest {
            Contest::Match { saved, names } => {
                let report = saved.report([&names[0], &names[1]], bounds.sprt()?.or_else(|| saved.sprt()));
                ContestView::Match { id, changed, report: report.json() }
            }
            Contest::Ladder(ladder) => {
                let too_many = || ApiError::failed("this ladder has too many players for a page");
                let players = ladder.rows().ok_or_else(too_many)?.into_iter().map(PlayerView::new).collect();
                ContestView::Ladder { id, changed, game: ladder.game().to_owned(), games: ladder.games(), players }
            }
        })
    }

    /// The last games of a match, the newest first.
    pub fn games(&self, id: &str) -> Result<Vec<SavedGameView>, ApiError> {
        let (_, contest) = self.contest(id)?;
        let Contest::Match { saved: of, names } = &*contest else {
            return Err(ApiError::missing("a ladder keeps results, not games"));
        };
        let names = [&names[0][..], &names[1]];
        let games = with_game!(of.game(), G => {
            saved::<G>(of.latest::<G>(names, MOST_GAMES).concat().as_bytes(), of.rules())
        });
        games.map_err(ApiError::failed)
    }

    /// Tells `listener` of a contest whenever its file changes, until nobody listens.
    pub async fn watch(self: Arc<Self>, id: String, bounds: Bounds, listener: mpsc::Sender<Message>) {
        let mut last = None;
        loop {
            let (contests, of, bounds) = (Arc::clone(&self), id.clone(), bounds.clone());
            let look = move || {
                let now = contests.path(&of).ok().and_then(|path| stamp(&path));
                (now.is_none() || now != last).then(|| (contests.view(&of, &bounds), now))
            };
            match tokio::task::spawn_blocking(look).await {
                Ok(Some((Ok(view), now))) => {
                    last = now;
                    if listener.send(Message::new("contest", &view)).await.is_err() {
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

    /// The files that may be those of contests, by what they are called without their ending.
    fn files(&self) -> Result<Vec<(String, PathBuf)>, ApiError> {
        let paths = match alfil_core::disk::list(&self.folder) {
            Err(why) if why.kind() == ErrorKind::NotFound => Vec::new(),
            paths => paths.map_err(|why| ApiError::failed(format!("cannot list {}: {why}", self.folder.display())))?,
        };
        let is_ours = |path: &PathBuf| {
            let ending = path.extension().and_then(|ending| ending.to_str());
            matches!(ending, Some(JOURNAL | "jsonl")) && path.is_file()
        };
        let named = |path: PathBuf| Some((path.file_name()?.to_str()?.to_owned(), path));
        Ok(paths.into_iter().filter(is_ours).filter_map(named).collect())
    }

    fn path(&self, id: &str) -> Result<PathBuf, ApiError> {
        let found = self.files()?.into_iter().find(|(known, _)| known == id).map(|(_, path)| path);
        found.ok_or_else(|| ApiError::missing(format!("there is no match or ladder '{}'", shorten(id))))
    }

    fn contest(&self, id: &str) -> Result<(PathBuf, Arc<Contest>), ApiError> {
        let path = self.path(id)?;
        let contest = self.read(id, &path)?;
        let nothing = || ApiError::missing(format!("'{}' is not the file of a match or a ladder", shorten(id)));
        Ok((path, contest.ok_or_else(nothing)?))
    }

    /// None if the file is not that of a contest.
    fn read(&self, id: &str, path: &Path) -> Result<Option<Arc<Contest>>, ApiError> {
        let now = stamp(path).unwrap_or((SystemTime::UNIX_EPOCH, 0));
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, contest)) = known().get(id).filter(|(known, _)| *known == now) {
            return Ok(Some(Arc::clone(contest)));
        }
        let contest = match SavedMatch::read(path).map_err(ApiError::failed)? {
            Some(saved) => {
                let names = names(path).unwrap_or_else(|| saved.identities().map(str::to_owned));
                Some(Contest::Match { names: names.map(|name| cut(&name, LONGEST_NAME)), saved })
            }
            None => SavedLadder::read(path).map_err(ApiError::failed)?.map(Contest::Ladder),
        };
        let Some(contest) = contest.map(Arc::new) else { return Ok(None) };
        let mut known = known();
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(id.to_owned(), (now, Arc::clone(&contest)));
        Ok(Some(contest))
    }
}

impl Contest {
    fn listed(&self) -> Listed {
        match self {
            Contest::Match { saved, names } => {
                let report = saved.report([&names[0], &names[1]], None);
                let (games, brief) = (report.games(), report.brief());
                Listed::Match { game: saved.game().to_owned(), players: [report.a, report.b], games, brief }
            }
            Contest::Ladder(ladder) => {
                let first = ladder.rows().and_then(|rows| rows.into_iter().next());
                let first = first.map(|row| cut(&row.name, LONGEST_NAME));
                Listed::Ladder { game: ladder.game().to_owned(), games: ladder.games(), first }
            }
        }
    }
}

impl Bounds {
    fn sprt(&self) -> Result<Option<Sprt>, ApiError> {
        match (self.elo0, self.elo1) {
            (Some(elo0), Some(elo1)) => Ok(Some(format!("elo0={elo0},elo1={elo1}").parse().map_err(ApiError::wrong)?)),
            (None, None) => Ok(None),
            _ => Err(ApiError::wrong("a sequential test has two bounds: elo0 and elo1")),
        }
    }

    /// Whether they make sense.
    pub fn check(&self) -> Result<(), ApiError> {
        self.sprt().map(drop)
    }
}

impl PlayerView {
    fn new(row: Row) -> PlayerView {
        let Row { name, rating, known, games, points, anchor } = row;
        let elo = known.then_some([rating.elo, rating.low, rating.high]);
        PlayerView { name: cut(&name, LONGEST_NAME), elo, games, points, anchor }
    }
}

/// The names in the PGN file that a journal stands beside: those of its first game, in which A moves first.
fn names(journal: &Path) -> Option<[String; 2]> {
    let pgn = Some(journal).filter(|path| path.extension().is_some_and(|ending| ending == JOURNAL))?.with_extension("");
    let mut text = Vec::new();
    let file = alfil_core::disk::open(&pgn).ok()?;
    std::io::Read::read_to_end(&mut std::io::Read::take(file, NAMES), &mut text).ok()?;
    let text = String::from_utf8_lossy(&text);
    let tag = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix('[')?.strip_prefix(name)?.strip_suffix("\"]"))?;
        Some(line.strip_prefix(" \"")?.to_owned())
    };
    Some([tag("White")?, tag("Black")?])
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = path.metadata().ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

fn changed(path: &Path) -> Option<u64> {
    let (time, _) = stamp(path)?;
    Some(SystemTime::now().duration_since(time).map_or(0, |since| since.as_secs()))
}
