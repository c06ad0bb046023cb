//! How much is measured.

use alfil_core::settings;

settings! {
    /// What is measured about every network, in games that have handcrafted estimates.
    #[derive(Copy)]
    pub struct ProbeSettings {
        /// Positions of varied play in which the search of self-play is compared with alpha-beta three plies deep, and the network's
        /// value with material; 0 is none.
        pub positions: usize = 200, in 0..=100_000;
        /// Positions in which a piece can be won for nothing: the network's value is compared before and after the capture. 0 is none.
        pub pairs: usize = 500, in 0..=100_000;
    }
}

impl ProbeSettings {
    /// Whether nothing is to be measured.
    pub fn is_off(&self) -> bool {
        self.positions == 0 && self.pairs == 0
    }
}
