//! The journal: every finished pair, safe on the disk.

use std::collections::HashSet;
use std::path::Path;

use alfil_game::FullGame;
use serde::{Deserialize, Serialize};

use super::{MatchSettings, Record, StateError, Who};
use crate::line_file::{LineFile, VERSION};
use crate::opening::Openings;
use crate::player::Entrant;
use alfil_core::wording::cut;

/// Characters of rules that are shown. Rules with a map of their own need many.
const LONGEST_RULES: usize = 300;

/// What identifies a match. Number of games, threads and the sequential test may change from run to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Header {
    /// The version of the format.
    #[serde(rename = "alfil-match")]
    pub version: u32,
    pub game: String,
    /// Empty for the usual rules.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rules: String,
    pub a: String,
    pub b: String,
    openings: String,
    seed: u64,
    /// The sequential test that the match began with, for those who look at it. It identifies nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<String>,
}

impl Header {
    pub fn new<G: FullGame>(players: [&Entrant<G>; 2], openings: &Openings<G>, settings: &MatchSettings) -> Header {
        let [a, b] = players.map(|player| player.identity.clone());
        let (rules, openings) = (openings.rules_identity(), openings.identity().to_owned());
        let (seed, sprt) = (settings.seed, settings.sprt.map(|sprt| sprt.to_string()));
        Header { version: VERSION, game: G::NAME.to_owned(), rules, a, b, openings, seed, sprt }
    }

    /// Whether two headers identify the same match.
    fn is_same(&self, other: &Header) -> bool {
        Header { sprt: other.sprt.clone(), ..self.clone() } == *other
    }

    /// How this match differs from another, in words.
    fn difference(&self, other: &Header) -> String {
        let rules = |header: &Header| match header.rules.as_str() {
            "" => "the usual one".to_owned(),
            chosen => cut(chosen, LONGEST_RULES).escape_debug().to_string(),
        };
        let rows = [
            ("game", &self.game, &other.game),
            ("the choice of rules", &rules(self), &rules(other)),
            ("player A", &self.a, &other.a),
            ("player B", &self.b, &other.b),
            ("openings", &self.openings, &other.openings),
            ("seed", &self.seed.to_string(), &other.seed.to_string()),
        ];
        let different = rows.into_iter().find(|(_, ours, theirs)| ours != theirs);
        different.map_or(String::new(), |(what, ours, theirs)| format!(" ({what} is {theirs} there, {ours} here)"))
    }
}

pub(super) struct Journal {
    file: LineFile,
}

impl Journal {
    /// Opens or creates the journal of a match and reads its complete pairs. A half-written end is cut off.
    pub fn open(path: &Path, header: &Header) -> Result<(Journal, Vec<[Record; 2]>), StateError> {
        let describe = |first: &str| {
            let theirs = serde_json::from_str::<Header>(first).ok()?;
            Some(format!("another match{}", header.difference(&theirs)))
        };
        let first = |version| Header { version, ..header.clone() };
        let (mut file, lines) = LineFile::open_same(path, first, Header::is_same, describe)?;
        let pairs = read_pairs(&lines, |line| file.damaged(line))?;
        file.keep(2 * pairs.len())?;
        Ok((Journal { file }, pairs))
    }

    /// Adds a pair, and returns when it has reached the disk.
    pub fn append(&mut self, pair: &[Record; 2]) -> Result<(), StateError> {
        self.file.append(pair)
    }
}

/// The complete pairs of a journal's lines after the first.
pub(super) fn read_pairs(
    lines: &[String],
    damaged: impl Fn(usize) -> StateError,
) -> Result<Vec<[Record; 2]>, StateError> {
    let mut seen = HashSet::new();
    let read = |(number, two): (usize, &[String])| {
        let pair = read_pair(two).filter(|pair| seen.insert(pair[0].pair));
        pair.ok_or_else(|| damaged(2 * number + 2))
    };
    lines.chunks_exact(2).enumerate().map(read).collect()
}

fn read_pair(lines: &[String]) -> Option<[Record; 2]> {
    let read = |line: &String| {
        let record: Record = serde_json::from_str(line).ok()?;
        (0.0..=1.0).contains(&record.score).then_some(record)
    };
    let pair = [read(lines.first()?)?, read(lines.get(1)?)?];
    let is_pair = pair[0].pair == pair[1].pair && (pair[0].first, pair[1].first) == (Who::A, Who::B);
    is_pair.then_some(pair)
}
