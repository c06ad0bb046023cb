//! Winning sooner, and losing later.

/// A bonus for the expected plies to the end, which is added to the value:
///
/// ```text
/// -sign(q) clamp(slope (m - m_parent), -max, max) f(|q|),   f(x) = scaled x' + quadratic x'^2
/// ```
///
/// with x' the part of |q| above the threshold, from 0 to 1. Below the threshold nothing is decided yet, and the length of
/// the game says nothing about who wins it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovesLeft {
    /// The largest bonus.
    pub max: f32,
    /// The bonus per ply.
    pub slope: f32,
    /// Values closer to 0 than this get no bonus.
    pub threshold: f32,
    /// The linear part of f.
    pub scaled: f32,
    /// The quadratic part of f.
    pub quadratic: f32,
}

impl Default for MovesLeft {
    /// lc0's tuned defaults (0.33.0-dev).
    fn default() -> MovesLeft {
        MovesLeft { max: 0.0345, slope: 0.0027, threshold: 0.8, scaled: 1.6521, quadratic: -0.6521 }
    }
}

impl MovesLeft {
    /// What is added to the value `q` of a move after which the game is expected to last `plies`, at a node where it is
    /// expected to last `parent_plies`.
    pub fn bonus(&self, q: f32, plies: f32, parent_plies: f32) -> f32 {
        let decided = ((q.abs() - self.threshold) / (1.0 - self.threshold)).clamp(0.0, 1.0);
        let longer = (self.slope * (plies - parent_plies)).clamp(-self.max, self.max);
        -q.signum() * longer * (self.scaled * decided + self.quadratic * decided * decided)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shorter_wins_and_longer_losses_are_preferred() {
        let rule = MovesLeft::default();
        assert!(rule.bonus(0.95, 10.0, 20.0) > 0.0);
        assert!(rule.bonus(0.95, 30.0, 20.0) < 0.0);
        assert!(rule.bonus(-0.95, 30.0, 20.0) > 0.0);
        assert!(rule.bonus(-0.95, 10.0, 20.0) < 0.0);
        assert_eq!(rule.bonus(0.5, 10.0, 20.0), 0.0, "nothing is decided");
        assert!(rule.bonus(1.0, 0.0, 1_000.0) <= rule.max * 1.001, "bounded");
    }
}
