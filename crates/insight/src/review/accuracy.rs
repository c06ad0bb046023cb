//! How well a side played, in numbers.

use alfil_arena::player::MoveScore;
use serde::Serialize;

use super::{Class, JudgedMove};
use crate::hundredths;

/// The constants of the curve from expected points lost to accuracy, which Lichess fitted: 100 for nothing, 0 for everything.
const TOP: f64 = 103.1668;
const FALL: f64 = 4.354;
const BOTTOM: f64 = 3.1669;

/// Hundredths beyond which it makes no difference how far a position is won or lost.
const CERTAIN: i32 = 1_000;

/// The accuracy of a move, from 0 to 100, that loses these expected points.
pub fn accuracy(lost: f32) -> f64 {
    (TOP * (-FALL * f64::from(lost.max(0.0))).exp() - BOTTOM).clamp(0.0, 100.0)
}

/// Hundredths of a pawn that a move loses; none less than nothing. Won and lost positions count as ten pawns.
pub fn loss(before: MoveScore, after: MoveScore) -> i32 {
    let limited = |score| hundredths(score).clamp(-CERTAIN, CERTAIN);
    (limited(before) - limited(after)).max(0)
}

/// Moves that are counted together.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Count {
    /// How many moves.
    pub moves: u32,
    /// The mean of their accuracies, from 0 to 100; 0 without moves.
    pub accuracy: f64,
    /// The mean of their losses in hundredths of a pawn; 0 without moves.
    pub loss: f64,
    /// How many are of each class, in the order of [`Class::ALL`].
    pub classes: [u32; 5],
}

impl Count {
    /// Counts moves.
    pub fn of<'a, M: 'a>(moves: impl Iterator<Item = &'a JudgedMove<M>>) -> Count {
        let mut count = Count::default();
        let (mut accuracies, mut losses) = (0.0, 0.0);
        for judged in moves {
            count.moves += 1;
            accuracies += accuracy(judged.lost());
            losses += f64::from(loss(judged.before, judged.after));
            if let Some(class) = judged.class {
                count.classes[class as usize] += 1;
            }
        }
        let moves = f64::from(count.moves.max(1));
        (count.accuracy, count.loss) = (accuracies / moves, losses / moves);
        count
    }

    /// How many are of a class.
    pub fn class(&self, class: Class) -> u32 {
        self.classes[class as usize]
    }

    /// How many are mistakes of any class.
    pub fn all_classes(&self) -> u32 {
        self.classes.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accuracy_falls_from_100_to_0() {
        assert!((accuracy(0.0) - 100.0).abs() < 1e-3 && accuracy(1.0) == 0.0 && accuracy(-0.1) == accuracy(0.0));
        // 10 % of winning chances lost: Lichess's own example of about 64.
        assert!((accuracy(0.1) - 63.6).abs() < 0.1);
    }

    #[test]
    fn losses_beyond_certainty_do_not_count() {
        let loss = |before, after| loss(MoveScore::Hundredths(before), MoveScore::Hundredths(after));
        assert_eq!((loss(50, -20), loss(-20, 50), loss(4000, 1500), loss(4000, 0)), (70, 0, 0, 1000));
        assert_eq!(super::loss(MoveScore::Win(3), MoveScore::Loss(4)), 2000);
    }
}
