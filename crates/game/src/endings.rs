//! Other places for games to begin than the start position.

use crate::Game;

/// Positions that games can begin from.
pub trait Endings: Game {
    /// A random position near the end of a game that is not over, where the game offers them: games from there come to a
    /// result soon, which is what play from the start seldom does before anything is learnt. `below` gives a random number
    /// smaller than its argument.
    fn random_ending(rules: &Self::Rules, below: &mut dyn FnMut(u32) -> u32) -> Option<Self> {
        let _ = (rules, below);
        None
    }

    /// The same position in a game that begins here, with nothing counted that could end it, for those who want a move where
    /// the game has ended by what was played before; none if that cannot be.
    fn without_history(&self) -> Option<Self> {
        None
    }
}
