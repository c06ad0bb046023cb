//! Mistakes of many games.

mod record;
mod rule;

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use alfil_arena::LineFile;
use alfil_arena::player::{Entrant, Played, Player, PlayerError};
use alfil_core::disk;
use alfil_core::wording::{cut, shorten};
use alfil_game::{FullGame, Notation, Rules};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::judge::{Assessment, assess, hundredths};
use crate::pool::{Job, Pool};
use crate::review::{asked, player_name};
use crate::{InsightError, Phase, PlayerName, chess};

pub use record::{ErrorRecord, read_errors, table};
pub use rule::Criterion;

/// Moves of lines that are kept.
const LINE: usize = 10;

/// Characters of the name of an opening.
const LONGEST_OPENING: usize = 60;

/// What is added to the name of a table while it is made.
const UNFINISHED: &str = "unfinished";

/// What is added to the name of a table for the file with its counts.
const SUMMARY: &str = "json";

/// A larger summary is damaged: [`MOST_OPENINGS`] of the longest names take a third of it.
const LARGEST_SUMMARY: u64 = 16 << 20;

/// Openings that are counted by name: those with the most moves.
const MOST_OPENINGS: usize = 10_000;

/// Finds the mistakes in some games, and writes them as a table, with a summary in JSON beside it.
///
/// Until the table is complete, finished games are in a file beside it whose name ends in `.unfinished`, from which the same
/// extraction goes on. Every game is judged by one player that has forgotten all others.
pub struct Extraction<'a, G: FullGame> {
    /// Files of games.
    pub files: &'a [PathBuf],
    /// By what rules they were played where they do not say.
    pub rules: G::Rules,
    /// Who judges.
    pub judge: &'a Entrant<G>,
    /// Threads, each with a judge of its own.
    pub threads: usize,
    /// Whose mistakes are looked for; everybody's without a name.
    pub player: Option<PlayerName>,
    /// What a mistake is.
    pub criterion: Criterion,
    /// Turns of both sides at the beginning of a game that do not count.
    pub skipped_turns: u32,
    /// The table, which must not exist.
    pub output: &'a Path,
}

/// How far an extraction has come.
#[derive(Clone, Copy, Debug)]
pub struct ExtractionProgress {
    /// Games that are finished, earlier ones included.
    pub games: u64,
    /// Mistakes in them.
    pub errors: u64,
    /// Positions that were judged since this process began.
    pub positions: u64,
    /// How much of the files has been read.
    pub read: u64,
    /// Bytes of all files.
    pub bytes: u64,
}

/// Moves, and the mistakes among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Moves.
    pub moves: u64,
    /// Those that are mistakes.
    pub errors: u64,
}

impl Share {
    fn add(&mut self, other: Share) {
        self.moves += other.moves;
        self.errors += other.errors;
    }
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extracted {
    /// Games with moves that count.
    pub games: u64,
    /// Moves that count.
    pub moves: u64,
    /// Mistakes among them.
    pub errors: u64,
    /// Positions that were judged.
    pub positions: u64,
    /// Games that could not be read.
    pub unreadable: u64,
    /// Moves and mistakes by the phase of the game.
    pub phases: BTreeMap<Phase, Share>,
    /// The same by the piece that moved, in games that have pieces with names.
    pub pieces: BTreeMap<String, Share>,
    /// The same by opening, as files call it: the 10,000 with the most moves.
    pub openings: BTreeMap<String, Share>,
}

impl Extracted {
    /// Adds what another extraction found, of other games.
    pub fn merge(&mut self, other: &Extracted) {
        self.games += other.games;
        self.moves += other.moves;
        self.errors += other.errors;
        self.positions += other.positions;
        self.unreadable += other.unreadable;
        add_shares(&mut self.phases, &other.phases);
        add_shares(&mut self.pieces, &other.pieces);
        add_shares(&mut self.openings, &other.openings);
        self.limit_openings();
    }

    fn limit_openings(&mut self) {
        if self.openings.len() > MOST_OPENINGS {
            let mut moves: Vec<u64> = self.openings.values().map(|share| share.moves).collect();
            moves.sort_unstable_by(|a, b| b.cmp(a));
            // Of those with as many moves as the last, the first by name stay.
            let least = moves[MOST_OPENINGS - 1];
            let mut left = moves[..MOST_OPENINGS].iter().filter(|moves| **moves == least).count();
            self.openings.retain(|_, share| {
                let stays = share.moves > least || share.moves == least && left > 0;
                left -= usize::from(stays && share.moves == least);
                stays
            });
        }
    }

    fn add(&mut self, game: &FinishedGame) {
        self.games += 1;
        self.moves += game.moves;
        self.errors += game.errors.len() as u64;
        self.positions += game.positions;
        add_shares(&mut self.phases, &game.phases);
        add_shares(&mut self.pieces, &game.pieces);
        if !game.opening.is_empty() {
            let share = Share { moves: game.moves, errors: game.errors.len() as u64 };
            self.openings.entry(game.opening.clone()).or_default().add(share);
        }
    }

    /// What an extraction found that wrote this table, if its summary is there.
    pub fn read(table: &Path) -> Result<Extracted, InsightError> {
        let path = table.with_added_extension(SUMMARY);
        let text = disk::read_text(&path, LARGEST_SUMMARY).map_err(InsightError::read(&path))?;
        serde_json::from_str(&text).map_err(|why| InsightError::read(&path)(why.into()))
    }
}

fn add_shares<K: Clone + Ord>(to: &mut BTreeMap<K, Share>, shares: &BTreeMap<K, Share>) {
    for (key, share) in shares {
        to.entry(key.clone()).or_default().add(*share);
    }
}

/// A game that is finished: a line of the unfinished file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct FinishedGame {
    game: u64,
    opening: String,
    moves: u64,
    positions: u64,
    phases: BTreeMap<Phase, Share>,
    pieces: BTreeMap<String, Share>,
    errors: Vec<ErrorRecord>,
}

/// What has to be the same for an interrupted extraction to go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    /// The version of the format.
    #[serde(rename = "alfil-insight")]
    version: u32,
    game: String,
    rules: String,
    judge: String,
    player: Option<String>,
    with_partners: bool,
    criterion: Criterion,
    skipped_turns: u32,
    /// Names and bytes.
    files: Vec<(String, u64)>,
}

impl<G: FullGame> Extraction<'_, G> {
    /// Finds the mistakes. `tell` is called after every game.
    pub fn run(&self, tell: &mut dyn FnMut(ExtractionProgress), stop: &AtomicBool) -> Result<Extracted, InsightError> {
        let unfinished = self.output.with_added_extension(UNFINISHED);
        if self.output.exists() && !unfinished.exists() {
            return Err(InsightError::Exists(self.output.to_owned()));
        }
        let pool = Pool { files: self.files, rules: &self.rules, judge: self.judge, threads: self.threads };
        let bytes = pool.bytes()?;
        let header = self.header()?;
        let describe = |first: &str| describe(first, &header);
        let exists = self.output.exists();
        let opened = LineFile::open(&unfinished, |version| Header { version, ..header.clone() }, describe);
        let (mut file, lines) = match opened {
            // Of another extraction.
            Err(_) if exists => return Err(InsightError::Exists(self.output.to_owned())),
            opened => opened?,
        };
        let mut games: BTreeMap<u64, FinishedGame> = BTreeMap::new();
        for (number, line) in (2..).zip(&lines) {
            let game: FinishedGame = serde_json::from_str(line).map_err(|_| file.damaged(number))?;
            games.insert(game.game, game);
        }
        file.keep(lines.len())?;
        let mut found = Extracted::default();
        games.values().for_each(|game| found.add(game));
        if exists {
            // The table is the last file to be written: if it has these games, a process was killed before it could tidy up.
            let whole = Extracted::read(self.output)?;
            if (whole.moves, whole.errors) != (found.moves, found.errors) {
                return Err(InsightError::Exists(self.output.to_owned()));
            }
            drop(file);
            disk::remove(&unfinished).map_err(InsightError::write(&unfinished))?;
            return Ok(whole);
        }
        let before: HashSet<u64> = games.keys().copied().collect();
        let mut positions = 0;
        let wanted =
            |job: &Job<G>| !before.contains(&job.number) && asked(&job.game, self.player.as_ref()) != [false; 2];
        let work = |judge: &mut dyn Player<G>, job: &Job<G>, stop: &dyn Fn() -> bool| self.judge_game(judge, job, stop);
        let mut take = |_: Job<G>, game: FinishedGame, read: u64| {
            file.append([&game])?;
            positions += game.positions;
            // A game whose moves were all played in the turns that are skipped has been read, and does not count.
            if game.moves > 0 {
                found.add(&game);
                games.insert(game.game, game);
            }
            tell(ExtractionProgress { games: found.games, errors: found.errors, positions, read, bytes });
            Ok(())
        };
        let read = pool.run(&wanted, &work, &mut take, stop)?;
        if !read.is_complete {
            return Err(InsightError::Stopped { games: games.len() as u64 });
        }
        // Games without moves that count may have been read before an interruption.
        games.retain(|_, game| game.moves > 0);
        let mut found = Extracted { unreadable: read.unreadable, ..Extracted::default() };
        games.values().for_each(|game| found.add(game));
        found.limit_openings();
        let errors: Vec<ErrorRecord> = games.into_values().flat_map(|game| game.errors).collect();
        let summary = self.output.with_added_extension(SUMMARY);
        let text = serde_json::to_string_pretty(&found).map_err(|why| InsightError::write(&summary)(why.into()))?;
        disk::write_whole(&summary, format!("{text}\n").as_bytes()).map_err(InsightError::write(&summary))?;
        disk::write_whole(self.output, table(&errors).as_bytes()).map_err(InsightError::write(self.output))?;
        drop(file);
        disk::remove(&unfinished).map_err(InsightError::write(&unfinished))?;
        Ok(found)
    }

    fn header(&self) -> Result<Header, InsightError> {
        let describe = |path: &PathBuf| {
            let bytes = disk::open(path).and_then(|file| file.metadata()).map_err(InsightError::read(path))?.len();
            Ok((path.file_name().unwrap_or_default().to_string_lossy().into_owned(), bytes))
        };
        Ok(Header {
            version: 0,
            game: G::NAME.to_owned(),
            rules: self.rules.text(),
            judge: self.judge.identity.clone(),
            player: self.player.as_ref().map(|player| player.text().to_owned()),
            with_partners: self.player.as_ref().is_some_and(PlayerName::with_partners),
            criterion: self.criterion,
            skipped_turns: self.skipped_turns,
            files: self.files.iter().map(describe).collect::<Result<_, InsightError>>()?,
        })
    }

    /// The mistakes of a game.
    fn judge_game(
        &self,
        judge: &mut dyn Player<G>,
        job: &Job<G>,
        stop: &dyn Fn() -> bool,
    ) -> Result<FinishedGame, PlayerError> {
        let (number, game) = (job.number, &job.game);
        let asked = asked(game, self.player.as_ref());
        let opening = game.tag("ECO").or(game.tag("Opening")).unwrap_or_default();
        let opening = cut(opening.trim(), LONGEST_OPENING);
        let mut found = FinishedGame { game: number, opening, ..FinishedGame::default() };
        let mut played = Played::new(game.start.clone());
        let begins = game.start.move_number();
        // What the last position was worth, if somebody asked.
        let mut last: Option<Assessment<G::Move>> = None;
        let mut ask = |played: &Played<G>, found: &mut FinishedGame| {
            let assessment = assess(judge, played, stop)?;
            found.positions += u64::from(!assessment.is_over);
            Ok::<_, PlayerError>(assessment)
        };
        for (ply, &m) in game.moves.iter().enumerate() {
            let now = played.now().clone();
            let side = now.side();
            let turns = now.move_number().saturating_sub(begins);
            if turns < self.skipped_turns || !asked[side as usize] {
                played.play(m);
                last = None;
                continue;
            }
            let before = match last.take() {
                Some(known) => known,
                None => ask(&played, &mut found)?,
            };
            played.play(m);
            if before.is_over {
                // A draw that nobody claimed: what the position would be worth without the rules, nobody has said.
                continue;
            }
            let after = ask(&played, &mut found)?;
            let scores = [&before, &after].map(|assessment| hundredths(assessment.score(side)));
            let is_expected = before.line.first() == Some(&m);
            let is_mistake = self.criterion.is_mistake(scores[0], scores[1], is_expected);
            let share = Share { moves: 1, errors: is_mistake.into() };
            found.moves += 1;
            found.phases.entry(Phase::of(&now, ply, game.moves.len())).or_default().add(share);
            if let Some(piece) = chess::piece_name(&now, m) {
                found.pieces.entry(piece.to_owned()).or_default().add(share);
            }
            if is_mistake {
                found.errors.push(ErrorRecord {
                    game: number,
                    ply: ply as u32 + 1,
                    side: G::SIDES[side as usize].to_owned(),
                    player: player_name(game, side).to_owned(),
                    opening: found.opening.clone(),
                    position: now.position(),
                    played: now.move_name(m),
                    loss: scores[0] - scores[1],
                    before: scores[0],
                    after: scores[1],
                    better: moves_text(&now, &before.line),
                    reply: moves_text(played.now(), &after.line),
                });
            }
            last = Some(after);
        }
        Ok(found)
    }
}

/// The first moves of a line as programs write them.
fn moves_text<G: Notation>(from: &G, line: &[G::Move]) -> String {
    let mut now = from.clone();
    let text = line.iter().take(LINE).map(|&m| {
        let text = now.move_text(m);
        now.play(m);
        text
    });
    text.collect::<Vec<_>>().join(" ")
}

/// What the first line of another extraction's file says, in words.
fn describe(first: &str, ours: &Header) -> Option<String> {
    let theirs: Header = serde_json::from_str(first).ok()?;
    let [theirs, ours] = [&theirs, ours].map(|header| serde_json::to_value(header).unwrap_or_default());
    let differs = |name: &&str| theirs[*name] != ours[*name];
    let names = ["game", "rules", "judge", "player", "with_partners", "criterion", "skipped_turns", "files"];
    let say = |value: &Value| shorten(&value.to_string());
    let how = names.into_iter().find(|name| differs(name)).map(|name| {
        format!(" ({} is {} there, {} here)", name.replace('_', " "), say(&theirs[name]), say(&ours[name]))
    });
    Some(format!("another extraction{}", how.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_that_are_seldom_played_are_not_counted_by_name_if_there_are_too_many() {
        let opening = |number: usize, moves| (format!("opening {number:05}"), Share { moves, errors: 1 });
        let mut found = Extracted {
            openings: (0..MOST_OPENINGS + 5).map(|number| opening(number, 1 + u64::from(number % 2 == 0))).collect(),
            ..Extracted::default()
        };
        found.merge(&Extracted { games: 2, openings: BTreeMap::from([opening(1, 9)]), ..Extracted::default() });
        assert_eq!((found.openings.len(), found.games), (MOST_OPENINGS, 2));
        assert_eq!(found.openings["opening 00001"], Share { moves: 10, errors: 2 });
        let last = found.openings.keys().next_back().unwrap();
        assert_eq!(last, "opening 10004", "even ones have more moves: {last}");
        assert!(!found.openings.contains_key("opening 10003"));
        let text = serde_json::to_string_pretty(&found).unwrap();
        assert!((text.len() as u64) < LARGEST_SUMMARY / 3);
    }
}
