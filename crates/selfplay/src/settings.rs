//! How games are played to learn from.

use alfil_core::settings;
use alfil_core::settings::Findings;
use alfil_game::FullGame;
use alfil_nn::Precision;

use alfil_search::Adjudication;

use crate::{Cheap, Resign, SearchKind, SearchSettings, Starts, Surprise, Temperature};

settings! {
    /// The settings of self-play. Most are declared in the files of their concepts.
    pub struct SelfplaySettings {
        /// Games to play; in a training run, per generation.
        pub games: u64 = 500, in 1..=100_000_000;
        /// Games that a lane plays at once: as many positions are evaluated together.
        pub at_once: usize = 32, in 1..=65_536;
        /// How exactly the CPU computes networks: full, or reduced, which is faster where the processor multiplies bf16
        /// numbers. Either way a game that is played again on a processor with the same instructions is the same.
        pub precision: Precision = Precision::Full;
        /// How moves are searched for.
        pub search: SearchSettings;
        /// Searches that are cheaper than the others, and whose policy is not learnt.
        pub cheap: Cheap;
        /// How moves are drawn.
        pub temperature: Temperature;
        /// When a side resigns.
        pub resign: Resign;
        /// Where games begin.
        pub starts: Starts;
        /// When games are ended before the rules do.
        pub adjudication: Adjudication;
        /// Positions that count more than others.
        pub surprise: Surprise;
    }
    check SelfplaySettings::check;
}

impl SelfplaySettings {
    fn check(&self, found: &mut Findings) {
        let is_puct = self.search.kind == SearchKind::Puct;
        if is_puct && self.search.noise_share == 0.0 && self.temperature.first == 0.0 {
            found.warning("noise_share", "is 0 with no temperature: all games will be the same");
        }
    }

    /// Finds settings that need something which the game does not have.
    pub fn check_game<G: FullGame>(&self, rules: &G::Rules, found: &mut Findings) {
        if self.starts.endings_share > 0.0 && !Starts::has_endings::<G>(rules) {
            found.error("endings_share", format!("must be 0: {} has no random endings", G::NAME));
        }
        if self.adjudication.oracle && G::oracle().is_none() {
            found.error("adjudicate_oracle", format!("must be false: {} has no exact solver", G::NAME));
        }
    }
}
