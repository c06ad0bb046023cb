//! Positions other than the start position for games to begin from.

use crate::Game;

/// Positions that games can begin from.
pub trait Endings: Game {
    /// A random position near the end of a game that is not over, where the game offers them: games from there reach a
    /// result soon, which games of an untrained network from the start seldom do. `below` gives a random number smaller
    /// than its argument.
    fn random_ending(rules: &Self::Rules, below: &mut dyn FnMut(u32) -> u32) -> Option<Self> {
        let _ = (rules, below);
        None
    }

    /// The same position as the beginning of a game, with history and counters cleared, for callers that want a move
    /// although the game was ended by repetition or a counter; none if the game does not offer that.
    fn without_history(&self) -> Option<Self> {
        None
    }
}
