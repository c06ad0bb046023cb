//! The one list of games. Everything else is generic and finds games by their name here.

use crate::{Encoding, Game};
use alfil_core::wording::{did_you_mean, shorten};

/// The game where none is named: the first of the list.
pub const DEFAULT: &str = NAMES[0];

/// The games' names.
pub fn names() -> &'static [&'static str] {
    NAMES
}

/// Something to be done with a game chosen at run time.
pub trait GameVisitor {
    /// What comes of it.
    type Output;
    /// Does it.
    fn visit<G: Game>(self) -> Self::Output;
}

/// Something to be done with each encoding of a game chosen at run time.
pub trait EncodingVisitor {
    /// Does it.
    fn visit<E: Encoding>(&mut self);
}

/// Something to be done with an encoding chosen at run time.
pub trait EncodingTask {
    /// What comes of it.
    type Output;
    /// Does it.
    fn run<E: Encoding>(self) -> Self::Output;
}

/// No encoding has that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no encoding '{}': see alfil game list", shorten(name))]
pub struct UnknownEncoding {
    name: String,
}

/// No game has that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no game '{}'{}: the games are {}", shorten(name), did_you_mean(name, names().iter().copied()), names().join(", "))]
pub struct UnknownGame {
    name: String,
}

macro_rules! games {
    ($($game:ty: $($encoding:ty),+;)+) => {
        const NAMES: &[&str] = &[$(<$game>::NAME),+];

        /// Lets `visitor` see the game with that name.
        pub fn with_game<V: GameVisitor>(name: &str, visitor: V) -> Result<V::Output, UnknownGame> {
            match name {
                $(<$game>::NAME => Ok(visitor.visit::<$game>()),)+
                _ => Err(UnknownGame { name: name.to_owned() }),
            }
        }

        /// Lets `visitor` see each encoding of the game with that name.
        pub fn with_encodings(name: &str, visitor: &mut impl EncodingVisitor) -> Result<(), UnknownGame> {
            match name {
                $(<$game>::NAME => {
                    $(visitor.visit::<$encoding>();)+
                    Ok(())
                })+
                _ => Err(UnknownGame { name: name.to_owned() }),
            }
        }

        /// Runs `task` with the encoding of that name.
        pub fn with_encoding<T: EncodingTask>(name: &str, task: T) -> Result<T::Output, UnknownEncoding> {
            match name {
                $($(<$encoding>::NAME => Ok(task.run::<$encoding>()),)+)+
                _ => Err(UnknownEncoding { name: name.to_owned() }),
            }
        }
    };
}

games! {
    crate::chess::Chess: crate::chess::Az21, crate::chess::Az119, crate::chess::Lc0;
    crate::hexchess::HexChess: crate::hexchess::Grid;
    crate::connect4::Connect4: crate::connect4::Stones;
    crate::tictactoe::TicTacToe: crate::tictactoe::Stones;
    crate::headquarters::Headquarters: crate::headquarters::Grid;
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Title;
    impl GameVisitor for Title {
        type Output = &'static str;
        fn visit<G: Game>(self) -> &'static str {
            G::TITLE
        }
    }

    #[test]
    fn games_are_found_by_name_and_near_misses_are_named() {
        assert_eq!(with_game("chess", Title).unwrap(), "chess and Chess960");
        assert_eq!(
            with_game("conect4", Title).unwrap_err().to_string(),
            "there is no game 'conect4' (did you mean connect4?): the games are chess, hexchess, connect4, tictactoe, headquarters"
        );
    }

    #[test]
    fn every_encoding_belongs_to_its_game() {
        struct Check(&'static str);
        impl EncodingVisitor for Check {
            fn visit<E: Encoding>(&mut self) {
                assert_eq!(E::Game::NAME, self.0);
                assert!(E::NAME.starts_with(&format!("{}/", self.0)), "{}", E::NAME);
            }
        }
        for name in names() {
            with_encodings(name, &mut Check(name)).unwrap();
        }
    }
}
