//! How moves are searched for.

use alfil_core::{choices, settings};
use alfil_search::selection::{Gumbel, Puct, Rule};
use rand::RngExt;

use alfil_core::settings::Findings;

use crate::Ply;

choices! {
    /// A way to search.
    pub enum SearchKind {
        /// Gumbel search (Danihelka et al., 2022): sequential halving at the root, the improved policy to learn.
        Gumbel = "gumbel",
        /// AlphaZero's: PUCT with noise at the root, visits as the policy to learn.
        Puct = "puct",
    }
}

settings! {
    /// The search for a move.
    #[derive(Copy)]
    pub struct SearchSettings {
        /// gumbel (sequential halving: learns from few visits) or puct (AlphaZero's, with noise at the root).
        pub kind: SearchKind = SearchKind::Gumbel, key "search";
        /// Visits per move.
        pub visits: u32 = 32, in 2..=1_000_000;
        /// Gumbel: moves that are tried at the root, at most. 16 in the paper.
        pub considered: u32 = 16, in 2..=512;
        /// Gumbel: visits per tried move, at least. With fewer visits fewer moves are tried, so that what is played has been
        /// checked by some.
        pub visits_per_move: u32 = 2, in 1..=1_000_000;
        /// Gumbel: how sharply the policy to learn follows the values of the moves. 1 in the paper; Connect Four was
        /// learnt faster with it than with 0.3; tic-tac-toe was not.
        pub gumbel_scale: f32 = 1.0, in 0.001..=100.0;
        /// Gumbel: stretches the values of each position's moves to the range from 0 to 1 before they are scaled, as mctx does (with a
        /// gumbel_scale of 0.1).
        pub gumbel_rescale: bool = false;
        /// PUCT: the share of Dirichlet noise in the priors at the root. 0.25 in AlphaZero.
        pub noise_share: f32 = 0.25, in 0.0..=1.0;
        /// PUCT: the shape of that noise: about 10 divided by the usual number of moves. 0.3 for chess in AlphaZero.
        pub noise_alpha: f32 = 0.3, in 0.001..=1000.0;
        /// PUCT: forced playouts, with their visits taken out of the policy again. 2 in KataGo, 0 is none.
        pub forced: f32 = 0.0, in 0.0..=100.0;
    }
    check SearchSettings::check;
}

settings! {
    /// Playout-cap randomisation (KataGo): more games for the value, fewer but better searches for the policy. Cheap searches
    /// play as well as they can: nothing is learnt from what they try, so they have no noise.
    #[derive(Copy)]
    pub struct Cheap {
        /// The share of searches that are cheap ones, from which no policy is learnt. 0.75 in KataGo, 0 is none.
        pub share: f32 = 0.0, in 0.0..=1.0, key "cheap_share";
        /// Visits of a cheap search.
        pub visits: u32 = 8, in 2..=1_000_000, key "cheap_visits";
        /// The share of positions after cheap searches that are learnt from: only their values can be. 0 in KataGo. Less than 1 leaves
        /// more of each batch to positions with a policy; training.reuse still counts all positions that were played.
        pub learnt: f32 = 1.0, in 0.0..=1.0, key "cheap_learnt";
    }
}

impl SearchSettings {
    /// The rule that picks moves below the root.
    pub(crate) fn rule(&self) -> Rule {
        match self.kind {
            SearchKind::Puct => Rule::Puct(Puct::SELF_PLAY),
            SearchKind::Gumbel => Rule::Gumbel(self.gumbel()),
        }
    }

    /// Gumbel's rule.
    pub(crate) fn gumbel(&self) -> Gumbel {
        Gumbel { c_scale: self.gumbel_scale, rescale: self.gumbel_rescale, ..Gumbel::default() }
    }

    /// Gumbel: the moves that a search with this many visits tries.
    pub(crate) fn tried(&self, visits: u32) -> usize {
        self.considered.min((visits / self.visits_per_move).max(2)) as usize
    }

    /// Bytes of a game's tree: room for the visits of a move and for those that are left from the move before.
    pub fn tree_bytes(&self) -> usize {
        (self.visits as usize * 1_024).max(64 << 10)
    }

    fn check(&self, found: &mut Findings) {
        if self.kind == SearchKind::Gumbel && self.visits_per_move > self.visits / 2 {
            found.warning("visits_per_move", format!("leaves two moves to try with {} visits", self.visits));
        }
    }
}

impl Cheap {
    /// Whether the next search is a cheap one. A random number is drawn only if there are cheap ones.
    pub(crate) fn draw(&self, random: &mut impl RngExt) -> bool {
        self.share > 0.0 && random.random::<f32>() < self.share
    }

    /// Sets which positions after cheap searches, those without a policy, are learnt from. Random numbers are drawn only if some are not.
    pub(crate) fn leave_out(&self, plies: &mut [Ply], random: &mut impl RngExt) {
        if self.learnt < 1.0 {
            for ply in plies.iter_mut().filter(|ply| !ply.has_policy()) {
                ply.copies = u8::from(random.random::<f32>() < self.learnt);
            }
        }
    }

    /// Visits per move, on average, where a full search has this many.
    pub fn mean_visits(&self, full: u32) -> f64 {
        let share = f64::from(self.share);
        share * f64::from(self.visits) + (1.0 - share) * f64::from(full)
    }
}

#[cfg(test)]
mod tests {
    use alfil_game::{Mover, Wdl};
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    #[test]
    fn a_search_with_few_visits_tries_few_moves() {
        let tried = |considered, visits_per_move, visits| {
            SearchSettings { considered, visits_per_move, ..SearchSettings::default() }.tried(visits)
        };
        assert_eq!([128, 64, 24, 8].map(|visits| tried(16, 6, visits)), [16, 10, 4, 2]);
        assert_eq!(tried(16, 2, 32), 16, "the defaults are those of the paper");
    }

    #[test]
    fn a_share_of_the_positions_after_cheap_searches_is_learnt_from() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let cheap = |number: usize| !number.is_multiple_of(4);
        let ply = |number| Ply::new(0, (!cheap(number)).then_some((0, 1.0)), Mover(Wdl::DRAW));
        for (learnt, expected) in [(1.0, 3_000), (0.25, 750), (0.0, 0)] {
            let mut plies: Vec<Ply> = (0..4_000).map(ply).collect();
            Cheap { learnt, ..Cheap::default() }.leave_out(&mut plies, &mut random);
            let copies = |of: bool| -> u32 {
                plies.iter().enumerate().filter(|(at, _)| cheap(*at) == of).map(|(_, ply)| u32::from(ply.copies)).sum()
            };
            assert_eq!(copies(false), 1_000);
            assert!(copies(true).abs_diff(expected) < 60, "{} of 3000 with {learnt}", copies(true));
        }
    }
}
