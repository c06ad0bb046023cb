//! Why games are not imported, counted.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

/// Why a game is not imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Skip {
    /// It cannot be read, or has an illegal move.
    Unreadable,
    /// It has no moves.
    Empty,
    /// It has no result.
    Unfinished,
    /// The same game came before.
    Duplicate,
    /// It is one of those that are to be left out.
    Excepted,
    /// The ratings are others, or are not known.
    Rating,
    /// The players are others.
    Player,
    /// The result is another.
    Result,
    /// The date is another, or is not known.
    Date,
    /// The time control is another, or is not known.
    TimeControl,
    /// It is too short or too long.
    Plies,
    /// The opening is another, or is not known.
    Opening,
}

impl Skip {
    /// In words, for a list of counts.
    pub fn text(self) -> &'static str {
        match self {
            Skip::Unreadable => "unreadable",
            Skip::Empty => "without moves",
            Skip::Unfinished => "without a result",
            Skip::Duplicate => "duplicates",
            Skip::Excepted => "that are to be left out",
            Skip::Rating => "of other ratings",
            Skip::Player => "of other players",
            Skip::Result => "of other results",
            Skip::Date => "of other dates",
            Skip::TimeControl => "of other time controls",
            Skip::Plies => "of other lengths",
            Skip::Opening => "of other openings",
        }
    }
}

/// How many games were skipped for each reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skipped(BTreeMap<Skip, u64>);

impl Skipped {
    pub(crate) fn add(&mut self, why: Skip) {
        *self.0.entry(why).or_default() += 1;
    }

    /// The reasons and their counts, without those that did not occur.
    pub fn iter(&self) -> impl Iterator<Item = (Skip, u64)> {
        self.0.iter().map(|(why, count)| (*why, *count))
    }

    /// How many were skipped for any reason.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }
}

impl Serialize for Skipped {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(&self.0)
    }
}
