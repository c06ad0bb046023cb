//! Gumbel search: improving a policy with few simulations (Danihelka et al. 2022), as in the mctx library.

use rand::RngExt;

/// The constants of the value transform `σ(q) = (c_visit + max N) c_scale q`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gumbel {
    /// The weight of values before any visit.
    pub c_visit: f32,
    /// The weight of a value against a logit.
    pub c_scale: f32,
}

impl Default for Gumbel {
    /// The paper's setting for board games: values from -1 to 1 are not rescaled.
    fn default() -> Gumbel {
        Gumbel { c_visit: 50.0, c_scale: 1.0 }
    }
}

impl Gumbel {
    /// σ(q), with the visits of the most visited move.
    pub fn transform(&self, q: f32, most_visits: u32) -> f32 {
        (self.c_visit + most_visits as f32) * self.c_scale * q
    }

    /// The value of every move: its own where it has been visited, else the mixed value
    /// `(v + ΣN Σ_visited(π q) / Σ_visited(π)) / (1 + ΣN)`. `value` is the network's for the position itself.
    pub fn completed(&self, value: f32, priors: &[f32], q: &[f32], visits: &[u32]) -> Vec<f32> {
        let visited = || priors.iter().zip(q).zip(visits).filter(|(_, visits)| **visits > 0).map(|(pair, _)| pair);
        let total: u32 = visits.iter().sum();
        let weight: f32 = visited().map(|(prior, _)| prior.max(f32::MIN_POSITIVE)).sum();
        let mean = visited().map(|(prior, q)| prior.max(f32::MIN_POSITIVE) * q).sum::<f32>() / weight;
        let mixed = if total == 0 { value } else { (value + total as f32 * mean) / (1.0 + total as f32) };
        q.iter().zip(visits).map(|(q, visits)| if *visits > 0 { *q } else { mixed }).collect()
    }

    /// The improved policy, `softmax(logits + σ(completed q))`: the target to train towards.
    pub fn improved(&self, priors: &[f32], completed: &[f32], visits: &[u32]) -> Vec<f32> {
        let most = visits.iter().copied().max().unwrap_or(0);
        let logit = |(prior, q): (&f32, &f32)| prior.max(f32::MIN_POSITIVE).ln() + self.transform(*q, most);
        let logits: Vec<f32> = priors.iter().zip(completed).map(logit).collect();
        let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = logits.iter().map(|logit| (logit - largest).exp()).sum();
        logits.into_iter().map(|logit| (logit - largest).exp() / sum).collect()
    }

    /// The move to look at inside the tree: the largest `π'(a) - N(a) / (1 + ΣN)`, which makes visits follow the improved
    /// policy without any chance.
    pub fn interior(&self, improved: &[f32], visits: &[u32]) -> Option<usize> {
        let total: u32 = visits.iter().sum();
        let score = |at: usize| improved[at] - visits[at] as f32 / (1.0 + total as f32);
        // The first of equals, as everywhere.
        (0..improved.len()).rev().max_by(|a, b| score(*a).total_cmp(&score(*b)))
    }
}

/// The visits that the move to be looked at next at the root must have, for each of `simulations`, if `considered` moves
/// are tried: sequential halving as a table.
///
/// ```
/// use alfil_search::selection::considered_visits;
///
/// assert_eq!(considered_visits(4, 8), [0, 0, 0, 0, 1, 1, 2, 2]);
/// ```
pub fn considered_visits(considered: usize, simulations: usize) -> Vec<u32> {
    if considered <= 1 {
        return (0..simulations as u32).collect();
    }
    let rounds = considered.next_power_of_two().ilog2() as usize; // log2, rounded up
    let mut visits = vec![0; considered];
    let mut left = considered;
    let mut table = Vec::with_capacity(simulations);
    while table.len() < simulations {
        for _ in 0..(simulations / (rounds * left)).max(1) {
            table.extend_from_slice(&visits[..left]);
            visits[..left].iter_mut().for_each(|visits| *visits += 1);
        }
        left = (left / 2).max(2);
    }
    table.truncate(simulations);
    table
}

/// A draw from the standard Gumbel distribution. The moves with the largest `g + logit` are a sample of the policy without
/// replacement.
pub fn gumbel_noise(random: &mut impl RngExt) -> f32 {
    let uniform = 1.0 - random.random::<f64>(); // from above 0 to 1
    -(-(uniform.min(1.0 - f64::EPSILON)).ln()).ln() as f32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    #[test]
    fn the_table_is_sequential_halving() {
        assert_eq!(considered_visits(1, 4), [0, 1, 2, 3]);
        assert_eq!(considered_visits(2, 6), [0, 0, 1, 1, 2, 2]);
        assert_eq!(considered_visits(3, 7), [0, 0, 0, 1, 1, 2, 2]);
        assert_eq!(considered_visits(4, 3), [0, 0, 0]);
        // 16 moves and 64 simulations: one visit for each of 16, two more for 8, four more for 4, eight more for 2.
        let table = considered_visits(16, 64);
        let of = |visits: u32| table.iter().filter(|v| **v == visits).count();
        assert_eq!((0..15).map(of).collect::<Vec<_>>(), [16, 8, 8, 4, 4, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2]);
    }

    #[test]
    fn noise_samples_the_policy() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
        let priors = [0.6f32, 0.3, 0.1];
        let mut wins = [0; 3];
        for _ in 0..30_000 {
            let scores = priors.map(|prior| prior.ln() + gumbel_noise(&mut random));
            wins[(0..3).max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap()] += 1;
        }
        for (wins, prior) in wins.into_iter().zip(priors) {
            assert!((wins as f32 / 30_000.0 - prior).abs() < 0.01, "{wins} for {prior}");
        }
    }

    #[test]
    fn unvisited_moves_get_the_mixed_value() {
        let gumbel = Gumbel::default();
        let completed = gumbel.completed(0.1, &[0.5, 0.3, 0.2], &[0.4, 0.0, -0.2], &[3, 0, 1]);
        let mean = (0.5 * 0.4 - 0.2 * 0.2) / 0.7;
        assert!((completed[1] - (0.1 + 4.0 * mean) / 5.0).abs() < 1e-6);
        assert_eq!((completed[0], completed[2]), (0.4, -0.2));
        assert_eq!(gumbel.completed(0.1, &[0.5, 0.5], &[0.0, 0.0], &[0, 0]), [0.1, 0.1]);
    }

    proptest! {
        #[test]
        fn with_exact_values_the_improved_policy_is_never_worse(
            moves in prop::collection::vec((0.001f32..1.0, -1.0f32..1.0, 0u32..20), 1..40),
        ) {
            let sum: f32 = moves.iter().map(|m| m.0).sum();
            let priors: Vec<f32> = moves.iter().map(|m| m.0 / sum).collect();
            let q: Vec<f32> = moves.iter().map(|m| m.1).collect();
            let visits: Vec<u32> = moves.iter().map(|m| m.2).collect();
            let expected = |policy: &[f32]| policy.iter().zip(&q).map(|(p, q)| p * q).sum::<f32>();
            // The position's own value is the policy's, and visited moves have their true values.
            let gumbel = Gumbel::default();
            let completed = gumbel.completed(expected(&priors), &priors, &q, &visits);
            let improved = gumbel.improved(&priors, &completed, &visits);
            prop_assert!((improved.iter().sum::<f32>() - 1.0).abs() < 1e-4);
            if visits.iter().all(|visits| *visits > 0) {
                prop_assert!(expected(&improved) >= expected(&priors) - 1e-4);
            }
        }

        #[test]
        fn interior_visits_follow_the_policy(weights in prop::collection::vec(0.01f32..1.0, 1..20)) {
            let sum: f32 = weights.iter().sum();
            let policy: Vec<f32> = weights.iter().map(|w| w / sum).collect();
            let mut visits = vec![0; policy.len()];
            for _ in 0..500 {
                let next = Gumbel::default().interior(&policy, &visits).unwrap();
                visits[next] += 1;
            }
            for (visits, share) in visits.iter().zip(&policy) {
                prop_assert!((*visits as f32 / 500.0 - share).abs() < 0.01);
            }
        }
    }
}
