//! Means over positions, with intervals by game.

/// 95 % of a normal distribution lie within this many standard deviations of its mean.
const TWO_SIDED_95: f64 = 1.959_963_984_540_054;

/// A mean with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean over all positions.
    pub value: f64,
    /// The ends of the interval; none from a single game, which does not tell how much games differ.
    pub interval: Option<(f64, f64)>,
}

impl Mean {
    /// With an interval that ends at 0 and 1: the mean is a share.
    fn clamped(self) -> Mean {
        Mean { interval: self.interval.map(|(low, high)| (low.max(0.0), high.min(1.0))), ..self }
    }

    /// The larger distance from the mean to an end of its interval.
    pub fn margin(&self) -> Option<f64> {
        self.interval.map(|(low, high)| (self.value - low).max(high - self.value))
    }
}

/// Means of `N` numbers over positions that come in games.
///
/// Positions of a game are alike, so the interval counts games: with `y` the sum of a number over the `n` positions of a game, the
/// mean is `m = Σy / Σn` and its variance `G/(G-1) Σ(y - m n)² / (Σn)²` over the `G` games, the usual one of a ratio that is
/// estimated from clusters. The ends are those of Student's t with `G - 1` degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusteredMeans<const N: usize> {
    games: u64,
    /// Sums over games: of n, n n, and for each number of y, y y and y n.
    n: f64,
    nn: f64,
    y: [f64; N],
    yy: [f64; N],
    yn: [f64; N],
}

impl<const N: usize> Default for ClusteredMeans<N> {
    fn default() -> ClusteredMeans<N> {
        ClusteredMeans { games: 0, n: 0.0, nn: 0.0, y: [0.0; N], yy: [0.0; N], yn: [0.0; N] }
    }
}

impl<const N: usize> ClusteredMeans<N> {
    /// Adds the numbers of the positions of one game. Nothing changes if there are none.
    pub fn add(&mut self, positions: &[[f64; N]]) {
        let sums = positions.iter().fold([0.0; N], |mut sums, numbers| {
            sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
            sums
        });
        self.add_sums(positions.len() as u64, sums);
    }

    /// The same for a game of which only the sums over its positions are known.
    pub fn add_sums(&mut self, positions: u64, sums: [f64; N]) {
        if positions == 0 {
            return;
        }
        let n = positions as f64;
        self.games += 1;
        self.n += n;
        self.nn += n * n;
        for (index, y) in sums.into_iter().enumerate() {
            self.y[index] += y;
            self.yy[index] += y * y;
            self.yn[index] += y * n;
        }
    }

    /// Games with positions.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Positions.
    pub fn positions(&self) -> u64 {
        self.n as u64
    }

    /// The mean of one of the numbers. `None` without positions.
    pub fn mean(&self, index: usize) -> Option<Mean> {
        if self.games == 0 {
            return None;
        }
        let value = self.y[index] / self.n;
        let interval = (self.games > 1).then(|| {
            let freedom = (self.games - 1) as f64;
            let squares = self.yy[index] - 2.0 * value * self.yn[index] + value * value * self.nn;
            // Less than 0 is rounding.
            let error = (self.games as f64 / freedom * squares.max(0.0)).sqrt() / self.n;
            let half = student_95(freedom) * error;
            (value - half, value + half)
        });
        Some(Mean { value, interval })
    }

    /// The mean of a number that is a share.
    pub fn share(&self, index: usize) -> Option<Mean> {
        self.mean(index).map(Mean::clamped)
    }
}

/// 95 % of Student's t distribution lie within this distance of 0: the first terms of its expansion around the normal distribution
/// (Abramowitz and Stegun 26.7.5), to within 1 % from 5 degrees of freedom on.
fn student_95(freedom: f64) -> f64 {
    let z = TWO_SIDED_95;
    let first = (z.powi(3) + z) / 4.0;
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    let third = (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0;
    z + first / freedom + second / freedom.powi(2) + third / freedom.powi(3)
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    #[test]
    fn students_distances_are_those_of_the_tables() {
        for (freedom, distance) in [(5.0, 2.571), (10.0, 2.228), (30.0, 2.042), (120.0, 1.980)] {
            let found = student_95(freedom);
            assert!((found / distance - 1.0).abs() < 0.01, "{freedom}: {found}");
        }
    }

    /// Games of different lengths in which positions are alike: each game has its own chance.
    fn games(seed: u64) -> Vec<Vec<[f64; 1]>> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        (0..60)
            .map(|_| {
                let (length, chance) = (random.random_range(5..60), random.random_range(0.2..0.8));
                (0..length).map(|_| [f64::from(u8::from(random.random_bool(chance)))]).collect()
            })
            .collect()
    }

    fn means<'a>(games: impl IntoIterator<Item = &'a Vec<[f64; 1]>>) -> ClusteredMeans<1> {
        let mut means = ClusteredMeans::default();
        games.into_iter().for_each(|game| means.add(game));
        means
    }

    #[test]
    fn the_interval_is_that_of_a_bootstrap_of_games() {
        let games = games(1);
        let mean = means(&games).mean(0).unwrap();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
        let mut draw = || means((0..games.len()).map(|_| &games[random.random_range(0..games.len())]));
        let mut drawn: Vec<f64> = (0..4_000).map(|_| draw().mean(0).unwrap().value).collect();
        drawn.sort_by(f64::total_cmp);
        let (low, high) = mean.interval.unwrap();
        let (expected_low, expected_high) = (drawn[100], drawn[3_900]);
        let width = expected_high - expected_low;
        assert!((low - expected_low).abs() < 0.1 * width, "{low} {expected_low}");
        assert!((high - expected_high).abs() < 0.1 * width, "{high} {expected_high}");
        // As if positions were independent it would be much narrower.
        let positions = means(&games).positions() as f64;
        let naive = 2.0 * TWO_SIDED_95 * (mean.value * (1.0 - mean.value) / positions).sqrt();
        assert!(high - low > 1.5 * naive, "{} {naive}", high - low);
    }

    #[test]
    fn games_of_one_position_are_a_plain_sample() {
        // Mean 5, sample deviation 2.138, standard error 0.756, and 2.365 of them for 7 degrees of freedom.
        let mut means = ClusteredMeans::default();
        [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0].iter().for_each(|&number| means.add(&[[number]]));
        let mean = means.mean(0).unwrap();
        let (low, high) = mean.interval.unwrap();
        assert_eq!((mean.value, means.games(), means.positions()), (5.0, 8, 8));
        assert!((low - 3.213).abs() < 0.01 && (high - 6.787).abs() < 0.01, "{low} {high}");
    }

    #[test]
    fn one_game_has_no_interval_and_nothing_has_no_mean() {
        let mut means = ClusteredMeans::default();
        assert_eq!(means.mean(0), None);
        means.add(&[]);
        assert_eq!(means.mean(0), None);
        means.add(&[[1.0], [0.0]]);
        assert_eq!(means.mean(0), Some(Mean { value: 0.5, interval: None }));
        means.add(&[[1.0]]);
        let share = means.share(0).unwrap();
        assert!(share.interval.unwrap().1 <= 1.0 && means.mean(0).unwrap().interval.unwrap().1 > 1.0);
    }
}
