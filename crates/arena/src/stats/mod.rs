//! What results say about strength: pure functions of counts.
//!
//! Games are played in [`Pairs`]: one opening twice, with colours swapped. The two games of a pair are not independent
//! (both may be draws because the opening is dull, or both won by White because it is sharp), pairs are; so everything
//! here counts pairs, never single games. Only the [`ratings`] of a pool count games.

mod bradley_terry;
mod cholesky;
mod elo;
mod likelihood;
mod normal;
mod pentanomial;
mod slope;
mod sprt;

pub use bradley_terry::{Encounter, Rating, best_opponent, most_informative, ratings, ratings_with_covariances};
pub use elo::{Estimate, elo_of, expected_score};
pub use pentanomial::Pairs;
pub use slope::Slope;
pub use sprt::{Decision, Sprt, SprtError, SprtState};
