//! Contests: who is stronger, and how sure that is.
//!
//! A [player] is named by one line and plays any game that it supports; external UCI engines are players as well. A
//! [match](contest) has two of them play every [opening] twice with colours exchanged, keeps each finished pair in a
//! journal, and stops as soon as the [statistics](stats) allow a decision. A [ladder] rates many players at once; an
//! [exam] checks a player's moves with an exact solver; [tuning](tune) finds numbers that make a player stronger.
//!
//! A [`Sitting`] is a game in which people take part, on the [sides](UserSides) that they have chosen.
//!
//! Nothing here prints: progress goes to a callback, results are returned.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod engine;
mod line_file;
mod seats;
mod sitting;

pub mod contest;
pub mod exam;
pub mod ladder;
pub mod opening;
pub mod player;
pub mod stats;
pub mod suite;
pub mod tune;

pub use line_file::{LineFile, StateError};
pub use seats::{SideError, UserSides};
pub use sitting::Sitting;
