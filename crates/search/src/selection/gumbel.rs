//! Gumbel search: improving a policy with few simulations (Danihelka et al. 2022), as in the mctx library.

use rand::RngExt;

/// The constants of the value transform `σ(q) = (c_visit + max N) c_scale q`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gumbel {
    /// The weight of values before any visit.
    pub c_visit: f32,
    /// The weight of a value against a logit.
    pub c_scale: f32,
    /// Whether the values of a position's moves are stretched to the range from 0 to 1, as mctx does by default: the best move
    /// then counts `σ(1)` more than the worst, however close they are. mctx has a `c_scale` of 0.1 with it.
    pub rescale: bool,
}

impl Default for Gumbel {
    /// The paper's setting for board games: values from -1 to 1 are not rescaled.
    fn default() -> Gumbel {
        Gumbel { c_visit: 50.0, c_scale: 1.0, rescale: false }
    }
}

impl Gumbel {
    /// σ(q), with the visits of the most visited move.
    pub fn transform(&self, q: f32, most_visits: u32) -> f32 {
        (self.c_visit + most_visits as f32) * self.c_scale * q
    }

    /// Gives every move a value: its own where it has been visited, else the mixed value
    /// `(v + ΣN Σ_visited(π q) / Σ_visited(π)) / (1 + ΣN)`. `value` is the network's for the position itself. With
    /// [`rescale`](Gumbel::rescale) all of them are stretched afterwards.
    pub fn complete(&self, value: f32, moves: &mut [GumbelMove]) {
        let visited = || moves.iter().filter(|m| m.visits > 0).map(|m| (m.prior.max(f32::MIN_POSITIVE), m.q));
        let total: u32 = moves.iter().map(|m| m.visits).sum();
        let weight: f32 = visited().map(|(prior, _)| prior).sum();
        let mean = visited().map(|(prior, q)| prior * q).sum::<f32>() / weight;
        let mixed = if total == 0 { value } else { (value + total as f32 * mean) / (1.0 + total as f32) };
        moves.iter_mut().filter(|m| m.visits == 0).for_each(|m| m.q = mixed);
        if self.rescale {
            stretch(moves);
        }
    }

    /// Gives moves with completed values their shares of the improved policy, `softmax(logits + σ(completed q))`: the target
    /// to train towards.
    pub fn improve(&self, moves: &mut [GumbelMove]) {
        let most = moves.iter().map(|m| m.visits).max().unwrap_or(0);
        for m in &mut *moves {
            m.share = m.logit() + self.transform(m.q, most);
        }
        let largest = moves.iter().map(|m| m.share).fold(f32::NEG_INFINITY, f32::max);
        for m in &mut *moves {
            m.share = (m.share - largest).exp();
        }
        let sum: f32 = moves.iter().map(|m| m.share).sum();
        moves.iter_mut().for_each(|m| m.share /= sum);
    }

    /// The move to visit inside the tree: the largest `π'(a) - N(a) / (1 + ΣN)`, which makes visits, those under way
    /// included, follow the improved policy deterministically.
    pub fn interior(&self, moves: &[GumbelMove]) -> Option<usize> {
        let total: u32 = moves.iter().map(|m| m.started).sum();
        let score = |m: &GumbelMove| m.share - m.started as f32 / (1.0 + total as f32);
        // Ties go to the first, as everywhere.
        let scores = moves.iter().map(score).enumerate().rev();
        scores.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at)
    }
}

/// Stretches values to the range from 0 to 1. Where all are equal they become 0.
fn stretch(moves: &mut [GumbelMove]) {
    let (least, most) =
        moves.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(least, most), m| (least.min(m.q), most.max(m.q)));
    let range = (most - least).max(1e-8);
    moves.iter_mut().for_each(|m| m.q = (m.q - least) / range);
}

/// A move as Gumbel search weighs it. The steps of [`Gumbel`] fill it in one after the other, so that none of them
/// allocates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GumbelMove {
    /// Its probability according to the evaluator.
    pub prior: f32,
    /// Its value; without visits the mixed value, once [completed](Gumbel::complete).
    pub q: f32,
    /// Completed visits.
    pub visits: u32,
    /// Completed visits and those under way.
    pub started: u32,
    /// Its share of the improved policy, set by [`Gumbel::improve`].
    pub share: f32,
}

impl GumbelMove {
    /// The logarithm of the prior.
    pub fn logit(&self) -> f32 {
        self.prior.max(f32::MIN_POSITIVE).ln()
    }
}

/// Sequential halving as a table: for each of `simulations`, the visits that the root move to try next must have so
/// far, if `considered` moves are tried.
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
    let uniform = 1.0 - random.random::<f64>(); // in (0, 1]
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

    fn moves(numbers: &[(f32, f32, u32)]) -> Vec<GumbelMove> {
        let known = |&(prior, q, visits): &(f32, f32, u32)| GumbelMove { prior, q, visits, ..GumbelMove::default() };
        numbers.iter().map(known).collect()
    }

    #[test]
    fn unvisited_moves_get_the_mixed_value() {
        let gumbel = Gumbel::default();
        let mut some = moves(&[(0.5, 0.4, 3), (0.3, 0.0, 0), (0.2, -0.2, 1)]);
        gumbel.complete(0.1, &mut some);
        let mean = (0.5 * 0.4 - 0.2 * 0.2) / 0.7;
        assert!((some[1].q - (0.1 + 4.0 * mean) / 5.0).abs() < 1e-6);
        assert_eq!((some[0].q, some[2].q), (0.4, -0.2));
        let mut none = moves(&[(0.5, 0.0, 0), (0.5, 0.0, 0)]);
        gumbel.complete(0.1, &mut none);
        assert_eq!([none[0].q, none[1].q], [0.1, 0.1]);
    }

    #[test]
    fn stretched_values_go_from_0_to_1() {
        let gumbel = Gumbel { c_scale: 0.1, rescale: true, ..Gumbel::default() };
        let mut some = moves(&[(0.5, 0.4, 3), (0.3, 0.0, 0), (0.2, 0.38, 1)]);
        gumbel.complete(0.39, &mut some);
        assert_eq!((some[0].q, some[2].q), (1.0, 0.0));
        assert!((0.0..=1.0).contains(&some[1].q), "{some:?}");
        let mut equal = moves(&[(0.5, 0.25, 3), (0.5, 0.25, 2)]);
        gumbel.complete(0.25, &mut equal);
        assert_eq!([equal[0].q, equal[1].q], [0.0, 0.0]);
    }

    proptest! {
        #[test]
        fn with_exact_values_the_improved_policy_is_never_worse(
            numbers in prop::collection::vec((0.001f32..1.0, -1.0f32..1.0, 0u32..20), 1..40),
        ) {
            let mut moves = moves(&numbers);
            let sum: f32 = moves.iter().map(|m| m.prior).sum();
            moves.iter_mut().for_each(|m| m.prior /= sum);
            // The position's own value is the policy's, and visited moves have their true values.
            let expected = moves.iter().map(|m| m.prior * m.q).sum::<f32>();
            let gumbel = Gumbel::default();
            gumbel.complete(expected, &mut moves);
            gumbel.improve(&mut moves);
            prop_assert!((moves.iter().map(|m| m.share).sum::<f32>() - 1.0).abs() < 1e-4);
            if moves.iter().all(|m| m.visits > 0) {
                prop_assert!(moves.iter().map(|m| m.share * m.q).sum::<f32>() >= expected - 1e-4);
            }
        }

        #[test]
        fn interior_visits_follow_the_policy(weights in prop::collection::vec(0.01f32..1.0, 1..20)) {
            let sum: f32 = weights.iter().sum();
            let share = |weight: &f32| GumbelMove { share: weight / sum, ..GumbelMove::default() };
            let mut moves: Vec<GumbelMove> = weights.iter().map(share).collect();
            for _ in 0..500 {
                let next = Gumbel::default().interior(&moves).unwrap();
                moves[next].started += 1;
            }
            for m in &moves {
                prop_assert!((m.started as f32 / 500.0 - m.share).abs() < 0.01);
            }
        }
    }
}
