//! The estimate of Gutiérrez Utande (2017): points of the headquarters, distances to the enemy's, health of the
//! soldiers.

use super::position::{Army, Position, Unit};
use crate::Knowledge;

/// How much each term counts. Gutiérrez Utande has 1 for all, and suggests other weights for another style of play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Weights {
    /// A point of a headquarters.
    pub headquarters: i32,
    /// A step of a soldier from the enemy's headquarters.
    pub distance: i32,
    /// A point of a soldier's health.
    pub health: i32,
}

impl Default for Weights {
    fn default() -> Weights {
        Weights { headquarters: 1, distance: 1, health: 1 }
    }
}

/// What Gutiérrez Utande counts as 1, in hundredths of a soldier of 10 points.
const POINT: i32 = 10;

/// The estimate as the side to move sees it, in hundredths of a soldier. Material is the soldiers' health.
pub(super) fn evaluate(position: &Position, weights: &Weights, knowledge: Knowledge) -> i32 {
    let (own, other) = (position.own(), position.other());
    let mut points = weights.health * (health(own) - health(other));
    if knowledge == Knowledge::Full {
        points += weights.headquarters * (i32::from(own.points) - i32::from(other.points));
        points += weights.distance * (way(position, other, own) - way(position, own, other));
    }
    POINT * points
}

/// What an order that kills wins at once: the rest of the target's health. Other attacks also cost the attacker health.
pub(super) fn kill(weights: &Weights, health: u8) -> i32 {
    POINT * weights.health * i32::from(health)
}

fn health(army: &Army) -> i32 {
    army.units.iter().map(|unit| i32::from(unit.health)).sum()
}

/// Steps of all soldiers to the other side's headquarters, as if there were no obstacles. A fallen one counts as the
/// longest way on the map, so that losing soldiers never brings a side nearer.
fn way(position: &Position, army: &Army, other: &Army) -> i32 {
    let longest = i32::from(position.field.width) + i32::from(position.field.height) - 2;
    let way = |unit: &Unit| if unit.is_alive() { unit.cell.distance(other.headquarters) } else { longest };
    army.units.iter().map(way).sum()
}
