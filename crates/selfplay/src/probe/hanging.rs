//! Pieces that can be won for nothing.

use alfil_game::{Estimates, Knowledge};
use alfil_search::classical::is_decided;

use super::material::{QuietMaterial, seen_by};

/// What has to be won, in hundredths of the game's smallest piece: a minor piece of chess is more, two pawns are less.
const LEAST: i32 = 250;

/// A position in which a piece can be won, and the one after the capture.
pub(super) struct HangingPiece<G> {
    pub before: G,
    pub after: G,
}

/// The best capture of a position, if it wins a piece: it takes [`LEAST`] at once, and the mover still has that much more than now
/// when all captures that pay have been made. Moves that decide the game do not count.
///
/// Of all captures it is the one after which the mover has most, so that who counts material after captures gives the two
/// positions the same value.
pub(super) fn find<G: Estimates>(game: &G, moves: &[G::Move], quiet: &mut QuietMaterial<G>) -> Option<HangingPiece<G>> {
    if moves.iter().all(|m| game.gain(*m) < LEAST) {
        return None;
    }
    let captures = moves.iter().map(|m| (*m, game.gain(*m))).filter(|(_, gain)| *gain > 0);
    let best = captures
        .map(|(m, gain)| {
            let mut after = game.clone();
            after.play(m);
            let value = seen_by(quiet.of(&after), after.side(), game.side());
            (value, gain, after)
        })
        .max_by_key(|(value, gain, _)| (*value, *gain));
    let (value, gain, after) = best?;
    let won = value - game.evaluate(Knowledge::Material);
    let is_won = gain >= LEAST && won >= LEAST && !is_decided(value) && after.outcome().is_none();
    is_won.then(|| HangingPiece { before: game.clone(), after })
}
