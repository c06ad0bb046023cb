//! Pairs of games, counted by their results: five, and four more where games have quarter points.

use alfil_game::Score;

/// Results of pairs of games from one opening with colours swapped, as the first player (A) sees them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// Pairs in which A scored 0, 1/2, 1, 3/2 and 2 points.
    pub counts: [u64; 5],
    /// Pairs in which A scored 1/4, 3/4, 5/4 and 7/4 points.
    pub quarters: [u64; 4],
}

impl Pairs {
    /// The mean score of a game of a pair, for each of the five counts.
    pub(super) const POINTS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

    /// The same for the quarters.
    pub(super) const QUARTER_POINTS: [f64; 4] = [0.125, 0.375, 0.625, 0.875];

    /// Counts a pair by A's points in its two games.
    ///
    /// The sum is rounded to the nearest quarter point, and a sum between two quarters to the one nearer to an even pair, so
    /// that swapping the players always mirrors the count.
    ///
    /// ```
    /// use alfil_arena::stats::Pairs;
    /// use alfil_game::Score;
    ///
    /// let mut pairs = Pairs::default();
    /// pairs.add(Score::WIN, Score::DRAW);
    /// pairs.add(Score::new(0.25), Score::DRAW);
    /// assert_eq!((pairs.counts, pairs.quarters), ([0, 0, 0, 1, 0], [0, 1, 0, 0]));
    /// assert_eq!(pairs.score(), 0.5625);
    /// ```
    pub fn add(&mut self, first: Score, second: Score) {
        let quarters = 4.0 * (first.points() + second.points()); // from 0 to 8
        let nearest = if quarters < 4.0 { (quarters + 0.5).floor() } else { (quarters - 0.5).ceil() };
        match (nearest as usize).min(8) {
            halves if halves.is_multiple_of(2) => self.counts[halves / 2] += 1,
            between => self.quarters[between / 2] += 1,
        }
    }

    /// How many pairs there are.
    pub fn pairs(&self) -> u64 {
        self.counts.iter().chain(&self.quarters).sum()
    }

    /// A's mean score per game, from 0 to 1; 1/2 if there are no games.
    pub fn score(&self) -> f64 {
        match self.pairs() {
            0 => 0.5,
            pairs => {
                let halves: u64 = self.counts.iter().zip(0..).map(|(count, halves)| count * 2 * halves).sum();
                let between: u64 = self.quarters.iter().zip(0..).map(|(count, halves)| count * (2 * halves + 1)).sum();
                (halves + between) as f64 / (8 * pairs) as f64
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use alfil_game::Swap;

    use super::*;

    #[test]
    fn results_are_counted_by_their_points() {
        let scores = [Score::LOSS, Score::DRAW, Score::WIN];
        for (i, first) in scores.into_iter().enumerate() {
            for (j, second) in scores.into_iter().enumerate() {
                let mut pairs = Pairs::default();
                pairs.add(first, second);
                assert_eq!(pairs.counts[i + j], 1);
                assert_eq!(pairs.score(), f64::from(first.points() + second.points()) / 2.0);
            }
        }
    }

    #[test]
    fn swapping_the_players_mirrors_the_counts() {
        let scores = (0..=20).map(|twentieths| Score::new(twentieths as f32 / 20.0));
        for (first, second) in scores.clone().flat_map(|first| scores.clone().map(move |second| (first, second))) {
            let (mut pairs, mut swapped) = (Pairs::default(), Pairs::default());
            pairs.add(first, second);
            swapped.add(first.swap(), second.swap());
            swapped.counts.reverse();
            swapped.quarters.reverse();
            assert_eq!(pairs, swapped, "{first:?} {second:?}");
            let points = f64::from(first.points() + second.points()) / 2.0;
            assert!((pairs.score() - points).abs() < 0.0625 + 1e-6, "{first:?} {second:?}");
        }
    }

    #[test]
    fn no_games_give_an_even_score() {
        assert_eq!((Pairs::default().pairs(), Pairs::default().score()), (0, 0.5));
    }
}
