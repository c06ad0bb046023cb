//! A match between two players.
//!
//! A [`Match`] has every opening played twice with colours exchanged, on several threads, and counts the pairs in their
//! order: its result depends neither on the number of threads nor on which game is shorter. Finished pairs go to an
//! [`Archive`], from which an interrupted match resumes.

mod archive;
mod error;
mod game;
mod journal;
mod pair;
mod pgn;
mod play;
mod record;
mod report;
mod saved;
mod summary;
mod tally;
mod venue;

pub use archive::Archive;
pub use error::ContestError;
pub use pair::Opponents;
pub use play::{Match, MatchSettings, Progress};
pub use record::{Fault, Record, Who};
pub use report::{MatchEnd, MatchReport};
pub use saved::SavedMatch;
pub use venue::{Pairs, Venue};

pub use crate::line_file::StateError;
