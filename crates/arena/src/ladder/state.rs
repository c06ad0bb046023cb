//! The state file of a ladder.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::contest::StateError;
use crate::line_file::{LineFile, VERSION};

/// Pairs of a block at most: an interrupted block is finished first, however long the file says that it is.
pub(super) const LONGEST_BLOCK: u64 = 1 << 16;

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Header {
    #[serde(rename = "alfil-ladder")]
    pub version: u32,
    pub game: String,
    /// Empty for the usual rules.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    rules: String,
}

/// A pair of games between two players, known by their identities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Meeting {
    pub a: String,
    pub b: String,
    /// A's points, in the game in which A moved first and in the other.
    pub scores: [f32; 2],
    /// Its number among the pairs of these two, from 0, from which its opening and seed are derived. Files of earlier
    /// versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<u64>,
    /// How many pairs were planned for these two when it began: with fewer, the block was interrupted.
    #[serde(default)]
    pub of: u64,
}

impl Meeting {
    /// Whether a line with this number, from 1, can say so: the two cannot have met more often than there are lines
    /// before it, and a block adds [`LONGEST_BLOCK`] pairs at most.
    pub fn is_possible(&self, number: u64) -> bool {
        let most = number.saturating_add(LONGEST_BLOCK);
        self.scores.iter().all(|score| (0.0..=1.0).contains(score))
            && self.of <= most
            && self.pair.is_none_or(|pair| pair < most)
    }
}

/// The file of a ladder. Without one, nothing is remembered.
#[derive(Default)]
pub(super) struct State {
    file: Option<LineFile>,
}

impl State {
    /// Opens or creates the file of a ladder and reads its complete lines. A half-written end is cut off.
    pub fn open(path: &Path, game: &str, rules: String) -> Result<(State, Vec<Meeting>), StateError> {
        let header = Header { version: VERSION, game: game.to_owned(), rules };
        let describe = |first: &str| {
            let theirs = serde_json::from_str::<Header>(first).ok()?;
            let rules = if theirs.rules == header.rules { "" } else { " under other rules" };
            let version = if theirs.version <= VERSION { "" } else { ", in the format of a later version of alfil" };
            Some(format!("a ladder of {}{rules}{version}", theirs.game))
        };
        let first = |version| Header { version, ..header.clone() };
        let (mut file, lines) = LineFile::open(path, first, describe)?;
        let read = |(line, number): (&String, usize)| {
            let meeting = serde_json::from_str::<Meeting>(line).ok();
            meeting.filter(|meeting| meeting.is_possible(number as u64)).ok_or_else(|| file.damaged(number))
        };
        let meetings = lines.iter().zip(2..).map(read).collect::<Result<_, _>>()?;
        file.keep(lines.len())?;
        Ok((State { file: Some(file) }, meetings))
    }

    pub fn append(&mut self, meeting: &Meeting) -> Result<(), StateError> {
        self.file.as_mut().map_or(Ok(()), |file| file.append([meeting]))
    }
}
