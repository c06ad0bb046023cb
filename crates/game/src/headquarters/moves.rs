//! A move in 16 bits.

use super::cells::{CELLS, Cell, Direction};
use super::position::UNITS;
use crate::MoveError;

/// What a soldier does where it has gone to. The numbers are part of the moves' codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Wait,
    Attack(Direction),
    Capture,
}

/// Kinds of action, with the four directions of an attack counted separately.
pub(super) const ACTIONS: usize = 6;

impl Action {
    pub fn number(self) -> usize {
        match self {
            Action::Wait => 0,
            Action::Attack(direction) => 1 + direction as usize,
            Action::Capture => 5,
        }
    }

    pub fn at(number: usize) -> Action {
        match number {
            0 => Action::Wait,
            1..=4 => Action::Attack(Direction::ALL[number - 1]),
            _ => Action::Capture,
        }
    }

    /// The action as it looks with the board turned by 180 degrees.
    pub fn turned(self) -> Action {
        match self {
            Action::Attack(direction) => Action::Attack(direction.opposite()),
            other => other,
        }
    }
}

/// An order to one soldier: where to go, and what to do there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Order {
    /// Which of the mover's soldiers.
    pub slot: usize,
    pub to: Cell,
    pub action: Action,
}

/// A move: an order to one soldier, or the end of the turn.
///
/// An order's code is (cell x 3 + soldier) x 6 + action, with cells counted row by row from the bottom left in rows of 15
/// and the actions wait, attack up, right, down, left, capture. The end of the turn is 2,700.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u16);

impl Move {
    /// No more orders this turn.
    pub const END: Move = Move((CELLS * UNITS * ACTIONS) as u16);

    pub(super) fn order(self) -> Option<Order> {
        let code = usize::from(self.0);
        let to = Cell::at(code / (UNITS * ACTIONS))?;
        Some(Order { slot: code / ACTIONS % UNITS, to, action: Action::at(code % ACTIONS) })
    }
}

impl From<Order> for Move {
    fn from(order: Order) -> Move {
        Move(((order.to.index() * UNITS + order.slot) * ACTIONS + order.action.number()) as u16)
    }
}

impl From<Move> for u16 {
    fn from(m: Move) -> u16 {
        m.0
    }
}

impl TryFrom<u16> for Move {
    type Error = MoveError;

    fn try_from(code: u16) -> Result<Move, MoveError> {
        if code <= Move::END.0 { Ok(Move(code)) } else { Err(MoveError::Illegal(code.to_string())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_orders_are_the_same_thing() {
        for code in 0..2_700 {
            assert_eq!(Move::from(Move(code).order().unwrap()), Move(code));
        }
        assert_eq!((u16::from(Move::END), Move::END.order()), (2_700, None));
        assert!(Move::try_from(2_701).is_err());
    }
}
