//! Random endings: worn-out soldiers around one of the headquarters.

use super::cells::Cell;
use super::position::{FULL_HEALTH, FULL_POINTS, Position, UNITS, Unit};
use crate::Side;

/// The most steps from the headquarters that is fought over.
const NEAR: i32 = 5;

/// A position of the map with one to three soldiers per side, all of them near one headquarters, and all points drawn
/// at random. `None` where there is no room for them. `below` gives a random number smaller than its argument.
pub(super) fn random(map: &Position, below: &mut dyn FnMut(u32) -> u32) -> Option<Position> {
    let mut points = |most: u8| 1 + below(most.into()) as u8;
    let mut position = *map;
    for army in &mut position.armies {
        army.points = points(FULL_POINTS);
        army.units = [Unit::default(); UNITS];
    }
    let fought_over = position.armies[usize::from(points(2)) - 1].headquarters;
    position.mover = if points(2) == 1 { Side::First } else { Side::Second };
    let mut room: Vec<Cell> = map.field.free.iter().filter(|cell| cell.distance(fought_over) <= NEAR).collect();
    for army in &mut position.armies {
        for slot in 0..usize::from(points(UNITS as u8)) {
            let cell = (!room.is_empty()).then(|| room.swap_remove(points(room.len() as u8) as usize - 1))?;
            army.units[slot] = Unit { cell, health: points(FULL_HEALTH) };
        }
    }
    Some(position)
}

#[cfg(test)]
mod tests {
    use crate::endings::Endings;
    use std::collections::HashSet;

    use super::super::{Headquarters, Rules};
    use crate::{Game, Side};

    #[test]
    fn endings_are_possible_varied_and_not_over() {
        let mut state = 1u64;
        let mut below = |limit: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % u64::from(limit)) as u32
        };
        let rules = Rules::default();
        let (mut positions, mut firsts) = (HashSet::new(), 0);
        for _ in 0..1_000 {
            let game = Headquarters::random_ending(&rules, &mut below).unwrap();
            let text = game.position();
            assert_eq!(Headquarters::from_position(&text, &rules).unwrap().position(), text);
            assert!(game.outcome().is_none(), "{text}");
            firsts += u32::from(game.side() == Side::First);
            positions.insert(text);
        }
        assert!(positions.len() > 990, "{}", positions.len());
        assert!((430..570).contains(&firsts), "{firsts}");
        assert!(Headquarters::random_ending(&rules, &mut |_| 0).is_some(), "broken random numbers");
    }
}
