//! Sides in words.

use alfil_game::{FullGame, Side};

/// What a side is called.
pub fn side_name<G: FullGame>(side: Side) -> &'static str {
    G::SIDES[side as usize]
}
