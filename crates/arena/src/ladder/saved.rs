//! A ladder as its state file tells it.

use std::path::Path;

use super::climb::Results;
use super::standings::Row;
use super::state::{Header, Meeting};
use crate::contest::StateError;
use crate::line_file::{VERSION, read_only};
use crate::stats::ratings;

/// Bytes of a state file that is read whole.
const LARGEST: u64 = 64 << 20;

/// The player who has 0 Elo, if it has played.
const ANCHOR: &str = "random";

/// Players at most: ratings take a matrix of their square.
const MOST_PLAYERS: usize = 300;

/// A ladder as its state file tells it. It may still be climbed meanwhile: whoever does is not disturbed.
#[derive(Clone, Debug)]
pub struct SavedLadder {
    game: String,
    meetings: Vec<Meeting>,
}

impl SavedLadder {
    /// Reads a state file. None if it is another kind of file, or of a later version.
    pub fn read(path: &Path) -> Result<Option<SavedLadder>, StateError> {
        let Some((first, lines)) = read_only(path, LARGEST)? else { return Ok(None) };
        let header = serde_json::from_str::<Header>(&first).ok().filter(|header| header.version <= VERSION);
        let Some(Header { game, .. }) = header else { return Ok(None) };
        let damaged = |line| StateError::Damaged { path: path.to_owned(), line };
        let read = |(line, number): (&String, usize)| {
            let meeting = serde_json::from_str::<Meeting>(line).ok();
            meeting.filter(|meeting| meeting.is_possible(number as u64)).ok_or_else(|| damaged(number))
        };
        let meetings = lines.iter().zip(2..).map(read).collect::<Result<_, _>>()?;
        Ok(Some(SavedLadder { game, meetings }))
    }

    /// The game's name.
    pub fn game(&self) -> &str {
        &self.game
    }

    /// Games that have been played.
    pub fn games(&self) -> u64 {
        2 * self.meetings.len() as u64
    }

    /// The players, the strongest first, by their identities: the file knows no names. The anchor is the random player, or the
    /// first of all, at 0 Elo. None if there are too many of them.
    pub fn rows(&self) -> Option<Vec<Row>> {
        let mut results = Results::default();
        let players = results.recall(&[], &self.meetings);
        if players.len() > MOST_PLAYERS {
            return None;
        }
        let anchor = players.iter().position(|player| player == ANCHOR).unwrap_or(0);
        let rated = ratings(players.len(), &results.encounters(), anchor, 0.0);
        let known = results.connected(anchor);
        let row = |((name, number), rating)| {
            let (games, points) = results.of(number);
            Row { name, rating, known: known.contains(&number), games, points, anchor: number == anchor }
        };
        let mut rows: Vec<Row> = players.into_iter().zip(0..).zip(rated).map(row).collect();
        rows.sort_by(|a, b| b.known.cmp(&a.known).then(b.rating.elo.total_cmp(&a.rating.elo)));
        Some(rows)
    }
}
