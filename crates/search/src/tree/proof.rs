//! Proven results.

use alfil_game::{Mover, Score, Side, Wdl};

/// Scores are stored in steps of 1/240 point: exact for halves, thirds, quarters and fifths.
const STEPS: f32 = 240.0;

/// The result of best play, and the plies to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proof {
    /// The mover's score.
    pub score: Mover<Score>,
    /// How soon, if the side that is better off hurries and the other delays.
    pub plies: u16,
}

impl Proof {
    /// Whether the mover wins.
    pub fn is_win(self) -> bool {
        self.score == Mover(Score::WIN)
    }

    /// Whether the mover loses.
    pub fn is_loss(self) -> bool {
        self.score == Mover(Score::LOSS)
    }

    /// The score as probabilities of win, draw and loss.
    pub fn wdl(self) -> Mover<Wdl> {
        Mover(Wdl::from_score(self.score.0))
    }

    /// The same seen a ply earlier by `before`, the side that moved here, where `mover` is to move.
    pub(super) fn before(self, mover: Side, before: Side) -> Proof {
        Proof { score: self.score.seen_by(mover, before), plies: self.plies.saturating_add(1) }
    }

    /// Larger is better for the mover: a higher score, then a sooner gain or a later loss.
    pub(super) fn preference(self) -> i32 {
        let step = i32::from(self.step());
        let hurry = -(2 * step - STEPS as i32).signum() * i32::from(self.plies);
        step * 2 * i32::from(u16::MAX) + hurry
    }

    /// In 24 bits; 0 stands for no proof.
    pub(super) fn pack(self) -> u32 {
        u32::from(self.step() + 1) | u32::from(self.plies) << 8
    }

    pub(super) fn unpack(bits: u32) -> Option<Proof> {
        let step = (bits & 0xff).checked_sub(1)?;
        Some(Proof { score: Mover(Score::new(step as f32 / STEPS)), plies: (bits >> 8) as u16 })
    }

    fn step(self) -> u8 {
        (self.score.0.points() * STEPS).round() as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_loses_nothing() {
        for points in [0.0, 0.25, 0.5, 0.75, 1.0] {
            for plies in [0, 1, 77, u16::MAX] {
                let proof = Proof { score: Mover(Score::new(points)), plies };
                assert_eq!(Proof::unpack(proof.pack()), Some(proof));
                assert!(proof.pack() < 1 << 24);
            }
        }
        assert_eq!(Proof::unpack(0), None);
    }

    #[test]
    fn the_side_that_is_better_off_hurries() {
        let proof = |points: f32, plies| Proof { score: Mover(Score::new(points)), plies }.preference();
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
