//! What the value learns from a game.

use alfil_core::settings;
use alfil_game::{First, Mover, Score, Side, Wdl};

use crate::Ply;

settings! {
    /// What the value learns.
    #[derive(Copy)]
    pub struct ValueTarget {
        /// The value learns the game's result, with this share of what searches expected in its place: less noise, but more of what
        /// the network already believes. 0 in AlphaZero.
        pub search_value: f32 = 0.0, in 0.0..=1.0;
        /// TD(λ): how far that expectation looks ahead. 0 is the search of the position itself; otherwise the searches of later
        /// positions count too, each by this factor less than the one before it, and the result has the rest. 1 is the result alone.
        pub td_lambda: f32 = 0.0, in 0.0..=1.0;
    }
}

impl ValueTarget {
    /// The value to learn at the first of these plies, which are all that are left of a game with this result; `sides` says
    /// who is to move at each of them.
    ///
    /// What searches expect is `E(t) = (1 - λ) v(t) + λ E(t + 1)`, with the result after the last ply.
    pub(super) fn wdl(&self, score: First<Score>, sides: &[Side], plies: &[Ply]) -> Mover<Wdl> {
        let Some(mover) = sides.first().copied() else { return Mover(Wdl::from_score(score.0)) };
        let result = Wdl::from_score(score.to_mover(mover).0);
        if self.search_value == 0.0 {
            return Mover(result);
        }
        let mut expected = result;
        for (side, ply) in sides.iter().zip(plies).rev() {
            let Mover(searched) = ply.wdl().seen_by(*side, mover);
            expected = searched.blend(expected, self.td_lambda);
        }
        Mover(result.blend(expected, self.search_value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIDES: [Side; 3] = [Side::First, Side::Second, Side::Second];

    /// Three plies, the last two of one player, who expects more each time.
    fn plies() -> Vec<Ply> {
        [0.0, 0.5, 1.0].map(|value| Ply::new(0, [], Mover(Wdl::from_value(value)))).to_vec()
    }

    fn value(search_value: f32, td_lambda: f32, from: usize) -> f32 {
        let target = ValueTarget { search_value, td_lambda };
        target.wdl(First(Score::WIN), &SIDES[from..], &plies()[from..]).0.value()
    }

    #[test]
    fn without_a_share_of_searches_the_result_counts() {
        assert_eq!([0, 1, 2].map(|ply| value(0.0, 0.9, ply)), [1.0, -1.0, -1.0]);
        assert_eq!([0, 1, 2].map(|ply| value(1.0, 1.0, ply)), [1.0, -1.0, -1.0]);
    }

    #[test]
    fn with_a_lambda_of_0_the_search_of_the_position_itself_counts() {
        for (ply, expected) in [0.0, 0.5, 1.0].into_iter().enumerate() {
            assert!((value(1.0, 0.0, ply) - expected).abs() < 1e-4);
        }
        assert!((value(0.5, 0.0, 1) - (-1.0 + 0.5) / 2.0).abs() < 1e-4);
    }

    #[test]
    fn later_searches_count_less_and_for_whom_they_were_made() {
        // Seen by the first player: 0, then -0.5 and -1 of the other's searches, then the result 1.
        let weighted = |terms: &[(f32, f32)]| terms.iter().map(|(weight, value)| weight * value).sum::<f32>();
        let first = weighted(&[(0.5, 0.0), (0.25, -0.5), (0.125, -1.0), (0.125, 1.0)]);
        assert!((value(1.0, 0.5, 0) - first).abs() < 1e-4);
        let second = weighted(&[(0.5, 0.5), (0.25, 1.0), (0.25, -1.0)]);
        assert!((value(1.0, 0.5, 1) - second).abs() < 1e-4);
    }
}
