//! Whole turns, for games in which a side makes several moves before the other one does.

use crate::{Game, Outcome};

/// How a game's moves make up turns.
pub trait Turns: Game {
    /// Puts into `turns` (after clearing it) whole turns of the mover that are worth looking at, the promising ones
    /// first, or none if the game is over, and returns how it ended. Where turns consist of several moves, the game
    /// combines about the `keep` best moves of each piece; elsewhere each legal move is a turn of its own, whatever
    /// `keep` says.
    fn turns(&self, keep: usize, turns: &mut Vec<Turn<Self::Move>>) -> Option<Outcome> {
        let _ = keep;
        let mut moves = Vec::new();
        let outcome = self.legal_moves(&mut moves);
        turns.clear();
        turns.extend(moves.into_iter().map(Turn::of));
        outcome
    }
}

/// The moves of a side up to where the other one is to move, or the game ends.
///
/// ```
/// use alfil_game::Turn;
///
/// let turn = Turn::of(7).then(8);
/// assert_eq!(turn.moves().collect::<Vec<i32>>(), [7, 8]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn<M> {
    moves: [Option<M>; LONGEST],
}

/// No game has longer turns. Small, so that searches can keep millions of turns.
const LONGEST: usize = 3;

impl<M: Copy> Turn<M> {
    /// A turn of one move.
    pub fn of(m: M) -> Turn<M> {
        Turn::default().then(m)
    }

    /// The turn with one more move at its end. A turn of three moves is full and stays as it is.
    #[must_use]
    pub fn then(mut self, m: M) -> Turn<M> {
        let free = self.moves.iter_mut().find(|place| place.is_none());
        debug_assert!(free.is_some(), "a turn has {LONGEST} moves at most");
        if let Some(place) = free {
            *place = Some(m);
        }
        self
    }

    /// The moves in their order.
    pub fn moves(&self) -> impl Iterator<Item = M> {
        self.moves.into_iter().flatten()
    }
}

impl<M: Copy> Default for Turn<M> {
    /// No moves yet.
    fn default() -> Turn<M> {
        Turn { moves: [None; LONGEST] }
    }
}
