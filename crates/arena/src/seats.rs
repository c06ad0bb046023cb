//! Which sides the user plays.

use alfil_core::wording::{did_you_mean, shorten};
use alfil_game::{FullGame, Side};

/// Which sides the user plays. The engine has the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserSides {
    /// By side, the first before the second.
    user: [bool; 2],
}

/// A text that names no side.
#[derive(Debug, thiserror::Error)]
#[error("{game} has no side '{text}'{nearest}: use {}, {}, both or none", sides[0], sides[1])]
pub struct SideError {
    game: &'static str,
    text: String,
    nearest: String,
    sides: [&'static str; 2],
}

impl UserSides {
    /// A side's name in the game, `both` or `none`.
    pub fn read<G: FullGame>(text: &str) -> Result<UserSides, SideError> {
        let [first, second] = G::SIDES;
        let user = match text.to_lowercase().as_str() {
            "both" => [true, true],
            "none" => [false, false],
            name if name == first => [true, false],
            name if name == second => [false, true],
            name => {
                let nearest = did_you_mean(name, [first, second, "both", "none"]);
                return Err(SideError { game: G::NAME, text: shorten(text), nearest, sides: G::SIDES });
            }
        };
        Ok(UserSides { user })
    }

    /// Whether the user moves for a side.
    pub fn is_user(self, side: Side) -> bool {
        self.user[side as usize]
    }

    /// Whether the user only watches.
    pub fn is_empty(self) -> bool {
        self.user == [false, false]
    }
}

#[cfg(test)]
mod tests {
    use alfil_game::chess::Chess;

    use super::*;

    #[test]
    fn sides_have_the_names_that_the_game_gives_them() {
        let seats = UserSides::read::<Chess>("Black").unwrap();
        assert!(seats.is_user(Side::Second) && !seats.is_user(Side::First) && !seats.is_empty());
        assert!(UserSides::read::<Chess>("none").unwrap().is_empty());
        let typo = UserSides::read::<Chess>("wihte").unwrap_err().to_string();
        assert_eq!(typo, "chess has no side 'wihte' (did you mean white?): use white, black, both or none");
        assert!(UserSides::read::<Chess>(&"x".repeat(9999)).unwrap_err().to_string().len() < 150);
    }
}
