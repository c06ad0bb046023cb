//! Positions that tests and measurements look at.

use crate::Game;

/// What tests and probes of a game look at.
pub trait Examples: Game {
    /// Positions, in the game's notation, that play from the start seldom reaches and tests should begin from as well.
    const TEST_POSITIONS: &'static [&'static str] = &[];

    /// Names and positions that are easy to evaluate: the values that a network gives them during training show whether
    /// it has learnt the basics of the game. The names say how the side to move stands.
    const PROBES: &'static [(&'static str, &'static str)] = &[];

    /// The position with the players' roles exchanged and the board turned accordingly, where the rules are the same
    /// for both. It has no history.
    fn swapped(&self) -> Option<Self> {
        None
    }
}
