//! What is certain about a position.

use alfil_game::{Score, Swap};

/// Scores are told apart in steps of a 240th, which halves, thirds, quarters and fifths of a point hit exactly.
const STEPS: f32 = 240.0;

/// The result of best play, for the mover, and the plies to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proof {
    /// What the mover gets.
    pub score: Score,
    /// How soon, if the side that is better off hurries and the other does not.
    pub plies: u16,
}

impl Proof {
    /// Whether the mover wins.
    pub fn is_win(self) -> bool {
        self.score == Score::WIN
    }

    /// Whether the mover loses.
    pub fn is_loss(self) -> bool {
        self.score == Score::LOSS
    }

    /// The same seen a ply earlier, by the side that moved here.
    pub(super) fn before(self, same_side: bool) -> Proof {
        let score = if same_side { self.score } else { self.score.swap() };
        Proof { score, plies: self.plies.saturating_add(1) }
    }

    /// Larger is better for the mover: a higher score, then a sooner gain or a later loss.
    pub(super) fn preference(self) -> i32 {
        let step = i32::from(self.step());
        let hurry = -(2 * step - STEPS as i32).signum() * i32::from(self.plies);
        step * 2 * i32::from(u16::MAX) + hurry
    }

    /// Win and loss as probabilities: a score between a draw and a win is the part of a win that it is worth.
    pub(super) fn win_loss(self) -> (f64, f64) {
        let value = 2.0 * f64::from(self.score.points()) - 1.0;
        (value.max(0.0), (-value).max(0.0))
    }

    /// In 24 bits, none of which stands for no proof.
    pub(super) fn pack(self) -> u32 {
        u32::from(self.step() + 1) | u32::from(self.plies) << 8
    }

    pub(super) fn unpack(bits: u32) -> Option<Proof> {
        let step = (bits & 0xff).checked_sub(1)?;
        Some(Proof { score: Score::new(step as f32 / STEPS), plies: (bits >> 8) as u16 })
    }

    fn step(self) -> u8 {
        (self.score.points() * STEPS).round() as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_keeps_all() {
        for points in [0.0, 0.25, 0.5, 0.75, 1.0] {
            for plies in [0, 1, 77, u16::MAX] {
                let proof = Proof { score: Score::new(points), plies };
                assert_eq!(Proof::unpack(proof.pack()), Some(proof));
                assert!(proof.pack() < 1 << 24);
            }
        }
        assert_eq!(Proof::unpack(0), None);
    }

    #[test]
    fn the_better_off_hurry() {
        let proof = |points: f32, plies| Proof { score: Score::new(points), plies }.preference();
        let order = [
            proof(1.0, 1),
            proof(1.0, 3),
            proof(1.0, u16::MAX),
            proof(0.75, 2),
            proof(0.75, 8),
            proof(0.5, 4),
            proof(0.25, 9),
            proof(0.25, 1),
            proof(0.0, u16::MAX),
            proof(0.0, 0),
        ];
        assert!(order.is_sorted_by(|a, b| a > b), "{order:?}");
        assert_eq!(proof(0.5, 1), proof(0.5, 90), "a draw is a draw");
    }
}
