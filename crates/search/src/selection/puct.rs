//! PUCT: predictor and upper confidence bound for trees.

use super::MovesLeft;

/// The constants of PUCT. The move with the largest
///
/// ```text
/// Q + C(N) P sqrt(N) / (1 + n),   C(N) = factor ln((N + base + 1) / base) + init
/// ```
///
/// is picked, with Q the move's mean value, P its prior, n its visits and N those of all moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Puct {
    /// C at the first visit.
    pub init: f32,
    /// After about this many visits C begins to grow.
    pub base: f32,
    /// How fast it then grows.
    pub factor: f32,
    /// How much worse than its parent an unvisited move is assumed to be once all of the policy has been visited.
    pub fpu_reduction: f32,
    /// Whether and how shorter wins and longer losses are preferred, if the evaluator predicts moves left.
    pub moves_left: Option<MovesLeft>,
    /// What a draw is worth to the first player: from -1, as bad as a loss, to 1, as good as a win; 0 is half a point.
    pub draw: f32,
}

impl Default for Puct {
    /// For play: lc0's tuned defaults (0.33.0-dev).
    fn default() -> Puct {
        let moves_left = Some(MovesLeft::default());
        Puct { init: 1.745, base: 38_739.0, factor: 3.894, fpu_reduction: 0.33, moves_left, draw: 0.0 }
    }
}

impl Puct {
    /// For self-play: AlphaZero's pseudocode; no FPU reduction, as in lc0's self-play.
    pub const SELF_PLAY: Puct =
        Puct { init: 1.25, base: 19_652.0, factor: 1.0, fpu_reduction: 0.0, moves_left: None, draw: 0.0 };

    /// C(N).
    pub fn exploration(&self, parent_visits: u32) -> f32 {
        self.factor * ((parent_visits as f32 + self.base + 1.0) / self.base).ln() + self.init
    }

    /// The score of a move: the highest is picked.
    pub fn score(&self, q: f32, prior: f32, parent_visits: u32, visits: u32) -> f32 {
        q + self.scale(parent_visits) * prior / (1.0 + visits as f32)
    }

    /// The part of the score that all moves of a position share, C(N) sqrt(N).
    pub(crate) fn scale(&self, parent_visits: u32) -> f32 {
        self.exploration(parent_visits) * (parent_visits as f32).sqrt()
    }

    /// The value assumed for an unvisited move: the parent's, minus the reduction times the square root of the share of
    /// the policy that has been visited.
    pub fn first_play(&self, parent_value: f32, visited_policy: f32) -> f32 {
        parent_value - self.fpu_reduction * visited_policy.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exploration_grows_from_init() {
        let puct = Puct::SELF_PLAY;
        // ln((800 + 19652 + 1) / 19652) + 1.25
        assert!((puct.exploration(800) - 1.289_94).abs() < 1e-4, "{}", puct.exploration(800));
        assert!((puct.exploration(0) - 1.25).abs() < 1e-4);
        assert!(Puct::default().exploration(1_000_000) > 10.0);
    }

    #[test]
    fn visits_lower_the_score_and_priors_raise_it() {
        let puct = Puct::default();
        assert!(puct.score(0.1, 0.5, 100, 3) > puct.score(0.1, 0.5, 100, 4));
        assert!(puct.score(0.1, 0.5, 100, 3) > puct.score(0.1, 0.4, 100, 3));
        assert_eq!(puct.score(0.1, 0.5, 0, 0), 0.1, "before the first visit only the value counts");
        assert!((puct.first_play(0.2, 0.25) - (0.2 - 0.33 * 0.5)).abs() < 1e-6);
    }
}
