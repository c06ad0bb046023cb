//! The one list of games. Everything else is generic, and goes from a name to a type here: [`with_game!`] and
//! [`with_encoding!`] evaluate an expression with the type that has a name, [`for_each_game!`] and [`for_each_encoding!`]
//! with every type.
//!
//! ```
//! use alfil_game::{Game, with_game};
//!
//! fn first_moves<G: Game>() -> usize {
//!     let mut moves = Vec::new();
//!     G::new(&G::Rules::default()).generate(&mut moves);
//!     moves.len()
//! }
//! assert_eq!(with_game!("chess", G => first_moves::<G>()), Ok(20));
//! ```
//!
//! [`with_game!`]: crate::with_game
//! [`with_encoding!`]: crate::with_encoding
//! [`for_each_game!`]: crate::for_each_game
//! [`for_each_encoding!`]: crate::for_each_encoding

use alfil_core::wording::{did_you_mean, shorten};

/// The games, each with its encodings, its usual one first. Hands them to the macro `$then`, before its other arguments.
#[doc(hidden)]
#[macro_export]
macro_rules! registered_games {
    ($then:ident $($arguments:tt)*) => {
        $crate::$then! {
            $crate::chess::Chess: $crate::chess::Az21, $crate::chess::Az119, $crate::chess::Attacks, $crate::chess::Lc0;
            $crate::hexchess::HexChess: $crate::hexchess::Grid;
            $crate::connect4::Connect4: $crate::connect4::Stones;
            $crate::tictactoe::TicTacToe: $crate::tictactoe::Stones;
            $crate::headquarters::Headquarters: $crate::headquarters::Grid;
            $crate::nim::Nim: $crate::nim::Heaps;
            => $($arguments)*
        }
    };
}

/// The game if none is named: the first of the list.
pub const DEFAULT: &str = NAMES[0];

/// The games' names.
pub fn names() -> &'static [&'static str] {
    NAMES
}

/// No game has that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no game '{}'{}: the games are {}", shorten(name), did_you_mean(name, names().iter().copied()), names().join(", "))]
pub struct UnknownGame {
    #[doc(hidden)]
    pub name: String,
}

/// No encoding has that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no encoding '{}': see alfil game list", shorten(name))]
pub struct UnknownEncoding {
    #[doc(hidden)]
    pub name: String,
}

/// `with_game!(name, G => expression)`: the value of an expression in which `G` is the game with that name, or
/// [`UnknownGame`](crate::registry::UnknownGame).
#[macro_export]
macro_rules! with_game {
    ($name:expr, $G:ident => $value:expr) => {
        $crate::registered_games!(match_game $name, $G => $value)
    };
}

/// `with_encoding!(name, E => expression)`: the value of an expression in which `E` is the encoding with that name, or
/// [`UnknownEncoding`](crate::registry::UnknownEncoding).
#[macro_export]
macro_rules! with_encoding {
    ($name:expr, $E:ident => $value:expr) => {
        $crate::registered_games!(match_encoding $name, $E => $value)
    };
}

/// `for_each_game!(G => expression)`: evaluates an expression for each game `G`, in the order of the list.
#[macro_export]
macro_rules! for_each_game {
    ($G:ident => $value:expr) => {
        $crate::registered_games!(each_game $G => $value)
    };
}

/// `for_each_encoding!(E => expression)`: evaluates an expression for each encoding `E` of each game, in the order of the list.
#[macro_export]
macro_rules! for_each_encoding {
    ($E:ident => $value:expr) => {
        $crate::registered_games!(each_encoding $E => $value)
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! match_game {
    ($($game:ty: $($encoding:ty),+;)+ => $name:expr, $G:ident => $value:expr) => {
        match AsRef::<str>::as_ref($name) {
            $(<$game as $crate::Game>::NAME => {
                type $G = $game;
                Ok($value)
            })+
            name => Err($crate::registry::UnknownGame { name: name.to_owned() }),
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! match_encoding {
    ($($game:ty: $($encoding:ty),+;)+ => $name:expr, $E:ident => $value:expr) => {
        match AsRef::<str>::as_ref($name) {
            $($(<$encoding as $crate::Encoding>::NAME => {
                type $E = $encoding;
                Ok($value)
            })+)+
            name => Err($crate::registry::UnknownEncoding { name: name.to_owned() }),
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! each_game {
    ($($game:ty: $($encoding:ty),+;)+ => $G:ident => $value:expr) => {
        $({
            type $G = $game;
            $value;
        })+
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! each_encoding {
    ($($game:ty: $($encoding:ty),+;)+ => $E:ident => $value:expr) => {
        $($({
            type $E = $encoding;
            $value;
        })+)+
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! register {
    ($($game:ty: $($encoding:ty),+;)+ =>) => {
        const NAMES: &[&str] = &[$(<$game as $crate::Game>::NAME),+];

        $(impl $crate::Encoded for $game {
            type Encodings = ($($encoding,)+);
        })+
    };
}

registered_games!(register);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Encoding, Game};

    #[test]
    fn games_are_found_by_name_and_near_misses_are_named() {
        assert_eq!(with_game!("chess", G => G::TITLE).unwrap(), "chess and Chess960");
        assert_eq!(
            with_game!("conect4", G => G::TITLE).unwrap_err().to_string(),
            "there is no game 'conect4' (did you mean connect4?): the games are chess, hexchess, connect4, tictactoe, headquarters, nim"
        );
        assert_eq!(with_encoding!("chess/az119", E => E::PLANES).unwrap(), 119);
        assert_eq!(
            with_encoding!("chess/az120", E => E::PLANES).unwrap_err().to_string(),
            "there is no encoding 'chess/az120': see alfil game list"
        );
    }

    #[test]
    fn every_encoding_is_named_after_its_game() {
        let mut seen = 0;
        for_each_encoding!(E => {
            assert!(E::NAME.starts_with(&format!("{}/", <E as Encoding>::Game::NAME)), "{}", E::NAME);
            seen += 1;
        });
        assert!(seen >= names().len());
    }
}
