//! Ratings of many players.
//!
//! A [`Ladder`] has its players meet where that tells most about the ratings, and keeps every pair of games in a state file:
//! a player who joins later plays, and nobody plays again.

mod climb;
mod plot;
mod standings;
mod state;

pub use climb::{Climb, Ladder};
pub use plot::svg;
pub use standings::{Row, Standings};
