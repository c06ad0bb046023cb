//! How random the choice of a move is.

use alfil_core::settings;

settings! {
    /// The temperature at each ply of a game. Where it is above 0 the move is drawn by its visits, those that were forced included,
    /// or in Gumbel search by the improved policy, each raised to 1 / temperature. At 0 the best move is played.
    ///
    /// A proven win is always played, and a proven loss only if there is nothing else.
    #[derive(Copy)]
    pub struct Temperature {
        /// Moves are drawn at random with this temperature for temperature_plies. So it is with Gumbel, whose own noise
        /// only chooses what is tried. 1 draws moves as often as they were visited, 0 plays the best.
        pub first: f32 = 1.0, in 0.0..=10.0, key "temperature";
        /// Plies of a game with that temperature.
        pub plies: u32 = 30, key "temperature_plies";
        /// The temperature after that. At 0 the best move is played.
        pub last: f32 = 0.0, in 0.0..=10.0, key "last_temperature";
        /// Plies in which the temperature goes half the way to last_temperature; 0 is at once.
        pub half_life: f32 = 0.0, in 0.0..=1e6, key "temperature_half_life";
    }
}

impl Temperature {
    /// In proportion to visits for 30 plies, then the best move.
    pub const ALPHA_ZERO: Temperature = Temperature { first: 1.0, plies: 30, last: 0.0, half_life: 0.0 };

    /// Always the best move.
    pub const NONE: Temperature = Temperature { first: 0.0, plies: 0, last: 0.0, half_life: 0.0 };

    /// The temperature of a ply, counted from 0.
    pub fn at(self, ply: u32) -> f32 {
        match ply.checked_sub(self.plies) {
            None => self.first,
            Some(later) if self.half_life > 0.0 => {
                self.last + (self.first - self.last) * (-(later as f32) / self.half_life).exp2()
            }
            Some(_) => self.last,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_temperature_holds_steps_and_decays() {
        assert_eq!([0, 29, 30, 400].map(|ply| Temperature::ALPHA_ZERO.at(ply)), [1.0, 1.0, 0.0, 0.0]);
        assert_eq!(Temperature::NONE.at(0), 0.0);
        // As KataGo has it, whose half-life is the width of its board.
        let fading = Temperature { first: 0.75, plies: 0, last: 0.15, half_life: 19.0 };
        let found = [0, 19, 38, 2_000].map(|ply| fading.at(ply));
        for (found, expected) in found.into_iter().zip([0.75, 0.45, 0.3, 0.15]) {
            assert!((found - expected).abs() < 1e-6, "{found} instead of {expected}");
        }
    }
}
