//! The arena: who is stronger, and by how much.
//!
//! [stats] turns results into differences in Elo, verdicts and ratings.

pub mod stats;
