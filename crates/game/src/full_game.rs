//! All parts of the contract together.

use crate::{Encoded, Endings, Estimates, Examples, Game, Notation, Pictures, References, Turns};

/// A game with all parts of the contract, as every game of the [registry](crate::registry) has them. Each part has defaults: a
/// game that has nothing of the kind writes `impl Estimates for Nim {}`. Commands ask for all parts; generic code asks for those
/// that it uses.
pub trait FullGame: Game + Notation + Estimates + Pictures + Turns + Endings + References + Examples + Encoded {}

impl<G> FullGame for G where
    G: Game + Notation + Estimates + Pictures + Turns + Endings + References + Examples + Encoded
{
}
