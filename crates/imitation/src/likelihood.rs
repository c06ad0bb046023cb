//! Whose games these are: the evaluator under which their moves are most likely.

use std::sync::atomic::AtomicBool;

use alfil_core::seed::derive;
use alfil_game::Game;
use alfil_search::EvaluatorError;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{ClusteredMeans, GameSet, Mean, PlayedGame, Prediction, Predictor, predict_all};

/// How likely the moves of games are under several evaluators.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Likelihoods {
    games: Vec<GameLikelihood>,
    evaluators: usize,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct GameLikelihood {
    positions: u64,
    /// The sum of the logarithms of its moves' priors, for each evaluator.
    sums: Vec<f64>,
}

impl Likelihoods {
    /// Has every predictor predict the moves of the games. When it is stopped, games may be missing. `tell` gets the work that is
    /// done, and all of it.
    pub fn of<G: Game>(
        predictors: &mut [Predictor<G>],
        set: &GameSet,
        rules: &G::Rules,
        tell: &mut dyn FnMut(u64, u64),
        stop: &AtomicBool,
    ) -> Result<Likelihoods, EvaluatorError> {
        let mut columns: Vec<Vec<(u64, f64)>> = vec![Vec::new(); predictors.len()];
        let mut see = |number: usize, _: &PlayedGame, predictions: &[Prediction]| {
            let sum = predictions.iter().map(|prediction| f64::from(prediction.log_likelihood)).sum();
            columns[number].push((predictions.len() as u64, sum));
        };
        predict_all(predictors, &set.games, rules, &mut see, tell, stop)?;
        let games = columns.first().map_or(0, Vec::len);
        let game = |game: usize| GameLikelihood {
            positions: columns[0][game].0,
            sums: columns.iter().map(|column| column[game].1).collect(),
        };
        Ok(Likelihoods { games: (0..games).map(game).collect(), evaluators: columns.len() })
    }

    /// Games.
    pub fn games(&self) -> usize {
        self.games.len()
    }

    /// Their positions.
    pub fn positions(&self) -> u64 {
        self.games.iter().map(|game| game.positions).sum()
    }

    /// For each evaluator the mean logarithm of a move's prior, with its interval by game. Empty without games.
    pub fn means(&self) -> Vec<Mean> {
        self.compare(|game, evaluator| game.sums[evaluator])
    }

    /// The same minus that of the most likely evaluator: how far each is behind it.
    pub fn behind(&self) -> Vec<Mean> {
        let best = self.best();
        self.compare(|game, evaluator| game.sums[evaluator] - game.sums[best])
    }

    fn compare(&self, sum: impl Fn(&GameLikelihood, usize) -> f64) -> Vec<Mean> {
        let mean = |evaluator: usize| {
            let mut means = ClusteredMeans::default();
            self.games.iter().for_each(|game| means.add_sums(game.positions, [sum(game, evaluator)]));
            means.mean(0)
        };
        (0..self.evaluators).filter_map(mean).collect()
    }

    /// The sum of the logarithms over all games, for each evaluator.
    pub fn sums(&self) -> Vec<f64> {
        self.sums_of(0..self.games.len())
    }

    /// The evaluator under which the moves of all games are most likely; the first of equals.
    pub fn best(&self) -> usize {
        best(&self.sums())
    }

    fn sums_of(&self, games: impl IntoIterator<Item = usize>) -> Vec<f64> {
        games.into_iter().fold(vec![0.0; self.evaluators], |mut sums, game| {
            sums.iter_mut().zip(&self.games[game].sums).for_each(|(sum, more)| *sum += more);
            sums
        })
    }
}

/// How probable each evaluator is, from the sums of logarithms: if one of them chose every move by its priors, each on its own, and
/// none was more probable before.
///
/// ```
/// use alfil_imitation::posterior;
///
/// let posterior = posterior(&[-10_000.0, -10_000.0 + 3f64.ln()]);
/// assert!((posterior[0] - 0.25).abs() < 1e-9 && (posterior[1] - 0.75).abs() < 1e-9);
/// ```
pub fn posterior(sums: &[f64]) -> Vec<f64> {
    let largest = sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = sums.iter().map(|sum| (sum - largest).exp()).collect();
    let all: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / all).collect()
}

fn best(sums: &[f64]) -> usize {
    (0..sums.len()).fold(0, |best, number| if sums[number] > sums[best] { number } else { best })
}

/// Who was taken for whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confusion {
    /// By true player, then by the evaluator that was identified: pools of games.
    pub counts: Vec<Vec<u64>>,
}

impl Confusion {
    /// The share of pools whose player was identified.
    pub fn right(&self) -> f64 {
        let right: u64 = (0..self.counts.len()).map(|player| self.counts[player][player]).sum();
        right as f64 / self.counts.iter().flatten().sum::<u64>().max(1) as f64
    }
}

/// Draws `pools` random pools of `size` different games of each player, and counts for each pool the evaluator under which its moves
/// are most likely. `players` are in the order of the evaluators, and have at least as many games as a pool.
pub fn confusion(players: &[Likelihoods], pools: u64, size: usize, seed: u64) -> Confusion {
    let count = |(player, likelihoods): (usize, &Likelihoods)| {
        let mut counts = vec![0; likelihoods.evaluators];
        let mut games: Vec<usize> = (0..likelihoods.games()).collect();
        for pool in 0..pools {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(derive(seed, &[player as u64, pool]));
            let (drawn, _) = games.partial_shuffle(&mut random, size);
            counts[best(&likelihoods.sums_of(drawn.iter().copied()))] += 1;
        }
        counts
    };
    Confusion { counts: players.iter().enumerate().map(count).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Games of ten moves whose mean log likelihoods under two evaluators are these.
    fn likelihoods(games: &[[f64; 2]]) -> Likelihoods {
        let game = |means: &[f64; 2]| GameLikelihood { positions: 10, sums: means.iter().map(|m| 10.0 * m).collect() };
        Likelihoods { games: games.iter().map(game).collect(), evaluators: 2 }
    }

    #[test]
    fn the_likelier_evaluator_is_the_best_and_the_other_is_behind_it() {
        let found = likelihoods(&[[-2.0, -1.5], [-2.2, -1.8], [-1.9, -1.7]]);
        assert_eq!((found.best(), found.games(), found.positions()), (1, 3, 30));
        let means: Vec<f64> = found.means().iter().map(|mean| mean.value).collect();
        assert!((means[0] + 6.1 / 3.0).abs() < 1e-9 && (means[1] + 5.0 / 3.0).abs() < 1e-9, "{means:?}");
        let behind = found.behind();
        assert!((behind[0].value + 1.1 / 3.0).abs() < 1e-9 && behind[1].value == 0.0, "{behind:?}");
        assert!(behind[0].interval.unwrap().1 < 0.1, "pairs of games tell more than either mean: {behind:?}");
        assert_eq!(likelihoods(&[]).means(), []);
    }

    #[test]
    fn a_larger_pool_is_recognised_more_often() {
        // The first player's games speak for the first evaluator three times in five, as do the second's for the second.
        let first: Vec<[f64; 2]> = (0..100).map(|n| if n % 5 < 3 { [-1.0, -1.1] } else { [-1.1, -1.0] }).collect();
        let second: Vec<[f64; 2]> = first.iter().map(|[a, b]| [*b, *a]).collect();
        let players = [likelihoods(&first), likelihoods(&second)];
        let right = |size| confusion(&players, 200, size, 1).right();
        assert!((0.5..0.7).contains(&right(1)), "{}", right(1));
        assert!((0.85..1.0).contains(&right(31)), "{}", right(31));
        assert_eq!(right(99), 1.0);
        let counts = confusion(&players, 200, 9, 1).counts;
        assert!(counts.iter().all(|row| row.iter().sum::<u64>() == 200), "{counts:?}");
        assert_eq!(confusion(&players, 200, 9, 1).counts, counts, "the same seed gives the same pools");
        assert_ne!(confusion(&players, 200, 9, 2).counts, counts);
    }
}
