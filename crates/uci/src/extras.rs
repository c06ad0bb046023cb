//! What the engine can do in some games only.

use std::any::Any;

use alfil_game::{FullGame, RulesError};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::chess::ChessExtras;
use crate::options::Options;
use crate::voice::Voice;

/// What the engine can do in one game and not in all of them. Most games have nothing of the kind.
pub(crate) trait Extras<G: FullGame>: Send {
    /// The special options of the game, by name.
    fn options(&self) -> &'static [&'static str] {
        &[]
    }

    /// The rules that the options ask for.
    fn rules(&self, options: &Options) -> Result<G::Rules, RulesError> {
        G::rules(&options.rules)
    }

    /// Opens the files that the options name. What cannot be had is said, and done without.
    fn prepare(&mut self, options: &Options, voice: &Voice) {
        let _ = (options, voice);
    }

    /// A move that is known without thinking about it, having said where it comes from.
    fn known_move(&mut self, game: &G, random: &mut Xoshiro256PlusPlus, voice: &Voice) -> Option<G::Move> {
        let _ = (game, random, voice);
        None
    }
}

struct Plain;

impl<G: FullGame> Extras<G> for Plain {}

/// The extras of a game.
pub(crate) fn extras<G: FullGame>() -> Box<dyn Extras<G>> {
    let chess: Box<dyn Extras<_>> = Box::<ChessExtras>::default();
    // Of the type that is asked for exactly if that is the game.
    let found: Box<dyn Any> = Box::new(chess);
    found.downcast::<Box<dyn Extras<G>>>().map_or_else(|_| Box::new(Plain) as Box<dyn Extras<G>>, |extras| *extras)
}
