//! When a side resigns.

use alfil_core::settings;

settings! {
    /// Resignation: a side resigns when it has expected to lose at several of its moves in a row.
    #[derive(Copy)]
    pub struct Resign {
        /// A side that expects less than this, from -1 (a loss) to 1 (a win), at resign_moves of its moves in a row
        /// resigns; -1 is never.
        pub below: f32 = -1.0, in -1.0..=0.0, key "resign_below";
        /// Moves in a row at which a side has to expect less than resign_below before it resigns.
        pub moves: u32 = 3, in 1..=1000, key "resign_moves";
        /// The share of games that are played to the end anyway, to see how often resigning would have been wrong.
        pub play_through: f32 = 0.1, in 0.0..=1.0, key "resign_play_through";
    }
}

impl Resign {
    /// Whether sides resign at all.
    pub fn is_on(&self) -> bool {
        self.below > -1.0
    }
}
