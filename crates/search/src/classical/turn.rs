//! Whole turns instead of single moves.

use alfil_game::{Estimates, Game, Knowledge, Side, Turn, Turns};

use super::node::{Node, worth};

/// A game in which a ply is a whole turn: those that the game itself finds [worth looking at](Turns::turns), with the game's
/// full evaluation. Where a turn is one move, it is the same tree as that of [`GameNode`](super::GameNode).
#[derive(Clone, Debug)]
pub struct TurnNode<G: Game> {
    /// The game.
    pub game: G,
    /// How many moves of each piece are combined into turns.
    pub actions: usize,
}

impl<G: Turns + Estimates> Node for TurnNode<G> {
    type Move = Turn<G::Move>;

    fn expand(&self, turns: &mut Vec<Turn<G::Move>>) -> Option<i32> {
        self.game.turns(self.actions, turns).map(|outcome| worth(outcome, self.game.side()))
    }

    fn at_horizon(&self, _: &mut Vec<Turn<G::Move>>) -> i32 {
        // Generating turns costs far more than checking whether the game is over.
        self.game.outcome().map_or_else(|| self.evaluate(), |outcome| worth(outcome, self.game.side()))
    }

    fn play(&mut self, turn: Turn<G::Move>) {
        turn.moves().for_each(|m| self.game.play(m));
    }

    fn side(&self) -> Side {
        self.game.side()
    }

    fn evaluate(&self) -> i32 {
        self.game.evaluate(Knowledge::Full)
    }

    fn key(&self) -> u64 {
        self.game.key()
    }

    /// The code of a single move; for several moves a hash, which rarely collides. It is only used for ordering.
    fn code(&self, turn: Turn<G::Move>) -> u16 {
        turn.moves().fold(0u16, |code, m| code.rotate_left(5).wrapping_mul(0x9e35) ^ m.into())
    }
}
