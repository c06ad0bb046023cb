//! The table.

use std::fmt;

use serde_json::{Value, json};

use crate::stats::Rating;
use crate::wording::cut;

/// Columns for a name.
const NAME: usize = 38;

/// A player's place.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Who.
    pub name: String,
    /// Elo with its 95 % interval.
    pub rating: Rating,
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
    /// Those who are only remembered, by their identities.
    pub absent: Vec<(String, Rating)>,
    /// Games that were played just now.
    pub played: u64,
    /// Those of them that were lost by crashing, stalling or an illegal move.
    pub faults: usize,
}

impl Standings {
    pub(super) fn new(
        game: &'static str,
        mut rows: Vec<Row>,
        absent: Vec<(String, Rating)>,
        played: u64,
        faults: usize,
    ) -> Standings {
        rows.sort_by(|a, b| b.rating.elo.total_cmp(&a.rating.elo));
        Standings { game, rows, absent, played, faults }
    }

    /// The table as JSON.
    pub fn json(&self) -> Value {
        let row = |row: &Row| {
            let Rating { elo, low, high } = row.rating;
            json!({
                "name": row.name, "elo": elo, "elo_low": low, "elo_high": high,
                "games": row.games, "points": row.points, "anchor": row.anchor,
            })
        };
        let players: Vec<_> = self.rows.iter().map(row).collect();
        json!({"game": self.game, "played": self.played, "faults": self.faults, "players": players})
    }
}

impl fmt::Display for Standings {
    /// A table in 80 columns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:>3}  {:<NAME$} {:>6} {:>14} {:>6} {:>6}", "", self.game, "Elo", "95 %", "games", "score")?;
        for (row, place) in self.rows.iter().zip(1..) {
            let Rating { elo, low, high } = row.rating;
            let interval = if row.anchor { "anchor".to_owned() } else { format!("{low:.0} to {high:.0}") };
            let score = match row.games {
                0 => "-".to_owned(),
                games => format!("{:.1}%", 100.0 * row.points / games as f64),
            };
            let name = cut(&row.name, NAME);
            writeln!(f, "{place:>3}  {name:<NAME$} {elo:>6.0} {interval:>14} {:>6} {score:>6}", row.games)?;
        }
        let faults = match self.faults {
            0 => String::new(),
            faults => format!(", {faults} of them lost by crashing, stalling or an illegal move"),
        };
        writeln!(f, "{} games played now{faults}", self.played)
    }
}
