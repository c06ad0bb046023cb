//! Whole turns, for games in which a side makes several moves before the other one does.

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

/// No game has longer turns. Small, so that searches can keep turns by the million.
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
