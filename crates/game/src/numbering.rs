//! The numbers of moves in a game's record.

use std::fmt;

use crate::{Notation, Side};

/// Counts moves as people do: the first player's turn and the second's after it have one number, however many moves a turn has.
///
/// ```
/// use alfil_game::{Game, MoveNumbers, Side, chess::Chess};
///
/// let mut numbers = MoveNumbers::of(&Chess::new(&Default::default()));
/// let written = [Side::First, Side::First, Side::Second, Side::First].map(|side| numbers.next(side));
/// assert_eq!(written.map(|number| number.to_string()), ["1.", "1.", "1...", "2."]);
/// assert_eq!(written.map(|number| number.begins), [true, false, false, true]);
/// ```
#[derive(Clone, Debug)]
pub struct MoveNumbers {
    number: u32,
    last: Option<Side>,
}

/// The number of a move, written as `12.`, or `12...` for the second player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveNumber {
    number: u32,
    side: Side,
    /// Whether the number is new to the reader: at the beginning of the first player's turn, and of the game.
    pub begins: bool,
}

impl MoveNumbers {
    /// Counts the moves of a game that begins here.
    pub fn of<G: Notation>(start: &G) -> MoveNumbers {
        MoveNumbers { number: start.move_number(), last: None }
    }

    /// The number of the next move, which is one of `side`.
    pub fn next(&mut self, side: Side) -> MoveNumber {
        let turn_begins = side == Side::First && self.last == Some(Side::Second);
        // The first number comes from a text and may be the largest of its type.
        self.number = self.number.saturating_add(turn_begins.into());
        let begins = turn_begins || self.last.is_none();
        self.last = Some(side);
        MoveNumber { number: self.number, side, begins }
    }
}

impl fmt::Display for MoveNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.number, if self.side == Side::First { "." } else { "..." })
    }
}
