//! The newest part of the games.

use alfil_core::settings;

use super::Replay;
use super::folder::Chunk;

settings! {
    /// How much is learnt from: KataGo's window, which grows more slowly than the games.
    #[derive(Copy)]
    pub struct WindowSettings {
        /// Positions of the window at the beginning: all are learnt from until there are this many.
        pub first: u64 = 50_000, in 1..;
        /// The window grows with this power of the positions played: 1 in proportion, 0 with their logarithm. 0.65 in KataGo.
        pub exponent: f64 = 0.65, in 0.0..=1.0;
        /// How fast it grows at the beginning: with 1 it takes in all that is played. 0.4 in KataGo.
        pub growth: f64 = 0.4, in 0.0..=1.0;
        /// It never grows beyond this many positions, except for the rest of its oldest file.
        pub most: u64 = 100_000_000, in 1..;
    }
}

impl WindowSettings {
    /// Positions of the window after `played` positions.
    ///
    /// ```
    /// use alfil_selfplay::replay::WindowSettings;
    ///
    /// let window = WindowSettings { first: 250_000, exponent: 0.65, growth: 0.4, most: u64::MAX };
    /// assert_eq!(window.positions(100_000), 100_000);
    /// assert_eq!(window.positions(250_000), 250_000);
    /// // Ten times the games: about three times the window.
    /// assert_eq!(window.positions(2_500_000) / 1_000, 783);
    /// ```
    pub fn positions(&self, played: u64) -> u64 {
        let first = self.first.max(1) as f64;
        if played as f64 <= first {
            return played.min(self.most);
        }
        let times = played as f64 / first;
        let growth = match self.exponent {
            exponent if exponent.abs() < 1e-6 => times.ln(),
            exponent => (times.powf(exponent) - 1.0) / exponent,
        };
        let window = first * (1.0 + self.growth * growth);
        (window as u64).min(played).min(self.most)
    }
}

/// The newest chunks.
#[derive(Clone, Debug)]
pub struct Window {
    pub(super) chunks: Vec<Chunk>,
}

impl Window {
    /// The newest chunks of all games that together have at least as many positions as the settings ask for.
    pub fn of(replay: &Replay, settings: &WindowSettings) -> Window {
        let wanted = settings.positions(replay.positions());
        let mut positions = 0;
        let newest = replay.chunks().iter().rev().take_while(|chunk| {
            let before = positions;
            positions += chunk.positions;
            before < wanted
        });
        let mut chunks: Vec<Chunk> = newest.cloned().collect();
        chunks.reverse();
        Window { chunks }
    }

    /// Positions in it.
    pub fn positions(&self) -> u64 {
        self.chunks.iter().map(|chunk| chunk.positions).sum()
    }

    /// Games in it.
    pub fn games(&self) -> u64 {
        self.chunks.iter().map(|chunk| chunk.games).sum()
    }
}
