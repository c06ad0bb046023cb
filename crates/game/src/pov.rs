//! Points of view as types, so that a value seen by one player cannot be mistaken for the other's.

use crate::Side;

/// Something that looks different from the other side of the board.
pub trait Swap {
    /// The same thing as the other player sees it. Doing it twice changes nothing.
    fn swap(self) -> Self;
}

/// `T` as the player to move sees it.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Mover<T>(pub T);

/// `T` as the first player sees it.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct First<T>(pub T);

impl<T: Swap> Mover<T> {
    /// What the first player sees, if `mover` is the side to move.
    pub fn to_first(self, mover: Side) -> First<T> {
        First(if mover == Side::First { self.0 } else { self.0.swap() })
    }

    /// What `viewer` sees when it is to move, if `mover` sees this.
    pub fn seen_by(self, mover: Side, viewer: Side) -> Mover<T> {
        Mover(if mover == viewer { self.0 } else { self.0.swap() })
    }
}

impl<T: Swap> First<T> {
    /// What `mover` sees.
    ///
    /// ```
    /// use alfil_game::{First, Mover, Score, Side};
    ///
    /// assert_eq!(First(Score::WIN).to_mover(Side::Second), Mover(Score::LOSS));
    /// ```
    pub fn to_mover(self, mover: Side) -> Mover<T> {
        Mover(if mover == Side::First { self.0 } else { self.0.swap() })
    }
}

/// Points for a game: 1 for a win, 1/2 for a draw, 0 for a loss, and values between where the rules say so.
/// The two players' points always add up to 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Score(f32);

impl Score {
    /// The whole point.
    pub const WIN: Score = Score(1.0);
    /// Half a point each.
    pub const DRAW: Score = Score(0.5);
    /// Nothing.
    pub const LOSS: Score = Score(0.0);

    /// A score of `points`, clamped to the range from 0 to 1.
    pub const fn new(points: f32) -> Score {
        Score(points.clamp(0.0, 1.0))
    }

    /// The points, from 0 to 1.
    pub fn points(self) -> f32 {
        self.0
    }

    /// The same from -1 to 1, as networks and searches count.
    pub fn value(self) -> f32 {
        2.0 * self.0 - 1.0
    }
}

impl Swap for Score {
    fn swap(self) -> Score {
        Score(1.0 - self.0)
    }
}
