//! All parts of the contract together.

use crate::{Encoded, Game};

/// A game with all parts of the contract, as every game of the [registry](crate::registry) has them. Commands ask for this;
/// generic code asks for the parts that it uses.
pub trait FullGame: Game + Encoded {}

impl<G: Game + Encoded> FullGame for G {}
