//! Moves as text.

use std::fmt::Write;

use super::cells::Cell;
use super::moves::{Action, Move, Order};
use super::position::Position;
use crate::MoveError;

pub(super) fn write(position: &Position, m: Move) -> String {
    let Some(Order { slot, to, action }) = m.order() else { return "end".to_owned() };
    let mut text = format!("{}-{to}", position.own().units[slot].cell);
    match action {
        Action::Wait => {}
        Action::Capture => text.push('!'),
        Action::Attack(direction) => {
            if let Some(target) = to.neighbour(direction) {
                let _ = write!(text, "x{target}");
            }
        }
    }
    text
}

/// Reads `FROM-TO`, `FROM-TOxTARGET`, `FROM-TO!` and `end`. `FROM-` may be left out if only one soldier can do it.
pub(super) fn parse(position: &Position, text: &str) -> Result<Move, MoveError> {
    let malformed = || MoveError::Malformed {
        text: text.to_owned(),
        expected: "a move such as c2-e3, c2-e3xe4 (attack), c2-m8! (capture), or end",
    };
    let cell = |text: &str| Cell::parse(text).ok_or_else(malformed);
    let mut moves = Vec::new();
    position.generate(&mut moves);
    if text == "end" {
        moves.retain(|m| *m == Move::END);
    } else {
        let (way, capture) = text.strip_suffix('!').map_or((text, false), |way| (way, true));
        let (way, target) = match way.split_once('x') {
            Some((way, target)) if !capture => (way, Some(cell(target)?)),
            _ => (way, None),
        };
        let (from, to) = match way.split_once('-') {
            Some((from, to)) => (Some(cell(from)?), cell(to)?),
            None => (None, cell(way)?),
        };
        let is_meant = |order: Order| {
            order.to == to
                && from.is_none_or(|from| position.own().units[order.slot].cell == from)
                && match order.action {
                    Action::Wait => !capture && target.is_none(),
                    Action::Capture => capture,
                    Action::Attack(direction) => target.is_some() && to.neighbour(direction) == target,
                }
        };
        moves.retain(|m| m.order().is_some_and(is_meant));
    }
    match moves[..] {
        [m] => Ok(m),
        [] => Err(MoveError::Illegal(text.to_owned())),
        _ => Err(MoveError::Ambiguous(text.to_owned())),
    }
}
