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

    /// The same game for a search that asks for nothing but rules and estimates: without what only encodings look at, so that it is
    /// cheap to copy. By default all of it.
    fn lean(&self) -> Self {
        self.clone()
    }

    /// Whether the game may be over although the mover has moves: by repetition, plies or material. Where this is false, only the
    /// lack of moves ends it, and whatever is known of the [key](Game::key) holds. By default true, which is always safe.
    fn may_be_over(&self) -> bool {
        true
    }

    /// Puts the moves that [gain](Estimates::gain) something into `moves` (after clearing it), in any order. Only asked where the game
    /// [cannot be over](Estimates::may_be_over) except by a lack of moves, and the mover is not in check.
    fn generate_gains(&self, moves: &mut Vec<Self::Move>) {
        self.generate(moves);
        moves.retain(|m| self.gain(*m) > 0);
    }

    /// The position after a pass of the mover, for null-move pruning; none in check and where zugzwang is likely.
    fn passed(&self) -> Option<Self> {
        None
    }
}
