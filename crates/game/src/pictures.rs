//! Boards for people to look at.

use crate::Game;
use crate::diagram::Diagram;

/// How a game's positions are drawn, beside the plain text of its `Display`.
pub trait Pictures: Game {
    /// The board for a terminal that shows ANSI colours.
    fn coloured(&self) -> String {
        self.to_string()
    }

    /// The board as a picture; without one, its text is shown.
    fn diagram(&self) -> Option<Diagram> {
        None
    }
}
