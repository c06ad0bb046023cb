//! The table of ratings.

use std::fmt;

use serde_json::{Value, json};

use crate::stats::Rating;
use alfil_core::wording::cut;

/// Columns for a name.
const NAME: usize = 38;

/// A player's place.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The player's name.
    pub name: String,
    /// Elo with its 95 % interval.
    pub rating: Rating,
    /// Whether games connect the player with the anchor: otherwise nothing is known about the rating.
    pub known: bool,
    /// Games.
    pub games: u64,
    /// Points in them.
    pub points: f64,
    /// Whether the rating was given, not measured.
    pub anchor: bool,
}

/// The players, the strongest first.
#[derive(Clone, Debug)]
pub struct Standings {
    /// The game's name.
    pub game: &'static str,
    /// The players.
    pub rows: Vec<Row>,
    /// Players who are only in the state file, by their identities. Those whom no games connect with the anchor are left out.
    pub absent: Vec<(String, Rating)>,
    /// The covariances of the ratings, in Elo²: those of the players, then those of the absent.
    pub covariances: Vec<Vec<f64>>,
    /// Games that were played in this run.
    pub played: u64,
    /// Those of them that were lost by crashing, stalling or an illegal move.
    pub faults: usize,
    /// Whether it was told to stop before all games were played.
    pub stopped: bool,
}

impl Standings {
    /// The table as JSON.
    pub fn json(&self) -> Value {
        let row = |row: &Row| {
            let [elo, low, high] =
                [row.rating.elo, row.rating.low, row.rating.high].map(|elo| row.known.then_some(elo));
            json!({
                "name": row.name, "elo": elo, "elo_low": low, "elo_high": high,
                "games": row.games, "points": row.points, "anchor": row.anchor,
            })
        };
        let players: Vec<_> = self.rows.iter().map(row).collect();
        json!({
            "game": self.game, "played": self.played, "faults": self.faults, "players": players,
            "stopped": self.stopped,
        })
    }
}

impl fmt::Display for Standings {
    /// A table in 80 columns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:>3}  {:<NAME$} {:>6} {:>14} {:>6} {:>6}", "", self.game, "Elo", "95 %", "games", "score")?;
        for (row, place) in self.rows.iter().zip(1..) {
            let Rating { elo, low, high } = row.rating;
            let (elo, interval) = match (row.known, row.anchor) {
                (false, _) => ("-".to_owned(), "unknown".to_owned()),
                (true, true) => (format!("{elo:.0}"), "anchor".to_owned()),
                (true, false) => (format!("{elo:.0}"), format!("{low:.0} to {high:.0}")),
            };
            let score = match row.games {
                0 => "-".to_owned(),
                games => format!("{:.1}%", 100.0 * row.points / games as f64),
            };
            let name = cut(&row.name, NAME);
            writeln!(f, "{place:>3}  {name:<NAME$} {elo:>6} {interval:>14} {:>6} {score:>6}", row.games)?;
        }
        let faults = match self.faults {
            0 => String::new(),
            faults => format!(", {faults} of them lost by crashing, stalling or an illegal move"),
        };
        writeln!(f, "{} games played now{faults}", self.played)?;
        if self.stopped { writeln!(f, "stopped before the end") } else { Ok(()) }
    }
}
