//! What stands where, and what orders do to it.

use super::cells::{Cell, Cells, Direction};
use super::moves::{Action, Move, Order};
use crate::Side;

/// The most soldiers of a side.
pub(super) const UNITS: usize = 3;

/// A soldier's health at the start; it never rises.
pub(super) const FULL_HEALTH: u8 = 10;

/// A headquarters' points at the start; they never rise.
pub(super) const FULL_POINTS: u8 = 20;

/// The most steps of a soldier in a turn.
const STEPS: u32 = 3;

/// The size of the map, and the cells of it that can be walked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub width: u8,
    pub height: u8,
    pub free: Cells,
}

impl Field {
    /// Where a cell lies with the map turned by 180 degrees.
    pub fn turned(&self, cell: Cell) -> Option<Cell> {
        let (width, height) = (usize::from(self.width), usize::from(self.height));
        Cell::new(width.checked_sub(cell.x() + 1)?, height.checked_sub(cell.y() + 1)?)
    }
}

/// A soldier. A fallen one has health 0, and cell 0 so that equal positions compare equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Unit {
    pub cell: Cell,
    pub health: u8,
}

impl Unit {
    pub fn is_alive(&self) -> bool {
        self.health > 0
    }

    /// What its attack takes from another: half its health, but at least 1, or fights might not end.
    pub fn strength(&self) -> u8 {
        (self.health / 2).max(1)
    }

    fn suffer(&mut self, damage: u8) {
        self.health = self.health.saturating_sub(damage);
        if self.health == 0 {
            *self = Unit::default();
        }
    }
}

/// All that a side has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Army {
    /// Where the headquarters stands.
    pub headquarters: Cell,
    /// The points that the headquarters has left.
    pub points: u8,
    pub units: [Unit; UNITS],
}

impl Army {
    /// The living soldiers with their numbers.
    pub fn living(&self) -> impl Iterator<Item = (usize, &Unit)> {
        self.units.iter().enumerate().filter(|(_, unit)| unit.is_alive())
    }

    /// The number of the soldier on this cell.
    pub fn at(&self, cell: Cell) -> Option<usize> {
        self.living().find(|(_, unit)| unit.cell == cell).map(|(slot, _)| slot)
    }

    pub fn is_beaten(&self) -> bool {
        self.points == 0 || self.living().next().is_none()
    }
}

/// A position: all that the rules look at, except the number of the turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub field: Field,
    /// The first player's, then the other's.
    pub armies: [Army; 2],
    pub mover: Side,
    /// A bit for each of the mover's soldiers that has had its order this turn. Fallen ones have none.
    pub acted: u8,
}

impl Position {
    pub fn army(&self, side: Side) -> &Army {
        &self.armies[side as usize]
    }

    pub fn own(&self) -> &Army {
        self.army(self.mover)
    }

    pub fn other(&self) -> &Army {
        self.army(!self.mover)
    }

    pub fn has_acted(&self, slot: usize) -> bool {
        self.acted >> slot & 1 == 1
    }

    /// Who has lost, and why, if the game is over.
    pub fn beaten(&self) -> Option<(Side, &'static str)> {
        let side = [Side::First, Side::Second].into_iter().find(|side| self.army(*side).is_beaten())?;
        Some((side, if self.army(side).points == 0 { "headquarters taken" } else { "no soldiers left" }))
    }

    /// The mover's soldiers that can still be given an order.
    pub fn idle(&self) -> impl Iterator<Item = usize> {
        self.own().living().map(|(slot, _)| slot).filter(|slot| !self.has_acted(*slot))
    }

    /// The cells that a soldier can walk to: obstacles are in its way, other soldiers are not.
    pub fn reach(&self, unit: &Unit) -> Cells {
        Cells::within(unit.cell, STEPS, &self.field.free)
    }

    /// Whether no soldier stands on the cell except this one of the mover.
    pub fn has_room(&self, slot: usize, cell: Cell) -> bool {
        self.own().at(cell).is_none_or(|other| other == slot) && self.other().at(cell).is_none()
    }

    /// Whether the action has a target on or beside the cell.
    pub fn allows(&self, to: Cell, action: Action) -> bool {
        match action {
            Action::Wait => true,
            Action::Attack(direction) => to.neighbour(direction).is_some_and(|cell| self.other().at(cell).is_some()),
            Action::Capture => to == self.other().headquarters,
        }
    }

    /// Calls `see` with every order that one of the mover's soldiers could be given.
    pub fn orders(&self, slot: usize, mut see: impl FnMut(Order)) {
        for to in self.reach(&self.own().units[slot]).iter().filter(|to| self.has_room(slot, *to)) {
            let attacks = Direction::ALL.map(Action::Attack);
            for action in [Action::Wait].into_iter().chain(attacks).chain([Action::Capture]) {
                if self.allows(to, action) {
                    see(Order { slot, to, action });
                }
            }
        }
    }

    pub fn generate(&self, moves: &mut Vec<Move>) {
        moves.clear();
        if self.beaten().is_none() {
            for slot in self.idle() {
                self.orders(slot, |order| moves.push(order.into()));
            }
            moves.push(Move::END);
        }
    }

    pub fn is_legal(&self, m: Move) -> bool {
        self.beaten().is_none()
            && m.order().is_none_or(|Order { slot, to, action }| {
                self.idle().any(|idle| idle == slot)
                    && self.has_room(slot, to)
                    && self.allows(to, action)
                    && self.reach(&self.own().units[slot]).contains(to)
            })
    }

    /// Plays a legal move and returns whether it ends the turn.
    pub fn play(&mut self, m: Move) -> bool {
        if let Some(order) = m.order() {
            self.carry_out(order);
        }
        let ends = m == Move::END || self.idle().next().is_none();
        if ends {
            self.mover = !self.mover;
            self.acted = 0;
        }
        ends
    }

    fn carry_out(&mut self, Order { slot, to, action }: Order) {
        let (own, other) = (self.mover as usize, !self.mover as usize);
        let mut unit = Unit { cell: to, ..self.armies[own].units[slot] };
        match action {
            Action::Wait => {}
            Action::Capture => {
                let points = &mut self.armies[other].points;
                *points = points.saturating_sub(unit.health);
            }
            Action::Attack(direction) => {
                let target = to.neighbour(direction).and_then(|cell| self.armies[other].at(cell));
                if let Some(target) = target.map(|target| &mut self.armies[other].units[target]) {
                    target.suffer(unit.strength());
                    if target.is_alive() {
                        unit.suffer(target.strength());
                    }
                }
            }
        }
        self.armies[own].units[slot] = unit;
        if unit.is_alive() {
            self.acted |= 1 << slot;
        }
    }

    /// A cell as the mover sees it, for the second side with the map turned by 180 degrees. It is its own inverse.
    pub fn seen(&self, cell: Cell) -> Cell {
        match self.mover {
            Side::First => cell,
            Side::Second => self.field.turned(cell).unwrap_or(cell),
        }
    }

    /// An action as the mover sees it. It is its own inverse.
    pub fn seen_action(&self, action: Action) -> Action {
        match self.mover {
            Side::First => action,
            Side::Second => action.turned(),
        }
    }

    /// The map turned by 180 degrees and the armies exchanged.
    pub fn swapped(&self) -> Position {
        let mut swapped = self.mapped(|cell| self.field.turned(cell).unwrap_or(cell));
        swapped.armies.swap(0, 1);
        swapped.mover = !self.mover;
        swapped
    }

    /// The map with its top row at the bottom.
    pub fn mirrored(&self) -> Position {
        let top = usize::from(self.field.height) - 1;
        self.mapped(|cell| Cell::new(cell.x(), top.saturating_sub(cell.y())).unwrap_or(cell))
    }

    /// The position with every cell mapped by `to`.
    fn mapped(&self, to: impl Fn(Cell) -> Cell) -> Position {
        let mut position = *self;
        position.field.free = Cells::default();
        self.field.free.iter().for_each(|cell| position.field.free.insert(to(cell)));
        for army in &mut position.armies {
            army.headquarters = to(army.headquarters);
            army.units.iter_mut().filter(|unit| unit.is_alive()).for_each(|unit| unit.cell = to(unit.cell));
        }
        position
    }

    pub fn key(&self) -> u64 {
        let mut key = u64::from(self.field.width) << 16 | u64::from(self.field.height) << 8;
        key |= u64::from(self.acted) << 1 | u64::from(self.mover == Side::Second);
        let mut mix = |word: u64| {
            key = (key ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            key ^= key >> 29;
        };
        for rows in self.field.free.rows().chunks(4) {
            mix(rows.iter().fold(0, |word, row| word << 16 | u64::from(*row)));
        }
        for army in &self.armies {
            let word = (army.headquarters.index() as u64) << 8 | u64::from(army.points);
            let units = army.units.iter();
            mix(units.fold(word, |word, unit| word << 16 | (unit.cell.index() as u64) << 8 | u64::from(unit.health)));
        }
        key
    }
}
