//! Positions that are counted apart.

use std::fmt;

use crate::{PlayedGame, Prediction};

/// Ratings that are counted together.
const ELO: u32 = 200;

/// Plies that are counted together: five moves of each side.
const PLIES: u32 = 10;

/// Positions from this ply on are counted together.
const LATE: u32 = 100;

/// What positions are counted apart by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The rating of the player to move.
    Elo,
    /// The moves before the position.
    Ply,
    /// The name of the player to move.
    Player,
}

/// Positions that are counted together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Ratings from this one on.
    Elo(u32),
    /// Plies from this one on.
    Ply(u32),
    /// The moves of one player.
    Player(String),
    /// It is not known who moves, or how the player is rated.
    Unknown,
}

impl By {
    /// The group of a position of a game.
    pub fn group(self, game: &PlayedGame, prediction: &Prediction) -> Group {
        let player = game.player(prediction.side);
        match self {
            By::Elo => player.elo.map_or(Group::Unknown, |elo| Group::Elo(elo / ELO * ELO)),
            By::Ply => Group::Ply((prediction.ply / PLIES * PLIES).min(LATE)),
            By::Player => player.name.clone().map_or(Group::Unknown, Group::Player),
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            By::Elo => "elo",
            By::Ply => "ply",
            By::Player => "player",
        }
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Group::Elo(from) => write!(f, "rated {from}-{}", from + (ELO - 1)),
            Group::Ply(LATE) => write!(f, "ply {LATE} and later"),
            Group::Ply(from) => write!(f, "ply {from}-{}", from + (PLIES - 1)),
            Group::Player(name) => f.write_str(name),
            Group::Unknown => f.write_str("unknown"),
        }
    }
}
