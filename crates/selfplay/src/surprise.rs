//! Policy surprise: positions that a search had to correct the network on count more (KataGo).

use alfil_core::settings;
use rand::RngExt;

use crate::Ply;

settings! {
    /// Policy surprise.
    #[derive(Copy)]
    pub struct Surprise {
        /// Positions whose policy surprised the network are learnt from more often: the share of the weight that goes by surprise.
        /// 0.5 in KataGo, 0 is off.
        pub share: f32 = 0.0, in 0.0..=1.0, key "surprise";
    }
}

/// The smallest prior in the calculation: half a step of those that a tree stores.
const LEAST_PRIOR: f32 = 0.5 / 65_535.0;

/// How far a policy to learn is from the priors of the same moves: `KL(policy || prior)`, in nats.
pub(crate) fn divergence(policy_and_priors: impl IntoIterator<Item = (f32, f32)>) -> f32 {
    let term =
        |(share, prior): (f32, f32)| if share > 0.0 { share * (share / prior.max(LEAST_PRIOR)).ln() } else { 0.0 };
    policy_and_priors.into_iter().map(term).sum::<f32>().max(0.0)
}

/// Sets how often each position of a game is to be learnt from. `surprises` has a divergence for each ply. Of the
/// weight of the positions with a policy, `share` is distributed in proportion to it and the rest evenly; a weight w
/// becomes ⌊w⌋ copies and one more with the probability of what is left, so that on average nothing is lost. Others
/// count once.
pub(crate) fn deal_copies(plies: &mut [Ply], surprises: &[f32], share: f32, random: &mut impl RngExt) {
    let with_policy = || plies.iter().zip(surprises).filter(|(ply, _)| ply.has_policy());
    let (count, sum) = (with_policy().count() as f32, with_policy().map(|(_, surprise)| surprise).sum::<f32>());
    if share <= 0.0 || sum <= 0.0 {
        return;
    }
    for (ply, surprise) in plies.iter_mut().zip(surprises).filter(|(ply, _)| ply.has_policy()) {
        let weight = (1.0 - share) + share * count * surprise / sum;
        ply.copies = (weight.floor() + f32::from(random.random::<f32>() < weight.fract())) as u8;
    }
}

#[cfg(test)]
mod tests {
    use alfil_game::{Mover, Wdl};
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    #[test]
    fn divergence_is_that_of_kullback_and_leibler() {
        assert_eq!(divergence([(0.25, 0.25), (0.75, 0.75)]), 0.0);
        assert!((divergence([(1.0, 0.5), (0.0, 0.5)]) - 2f32.ln()).abs() < 1e-6);
        assert!(divergence([(1.0, 0.0)]).is_finite());
    }

    #[test]
    fn surprising_positions_are_copied_and_the_mean_stays_one() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let surprises = [0.1, 0.1, 0.4, 0.0, 9.0];
        let mut sums = [0u32; 5];
        for _ in 0..4_000 {
            let mut plies = [(); 5].map(|()| Ply::new(0, [(0, 0.5), (1, 0.5)], Mover(Wdl::DRAW)));
            // A cheap search: whatever the number says, it counts once.
            plies[4] = Ply::new(0, [], Mover(Wdl::DRAW));
            deal_copies(&mut plies, &surprises, 0.5, &mut random);
            plies.iter().zip(&mut sums).for_each(|(ply, sum)| *sum += u32::from(ply.copies));
        }
        let means = sums.map(|sum| f64::from(sum) / 4_000.0);
        // 0.5 + 0.5 * 4 * s / 0.6
        for (mean, expected) in means.into_iter().zip([0.833, 0.833, 1.833, 0.5, 1.0]) {
            assert!((mean - expected).abs() < 0.04, "{means:?}");
        }
        let mut plies = [Ply::new(0, [(0, 1.0)], Mover(Wdl::DRAW))];
        deal_copies(&mut plies, &[0.0], 0.5, &mut random);
        assert_eq!(plies[0].copies, 1, "where nothing surprises, all count the same");
    }
}
