//! Where pairs of games are played, other than in the threads of a match.

use super::{ContestError, Record};

/// Plays pairs of matches elsewhere. A pair follows from the players, the seed and its number, wherever it is played.
pub trait Venue: Sync {
    /// Whether players of these identities can play there.
    fn takes(&self, players: [&str; 2]) -> bool;

    /// Plays the pairs that `pairs` names, in any order, and passes each to its `finished` once.
    fn play(&self, players: [&str; 2], seed: u64, pairs: &mut dyn Pairs) -> Result<(), ContestError>;
}

/// The pairs of a match that are to be played.
pub trait Pairs {
    /// The number of the next pair; none if there are no more.
    fn next(&mut self) -> Option<u64>;

    /// Whether the match has ended, and pairs under way are no longer needed.
    fn is_over(&self) -> bool;

    /// Takes a pair.
    fn finished(&mut self, pair: [Record; 2]) -> Result<(), ContestError>;
}
