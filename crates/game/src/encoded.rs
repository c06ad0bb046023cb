//! From the name of an encoding to its type, where the game is known.

use crate::{Encoding, Game};

/// A game that networks can play: one that has encodings. The [registry](crate::registry) says which ones.
pub trait Encoded: Game {
    /// A tuple of the game's encodings, its usual one first.
    type Encodings: EncodingList<Self>;
}

/// Some encodings of a game: a tuple of their types.
pub trait EncodingList<G: Game> {
    /// Calls `function` with the encoding of that name; none if it is not in the list.
    fn with<F: EncodingFn<G>>(name: &str, function: F) -> Option<F::Output>;
}

/// A function that is generic over the encodings of one game, which a closure cannot be. Where the game is known by its name
/// only, [`with_encoding!`](crate::with_encoding) does without one.
pub trait EncodingFn<G: Game> {
    /// What it returns.
    type Output;

    /// Calls it.
    fn call<E: Encoding<Game = G>>(self) -> Self::Output;
}

macro_rules! list {
    ($($E:ident)+) => {
        impl<G: Game, $($E: Encoding<Game = G>),+> EncodingList<G> for ($($E,)+) {
            fn with<F: EncodingFn<G>>(name: &str, function: F) -> Option<F::Output> {
                $(if name == $E::NAME {
                    return Some(function.call::<$E>());
                })+
                None
            }
        }
    };
}

list!(A);
list!(A B);
list!(A B C);
list!(A B C D);

#[cfg(test)]
mod tests {
    use crate::chess::Chess;
    use crate::connect4::Connect4;

    use super::*;

    struct Planes;

    impl<G: Game> EncodingFn<G> for Planes {
        type Output = usize;

        fn call<E: Encoding<Game = G>>(self) -> usize {
            E::PLANES
        }
    }

    fn planes<G: Encoded>(encoding: &str) -> Option<usize> {
        G::Encodings::with(encoding, Planes)
    }

    #[test]
    fn a_game_finds_its_own_encodings_and_no_others() {
        assert_eq!(planes::<Chess>("chess/az119"), Some(119));
        assert_eq!(planes::<Chess>("chess/lc0-112"), Some(112));
        assert_eq!(planes::<Connect4>("chess/az119"), None);
        assert_eq!(planes::<Chess>("chess"), None);
    }
}
