//! Whether players can be told apart by their mistakes.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Model;
use crate::Phase;
use crate::chess::{Mistake, Motif, Vectors, has};

/// The distances between halves of players' games.
#[derive(Clone, Debug, PartialEq)]
pub struct Distances {
    /// For each player the distance between the halves of his games.
    pub own: Vec<f64>,
    /// The mean distance between halves of different players, for each pair of them.
    pub others: Vec<((usize, usize), f64)>,
    /// The mean distance between halves of different players, less that of the halves of one.
    pub gap: f64,
}

/// The distances, and how often chance would give them.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    /// The distances.
    pub distances: Distances,
    /// The share of permutations in which the gap was at least as large: every game given to some half at random, and the sizes of
    /// the halves kept.
    pub chance: f64,
}

/// The mistakes of a game by their kinds.
type Kinds = Vec<f64>;

/// Splits each player's games into every other one, and compares the kinds of mistakes in the halves: phases, pieces that moved,
/// motifs and the model's clusters, as shares of all mistakes, so that how many there are makes no difference. The vectors are
/// those of the mistakes, of the model's kind. Players without two games with mistakes have empty halves.
pub fn split_half(players: &[(&[Mistake<'_>], &Vectors)], model: &Model, permutations: u32, seed: u64) -> Split {
    let mut halves: Vec<Vec<Kinds>> = Vec::new();
    for (mistakes, vectors) in players {
        let games = games(mistakes, vectors, model);
        for half in 0..2 {
            halves.push(games.iter().skip(half).step_by(2).cloned().collect());
        }
    }
    let distances = distances_of(&halves);
    let mut all: Vec<Kinds> = halves.concat();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut as_large = 0;
    for _ in 0..permutations {
        all.shuffle(&mut random);
        let mut rest = &all[..];
        let shuffled: Vec<Vec<Kinds>> = halves
            .iter()
            .map(|half| {
                let (taken, left) = rest.split_at(half.len());
                rest = left;
                taken.to_vec()
            })
            .collect();
        as_large += u32::from(distances_of(&shuffled).gap >= distances.gap);
    }
    // The order that was found is one of those that chance may give.
    let chance = f64::from(as_large + 1) / (f64::from(permutations) + 1.0);
    Split { distances, chance }
}

/// The kinds of the mistakes of each game, in the order of the games.
fn games(mistakes: &[Mistake<'_>], vectors: &Vectors, model: &Model) -> Vec<Kinds> {
    let mut games: std::collections::BTreeMap<u64, Kinds> = std::collections::BTreeMap::new();
    for (mistake, vector) in mistakes.iter().zip(vectors.rows.rows()) {
        let is = |holds: bool| f64::from(u8::from(holds));
        let cluster = model.cluster(vector);
        let kinds = Phase::ALL
            .map(|phase| is(mistake.phase == phase))
            .into_iter()
            .chain((1..=6).map(|role| is(mistake.moved() as u32 == role)))
            .chain(Motif::ALL.map(|motif| is(has(&mistake.missed, motif))))
            .chain(Motif::ALL.map(|motif| is(has(&mistake.allowed, motif))))
            .chain((0..model.clusters.len()).map(|at| is(at == cluster)))
            // How many mistakes there are.
            .chain([1.0]);
        let of_game = games.entry(mistake.record.game).or_default();
        for (at, kind) in kinds.enumerate() {
            match of_game.get_mut(at) {
                Some(count) => *count += kind,
                None => of_game.push(kind),
            }
        }
    }
    games.into_values().collect()
}

/// The distances within players, those between pairs of them, and how much larger these are.
fn distances_of(halves: &[Vec<Kinds>]) -> Distances {
    let shares: Vec<Vec<f64>> = halves.iter().map(|games| shares(games)).collect();
    let between = |a: usize, b: usize| distance(&shares[a], &shares[b]);
    let players = halves.len() / 2;
    let own: Vec<f64> = (0..players).map(|player| between(2 * player, 2 * player + 1)).collect();
    let mut others = Vec::new();
    for one in 0..players {
        for other in one + 1..players {
            let pairs = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(a, b)| between(2 * one + a, 2 * other + b));
            others.push(((one, other), pairs.iter().sum::<f64>() / 4.0));
        }
    }
    let mean = |sum: f64, count: usize| sum / count.max(1) as f64;
    let gap = mean(others.iter().map(|(_, distance)| distance).sum(), others.len()) - mean(own.iter().sum(), own.len());
    Distances { own, others, gap }
}

/// The share of mistakes that are of each kind.
fn shares(games: &[Kinds]) -> Vec<f64> {
    let mut sum: Kinds = Vec::new();
    for game in games {
        sum.resize(game.len(), 0.0);
        sum.iter_mut().zip(game).for_each(|(sum, count)| *sum += count);
    }
    let all = sum.pop().unwrap_or(0.0).max(1.0);
    sum.iter().map(|count| count / all).collect()
}

/// The distance of E. Hellinger, without its constant factor: in square roots of shares a difference weighs as much among rare
/// kinds as among frequent ones.
fn distance(one: &[f64], other: &[f64]) -> f64 {
    let at = |shares: &[f64], index: usize| shares.get(index).copied().unwrap_or(0.0).sqrt();
    (0..one.len().max(other.len())).map(|index| (at(one, index) - at(other, index)).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Games whose mistakes are of the first kind in `first` of ten games.
    fn half(first: usize) -> Vec<Kinds> {
        (0..10).map(|game| if game < first { vec![1.0, 0.0, 1.0] } else { vec![0.0, 1.0, 1.0] }).collect()
    }

    #[test]
    fn distances_are_those_of_shares() {
        assert_eq!(shares(&half(3)), [0.3, 0.7]);
        assert_eq!(shares(&[]), [0.0; 0]);
        let Distances { own, others, gap } = distances_of(&[half(3), half(3), half(9), half(9)]);
        assert_eq!(own, [0.0, 0.0]);
        let expected = distance(&[0.3, 0.7], &[0.9, 0.1]);
        assert!((others[0].1 - expected).abs() < 1e-12 && (gap - expected).abs() < 1e-12 && expected > 0.5);
    }
}
