//! Handcrafted estimates of positions.

use crate::Game;

/// How much a handcrafted evaluation looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knowledge {
    /// What is on the board, and nothing else.
    Material,
    /// All that the game's evaluation knows.
    Full,
}

/// What a game's author knows about positions without searching. A game with no such knowledge rates all positions
/// equal.
pub trait Estimates: Game {
    /// A handcrafted estimate as the mover sees it, in hundredths of the game's smallest piece; 0 where there is none.
    fn evaluate(&self, knowledge: Knowledge) -> i32 {
        let _ = knowledge;
        0
    }

    /// What a move wins at once by capture or promotion, in the unit of [`evaluate`](Estimates::evaluate); 0 for a quiet move.
    fn gain(&self, m: Self::Move) -> i32 {
        let _ = m;
        0
    }

    /// What a capture wins after all recaptures on the same place, if both sides stop when going on costs more than it brings; in
    /// the unit of [`evaluate`](Estimates::evaluate). By default what it wins at once.
    fn exchange(&self, m: Self::Move) -> i32 {
        self.gain(m)
    }

    /// Whether the mover has to answer a threat to the game, as in check.
    fn is_in_check(&self) -> bool {
        false
    }

    /// The position after a pass of the mover, for null-move pruning; none in check and where zugzwang is likely.
    fn passed(&self) -> Option<Self> {
        None
    }
}
