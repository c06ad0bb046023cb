//! How moves are searched for.

use alfil_core::{choices, settings};
use alfil_search::selection::{Gumbel, Puct, Rule};
use rand::RngExt;

use alfil_core::settings::Findings;

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
        /// Gumbel: moves that are tried at the root. 16 in the paper.
        pub considered: u32 = 16, in 2..=512;
        /// Gumbel: how sharply the policy to learn follows the values of the moves. 1 in the paper; Connect Four was
        /// learnt faster with it than with 0.3; tic-tac-toe was not.
        pub gumbel_scale: f32 = 1.0, in 0.001..=100.0;
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
    /// Playout-cap randomisation (KataGo): more games for the value, fewer but better searches for the policy.
    #[derive(Copy)]
    pub struct Cheap {
        /// The share of searches that are cheap ones, from which no policy is learnt. 0.75 in KataGo, 0 is none.
        pub share: f32 = 0.0, in 0.0..=1.0, key "cheap_share";
        /// Visits of a cheap search.
        pub visits: u32 = 8, in 2..=1_000_000, key "cheap_visits";
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
        Gumbel { c_scale: self.gumbel_scale, ..Gumbel::default() }
    }

    /// Bytes of a game's tree: room for the visits of a move and for those that are left from the move before.
    pub fn tree_bytes(&self) -> usize {
        (self.visits as usize * 1_024).max(64 << 10)
    }

    fn check(&self, found: &mut Findings) {
        if self.kind == SearchKind::Gumbel && self.considered > self.visits {
            found.warning("considered", format!("is more than the {} visits", self.visits));
        }
    }
}

impl Cheap {
    /// Whether the next search is a cheap one. A random number is drawn only if there are cheap ones.
    pub(crate) fn draw(&self, random: &mut impl RngExt) -> bool {
        self.share > 0.0 && random.random::<f32>() < self.share
    }

    /// Visits per move, on average, where a full search has this many.
    pub fn mean_visits(&self, full: u32) -> f64 {
        let share = f64::from(self.share);
        share * f64::from(self.visits) + (1.0 - share) * f64::from(full)
    }
}
