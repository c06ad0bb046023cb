//! What games show about those who played them.
//!
//! A [`Review`] has a player judge every move of a game and says where it was lost, in PGN, CSV and a page. An [`Extraction`] finds
//! the mistakes of many games after the rule of a thesis (M. Moles Mestre, Granada 2023; docs/insight.md says what was taken from
//! it), and goes on where it was interrupted. Both work for every game that has PGN; what is particular to chess is in [`chess`].
//!
//! Prints nothing, and knows nothing of training.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod csv;
mod error;
mod judge;
mod page;
mod phase;
mod pool;

pub mod chess;
pub mod cluster;
pub mod extract;
pub mod profile;
pub mod review;

pub use alfil_game::pgn::PlayerName;
pub use error::InsightError;
pub use extract::{Criterion, ErrorRecord, Extracted, Extraction, ExtractionProgress, read_errors};
pub use judge::{Assessment, Limits, hundredths, judge_line};
pub use phase::Phase;
pub use review::{Class, GameReview, Review, ReviewProgress};
