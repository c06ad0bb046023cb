//! Levels of difficulty: opponents that are score beating, and can be beaten.

use std::ops::RangeInclusive;

use alfil_search::PlaySettings;

use super::TreeSettings;

/// From a beginner's opponent to full strength.
pub const LEVELS: RangeInclusive<u64> = 1..=10;

/// Visits, temperature of the choice among the visited moves, and temperature of the evaluator's priors, by level.
///
/// Fewer visits would not make the low levels weaker: they would all go to the moves that a trained network prefers,
/// and those are good. Randomness makes them weak, both in what is searched and in what is played; and it needs enough
/// visits to choose from. Each level has to beat the one below, which `alfil ladder` measures.
const TABLE: [(u32, f64, f32); 10] = [
    (32, 5.0, 6.0),
    (32, 2.0, 3.0),
    (32, 1.2, 2.0),
    (40, 0.9, 1.6),
    (60, 0.7, 1.4),
    (100, 0.5, 1.3),
    (200, 0.4, 1.2),
    (400, 0.3, 1.1),
    (800, 0.2, 1.0),
    (1600, 0.0, 1.0),
];

impl TreeSettings {
    /// How a tree is searched at a level; those outside of [`LEVELS`] are the nearest inside.
    pub fn at_level(level: u64) -> TreeSettings {
        let index = level.clamp(*LEVELS.start(), *LEVELS.end()) - LEVELS.start();
        let (visits, temperature, policy_temperature) = TABLE[index as usize];
        let play = PlaySettings { policy_temperature, ..PlaySettings::default() };
        TreeSettings { visits: Some(visits), temperature, play, ..TreeSettings::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_is_less_random() {
        let levels: Vec<TreeSettings> = LEVELS.map(TreeSettings::at_level).collect();
        assert_eq!(levels.len(), TABLE.len());
        for pair in levels.windows(2) {
            assert!(pair[0].visits <= pair[1].visits && pair[0].temperature > pair[1].temperature, "{pair:?}");
            assert!(pair[0].play.policy_temperature >= pair[1].play.policy_temperature, "{pair:?}");
        }
        assert_eq!((levels[9].temperature, levels[9].play.policy_temperature), (0.0, 1.0));
        assert_eq!((TreeSettings::at_level(0), TreeSettings::at_level(99)), (levels[0], levels[9]));
    }
}
