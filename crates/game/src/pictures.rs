//! Boards for people to look at.

use crate::diagram::Diagram;
use crate::{Game, Step};

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

    /// How a legal move is made by hand on the [diagram](Pictures::diagram). No two legal moves have the same steps, and none
    /// begins with all steps of another.
    fn steps(&self, m: Self::Move) -> Vec<Step> {
        vec![Step::choose(self.move_text(m))]
    }

    /// The cell of the diagram with what the mover has to save at once, such as a king in check.
    fn alarm(&self) -> Option<String> {
        None
    }
}
