//! Material once all captures that pay have been made.

use std::ops::Neg;

use alfil_game::{Estimates, Knowledge, Side};
use alfil_search::classical::{AlphaBeta, AlphaBetaSettings, GameNode};

/// Counts material after captures, with memory that is reused.
pub(super) struct QuietMaterial<G: Estimates>(AlphaBeta<GameNode<G>>);

impl<G: Estimates> QuietMaterial<G> {
    pub fn new() -> QuietMaterial<G> {
        QuietMaterial(AlphaBeta::new(AlphaBetaSettings { quiescence: true, ..AlphaBetaSettings::PLAIN }))
    }

    /// What the mover is ahead by, in hundredths of the game's smallest piece, if both sides make only captures that pay, and the
    /// end of the game if it is over.
    pub fn of(&mut self, game: &G) -> i32 {
        self.0.search(&GameNode { game: game.clone(), knowledge: Knowledge::Material }, 0).value
    }
}

/// A value that `mover` sees, as `viewer` sees it.
pub(super) fn seen_by<T: Neg<Output = T>>(value: T, mover: Side, viewer: Side) -> T {
    if mover == viewer { value } else { -value }
}
