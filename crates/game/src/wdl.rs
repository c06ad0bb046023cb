//! Win, draw and loss as probabilities.

use crate::{Score, Swap};

/// Probabilities that a player wins, draws and loses; they add up to 1.
///
/// It travels inside [`Mover`](crate::Mover) or [`First`](crate::First), which say whose they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wdl {
    /// Of a win.
    pub win: f32,
    /// Of a draw.
    pub draw: f32,
    /// Of a loss.
    pub loss: f32,
}

impl Wdl {
    /// A certain win.
    pub const WIN: Wdl = Wdl { win: 1.0, draw: 0.0, loss: 0.0 };
    /// A certain draw.
    pub const DRAW: Wdl = Wdl { win: 0.0, draw: 1.0, loss: 0.0 };
    /// A certain loss.
    pub const LOSS: Wdl = Wdl { win: 0.0, draw: 0.0, loss: 1.0 };

    /// What a result is worth: three quarters of a point are half a win and half a draw.
    ///
    /// ```
    /// use alfil_game::{Score, Wdl};
    ///
    /// assert_eq!(Wdl::from_score(Score::LOSS), Wdl::LOSS);
    /// assert_eq!(Wdl::from_score(Score::new(0.75)), Wdl { win: 0.5, draw: 0.5, loss: 0.0 });
    /// ```
    pub fn from_score(score: Score) -> Wdl {
        Wdl::from_value(score.value())
    }

    /// From an expected result from -1 to 1, with as many draws as it leaves room for.
    pub fn from_value(value: f32) -> Wdl {
        Wdl { win: value.max(0.0), draw: 1.0 - value.abs(), loss: (-value).max(0.0) }
    }

    /// The expected result from -1 to 1: win minus loss.
    pub fn value(self) -> f32 {
        self.win - self.loss
    }

    /// The expected points.
    pub fn score(self) -> Score {
        Score::new(self.win + self.draw / 2.0)
    }

    /// A mixture with this share of `other`, from 0 to 1.
    pub fn blend(self, other: Wdl, share: f32) -> Wdl {
        let mix = |of_self: f32, of_other: f32| of_self + share * (of_other - of_self);
        Wdl { win: mix(self.win, other.win), draw: mix(self.draw, other.draw), loss: mix(self.loss, other.loss) }
    }
}

impl Swap for Wdl {
    fn swap(self) -> Wdl {
        Wdl { win: self.loss, draw: self.draw, loss: self.win }
    }
}

/// Win, draw and loss in the order that files and tensors keep them in.
impl From<Wdl> for [f32; 3] {
    fn from(Wdl { win, draw, loss }: Wdl) -> [f32; 3] {
        [win, draw, loss]
    }
}

/// Win, draw and loss in the order that files and tensors keep them in.
impl From<[f32; 3]> for Wdl {
    fn from([win, draw, loss]: [f32; 3]) -> Wdl {
        Wdl { win, draw, loss }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{First, Mover, Side};

    #[test]
    fn scores_between_the_results_are_mixtures() {
        for points in [0.0, 0.25, 0.5, 0.75, 1.0] {
            let wdl = Wdl::from_score(Score::new(points));
            assert_eq!(wdl.score(), Score::new(points));
            assert_eq!(<[f32; 3]>::from(wdl).iter().sum::<f32>(), 1.0);
            assert_eq!(wdl.swap(), Wdl::from_score(Score::new(1.0 - points)));
        }
        assert_eq!(Wdl::from_score(Score::new(0.25)), Wdl { win: 0.0, draw: 0.5, loss: 0.5 });
    }

    #[test]
    fn the_other_side_sees_the_opposite() {
        let wdl = Wdl { win: 0.5, draw: 0.3, loss: 0.2 };
        assert_eq!(Mover(wdl).to_first(Side::Second), First(Wdl { win: 0.2, draw: 0.3, loss: 0.5 }));
        assert_eq!(wdl.swap().value(), -wdl.value());
        assert_eq!(Mover(wdl).seen_by(Side::First, Side::First), Mover(wdl));
        assert_eq!(Mover(wdl).seen_by(Side::First, Side::Second), Mover(wdl.swap()));
    }

    #[test]
    fn blending_goes_from_one_to_the_other() {
        let (a, b) = (Wdl::WIN, Wdl { win: 0.0, draw: 0.5, loss: 0.5 });
        assert_eq!((a.blend(b, 0.0), a.blend(b, 1.0)), (a, b));
        assert_eq!(a.blend(b, 0.5), Wdl { win: 0.5, draw: 0.25, loss: 0.25 });
    }
}
