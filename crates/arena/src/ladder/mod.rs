//! Ratings of many players.
//!
//! A [`Ladder`] chooses the games that tell most about the ratings, and keeps every pair of games in a state file: a
//! player who joins later plays, and no finished game is played again.

mod climb;
mod plot;
mod saved;
mod standings;
mod state;

pub use climb::{Climb, Ladder, Newcomer};
pub use plot::svg;
pub use saved::SavedLadder;
pub use standings::{Row, Standings};
