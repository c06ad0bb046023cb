//! The turns that are worth looking at: the promising-actions filter of Gutiérrez Utande (2017).
//!
//! All orders of three soldiers make more than 15,000 turns. The filter keeps the few best orders of each soldier,
//! scored independently of the others, and combines them.

use std::cmp::Reverse;

use arrayvec::ArrayVec;

use super::cells::Cells;
use super::moves::{Action, Move, Order};
use super::position::{Position, UNITS};
use crate::Turn;

/// The most orders of a soldier: 25 cells to go to, twelve places beside three enemies, one headquarters.
const MOST_ORDERS: usize = 38;

/// Scores in tenths: attacks and captures come before everything else, …
const ACTS: u32 = 10;
/// … then places on the own headquarters, for each enemy that could go there, …
const GUARDS: u32 = 1;
/// … and places near the own soldiers, for each that could go there.
const COVERS: u32 = 1;

/// Puts into `turns` all combinations of the `keep` best orders of each soldier, with the soldiers in the order of their
/// numbers and the best orders first. There is always at least one turn. The game must not be over.
pub(super) fn promising(position: &Position, keep: usize, turns: &mut Vec<Turn<Move>>) {
    let own: ArrayVec<Cells, UNITS> = position.own().living().map(|(_, unit)| position.reach(unit)).collect();
    let home = position.own().headquarters;
    let raiders = position.other().living().filter(|(_, unit)| position.reach(unit).contains(home)).count();
    let score = |order: &Order| {
        let acts = ACTS * u32::from(order.action != Action::Wait);
        let guards = if order.to == home { GUARDS * raiders as u32 } else { 0 };
        // Paths are symmetric: a soldier can go to where it could come from.
        acts + guards + COVERS * own.iter().filter(|reach| reach.contains(order.to)).count() as u32
    };
    let goal = position.other().headquarters;
    // Ties: first those that advance, as in Gutiérrez Utande's filter, then in the order in which the mover sees them
    // from its own corner, so that both sides have the same turns.
    let rank = |order: &Order| {
        let action = position.seen_action(order.action).number();
        (Reverse(score(order)), order.to.distance(goal), position.seen(order.to), action)
    };
    let mut kept: ArrayVec<ArrayVec<Order, MOST_ORDERS>, UNITS> = ArrayVec::new();
    for slot in position.idle() {
        let mut orders = ArrayVec::<_, MOST_ORDERS>::new();
        position.orders(slot, |order| orders.push((rank(&order), order)));
        orders.sort_unstable_by_key(|(rank, _)| *rank);
        kept.push(orders.into_iter().take(keep.max(1)).map(|(_, order)| order).collect());
    }
    combine(position, &kept, Turn::default(), turns);
}

/// Goes through the orders of the first soldier, and for each through those of the others. Orders that an earlier one has
/// made impossible (the cell is taken, the target has fallen) are left out; a soldier with none left does nothing.
fn combine(position: &Position, kept: &[ArrayVec<Order, MOST_ORDERS>], turn: Turn<Move>, turns: &mut Vec<Turn<Move>>) {
    let Some((orders, rest)) = kept.split_first() else { return };
    let begun = turns.len();
    for order in orders {
        // Soldiers do not block each other's way, so what could be reached still can.
        if !position.has_room(order.slot, order.to) || !position.allows(order.to, order.action) {
            continue;
        }
        let m = Move::from(*order);
        let mut after = *position;
        let ends = after.play(m);
        if ends || after.beaten().is_some() {
            turns.push(turn.then(m));
        } else if rest.is_empty() {
            turns.push(turn.then(m).then(Move::END));
        } else {
            combine(&after, rest, turn.then(m), turns);
        }
    }
    if turns.len() == begun {
        match rest {
            [] => turns.push(turn.then(Move::END)),
            _ => combine(position, rest, turn, turns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Headquarters, Rules};
    use super::*;
    use crate::Game;
    use crate::endings::Endings;
    use crate::examples::Examples;
    use crate::turn::Turns;

    fn position(text: &str) -> Headquarters {
        Headquarters::from_position(text, &Rules::default()).unwrap()
    }

    fn texts(game: &Headquarters, keep: usize) -> Vec<String> {
        let mut turns = Vec::new();
        assert_eq!(game.turns(keep, &mut turns), None);
        let text = |turn: &Turn<Move>| {
            let mut game = game.clone();
            let text = |m| {
                let text = game.move_text(m);
                game.play(m);
                text
            };
            turn.moves().map(text).collect::<Vec<_>>().join(" ")
        };
        turns.iter().map(text).collect()
    }

    #[test]
    fn variations_are_powers() {
        // Far apart, so that no two orders are in each other's way.
        let game = position("15/15/15/15/15/15/15/15/15/15 a5:20,a1:10,h1:10,o1:10 o6:20,a10:10,h10:10,o10:10 red 1");
        for keep in 1..=5 {
            let mut turns = texts(&game, keep);
            assert_eq!(turns.len(), keep.pow(3));
            turns.sort_unstable();
            turns.dedup();
            assert_eq!(turns.len(), keep.pow(3), "they are distinct");
        }
        let two = position("15/15/15/15/15/15/15/15/15/15 a5:20,a1:10,-,o1:10 o6:20,a10:10,h10:10 red 1");
        assert_eq!(texts(&two, 4).len(), 16);
    }

    #[test]
    fn attacks_and_captures_come_first_then_guards_then_company() {
        // The soldier can stay on the enemy's headquarters, or attack beside it.
        let raid = position("15/15/15/15/15/15/15/15/15/15 a1:20,m8:10 m8:20,m9:10 red 1");
        let turns = texts(&raid, 6);
        assert_eq!(turns[..2], ["m8-m8xm9", "m8-m8!"], "{turns:?}");
        assert!(turns[..5].iter().all(|turn| turn.contains(['x', '!'])) && turns[5] == "m8-m8", "{turns:?}");
        // Both enemies threaten the headquarters.
        let home = position("15/15/15/15/15/15/15/15/15/15 c3:20,e3:10 o1:20,c6:10,a2:10 red 1");
        assert_eq!(texts(&home, 1), ["e3-c3"]);
        // No enemy can come: forward, but where the other one could follow.
        let pair = position("15/15/15/15/15/15/15/15/15/15 a1:20,a2:10,b2:10 o10:20,o1:10 red 1");
        assert_eq!(texts(&pair, 2), ["a2-d2 b2-c3", "a2-c3 b2-d2"]);
    }

    #[test]
    fn impossible_combinations_are_left_out() {
        // Both could kill the same enemy.
        let kill = position("15/15/15/15/15/15/15/15/15/15 a1:20,g5:10,g7:10 o10:20,g6:3,o9:10 red 1");
        for turn in texts(&kill, 3) {
            assert!(turn.matches("xg6").count() <= 1, "{turn}");
        }
        // With one order each, the second soldier's is gone: the turn ends without it.
        let turns = texts(&kill, 1);
        assert_eq!((turns.len(), turns[0].ends_with(" end")), (1, true), "{turns:?}");
    }

    #[test]
    fn a_turn_that_wins_stops_there() {
        let win = position("15/15/15/15/15/15/15/15/15/15 a1:20,m8:10,a2:10,a3:10 m8:9,o1:10 red 1");
        let turns = texts(&win, 4);
        assert_eq!(turns.iter().filter(|turn| turn.as_str() == "m8-m8!").count(), 1, "{turns:?}");
    }

    #[test]
    fn both_sides_have_the_same_turns() {
        let mut state = 1u64;
        let mut below = |limit: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % u64::from(limit)) as u32
        };
        let (mut turns, mut swapped) = (Vec::new(), Vec::new());
        for _ in 0..200 {
            let game = Headquarters::random_ending(&Rules::default(), &mut below).unwrap();
            let twin = game.swapped().unwrap();
            game.turns(4, &mut turns);
            twin.turns(4, &mut swapped);
            let turned = |m: Move| match m.order() {
                None => m,
                Some(Order { slot, to, action }) => {
                    let to = game.position.field.turned(to).unwrap();
                    Order { slot, to, action: action.turned() }.into()
                }
            };
            let expected: Vec<Vec<Move>> = turns.iter().map(|turn| turn.moves().map(turned).collect()).collect();
            let found: Vec<Vec<Move>> = swapped.iter().map(|turn| turn.moves().collect()).collect();
            assert_eq!(found, expected, "{}", game.position());
        }
    }
}
