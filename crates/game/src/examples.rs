//! Positions that tests and measurements look at.

use crate::Game;

/// What tests and probes of a game look at.
pub trait Examples: Game {
    /// Positions, in the game's notation, that play from the start seldom reaches and tests should begin from as well.
    const TEST_POSITIONS: &'static [&'static str] = &[];

    /// Positions that everybody can judge, with their names: what a network that learns expects in them shows whether it has
    /// understood the first things about the game. The names say how the side to move stands.
    const PROBES: &'static [(&'static str, &'static str)] = &[];

    /// The position with the players' roles exchanged and the board turned accordingly, where the rules treat both
    /// alike. Its history is not taken along.
    fn swapped(&self) -> Option<Self> {
        None
    }
}
