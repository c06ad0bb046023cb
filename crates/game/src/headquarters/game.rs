//! The headquarters game as a [`Game`].

use std::fmt;

use super::evaluation::{self, Weights};
use super::moves::{Action, Move, Order};
use super::position::{Position, UNITS};
use super::rules::{MOST_TURNS, Rules};
use super::{board_text, diagram, endings, move_text, notation, turns};
use crate::diagram::Diagram;
use crate::{
    Endings, Estimates, Examples, Game, Knowledge, MoveError, Notation, Outcome, Pictures, PositionError, References,
    Rules as _, Side, Step, Turn, Turns,
};

/// A headquarters game. A move is an order to one soldier; the turn passes when all have had theirs, or with `end`.
///
/// ```
/// use alfil_game::{Game, headquarters::Headquarters, play_line};
///
/// let start = "3/3 a1:20,a2:10 c1:20,c2:10 red 1";
/// let mut game = Headquarters::from_position(start, &Default::default()).unwrap();
/// play_line(&mut game, "a2-b2xc2 c2-c2 b2-c1! end c1!").unwrap();
/// assert_eq!(game.position(), "3/3 a1:20,c1:8 c1:4,c2:5 blue 6");
/// ```
#[derive(Clone, Debug)]
pub struct Headquarters {
    pub(super) position: Position,
    /// Turns of both sides, this one included.
    pub(super) turn: u16,
    ply: u32,
    turn_cap: u16,
    weights: Weights,
}

impl Headquarters {
    pub(super) fn at(position: Position, turn: u16, rules: &Rules) -> Headquarters {
        Headquarters { position, turn, ply: 0, turn_cap: rules.turn_cap, weights: rules.weights }
    }

    /// The same game with another position on the map.
    pub(super) fn with(&self, position: Position) -> Headquarters {
        Headquarters { position, ..self.clone() }
    }

    /// Turns that can still be begun, this one included.
    pub(super) fn turns_left(&self) -> u16 {
        (self.turn_cap + 1).saturating_sub(self.turn)
    }

    pub(super) fn turn_cap(&self) -> u16 {
        self.turn_cap
    }
}

impl Game for Headquarters {
    type Move = Move;
    type Rules = Rules;

    const NAME: &'static str = "headquarters";
    const TITLE: &'static str = "soldiers on a grid, out to take each other's headquarters";
    const SIDES: [&'static str; 2] = notation::SIDES;

    fn chosen_rules(&self) -> String {
        Rules { turn_cap: self.turn_cap, ..Rules::default() }.text()
    }

    fn new(rules: &Rules) -> Headquarters {
        Headquarters::at(rules.map, 1, rules)
    }

    fn from_position(text: &str, rules: &Rules) -> Result<Headquarters, PositionError> {
        let (position, turn) =
            notation::parse(text).map_err(|reason| PositionError::new::<Headquarters>(text, reason))?;
        Ok(Headquarters::at(position, turn, rules))
    }

    fn position(&self) -> String {
        notation::write(&self.position, self.turn)
    }

    fn side(&self) -> Side {
        self.position.mover
    }

    fn ply(&self) -> u32 {
        self.ply
    }

    fn ply_cap(&self) -> u32 {
        u32::from(self.turn_cap) * UNITS as u32
    }

    fn generate(&self, moves: &mut Vec<Move>) {
        self.position.generate(moves);
    }

    fn verdict(&self, _: &[Move]) -> Option<Outcome> {
        self.outcome()
    }

    fn outcome(&self) -> Option<Outcome> {
        match self.position.beaten() {
            Some((side, reason)) => Some(Outcome::win(!side, reason)),
            None => (self.turn > self.turn_cap).then(|| Outcome::draw("turn cap")),
        }
    }

    fn play(&mut self, m: Move) {
        debug_assert!(self.position.is_legal(m), "{m:?} was not generated in {}", self.position());
        // Collections may play on after a game has ended, but turns stay in the range that can be read back.
        self.turn = (self.turn + u16::from(self.position.play(m))).min(MOST_TURNS + 1);
        self.ply += 1;
    }

    fn key(&self) -> u64 {
        self.position.key()
    }

    fn same_position(&self, other: &Headquarters) -> bool {
        self.position == other.position
    }

    fn move_text(&self, m: Move) -> String {
        move_text::write(&self.position, m)
    }

    fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        move_text::parse(&self.position, text)
    }
}

impl Notation for Headquarters {
    fn move_number(&self) -> u32 {
        u32::from(self.turn).div_ceil(2)
    }
}

impl Estimates for Headquarters {
    fn evaluate(&self, knowledge: Knowledge) -> i32 {
        evaluation::evaluate(&self.position, &self.weights, knowledge)
    }

    fn gain(&self, m: Move) -> i32 {
        let Some(Order { slot, to, action: Action::Attack(direction) }) = m.order() else { return 0 };
        let enemies = self.position.other();
        let target = to.neighbour(direction).and_then(|cell| enemies.at(cell)).map_or(0, |at| enemies.units[at].health);
        if target <= self.position.own().units[slot].strength() { evaluation::kill(&self.weights, target) } else { 0 }
    }
}

impl Pictures for Headquarters {
    fn coloured(&self) -> String {
        board_text::draw(self, board_text::coloured)
    }

    fn diagram(&self) -> Option<Diagram> {
        Some(diagram::diagram(self))
    }

    fn steps(&self, m: Move) -> Vec<Step> {
        let Some(Order { slot, to, action }) = m.order() else { return vec![Step::choose("End turn")] };
        let way = [Step::touch(self.position.own().units[slot].cell), Step::touch(to)];
        let (name, target) = match action {
            Action::Wait => ("Wait", None),
            Action::Capture => ("Capture", None),
            Action::Attack(direction) => ("Attack", to.neighbour(direction)),
        };
        way.into_iter().chain([Step::choose(name)]).chain(target.map(Step::touch)).collect()
    }
}

impl Turns for Headquarters {
    fn turns(&self, keep: usize, turns: &mut Vec<Turn<Move>>) -> Option<Outcome> {
        turns.clear();
        let outcome = self.outcome();
        if outcome.is_none() {
            turns::promising(&self.position, keep, turns);
        }
        outcome
    }
}

impl Endings for Headquarters {
    fn random_ending(rules: &Rules, below: &mut dyn FnMut(u32) -> u32) -> Option<Headquarters> {
        endings::random(&rules.map, below).map(|position| Headquarters::at(position, 1, rules))
    }

    fn without_history(&self) -> Option<Headquarters> {
        Some(Headquarters { turn: 1, ply: 0, ..self.clone() })
    }
}

impl References for Headquarters {}

impl Examples for Headquarters {
    const TEST_POSITIONS: &'static [&'static str] = &[
        // In the middle of a turn, with all soldiers near each other.
        "15/15/15/15/15/15/15/15/15/15 c3:20,g5:10*,h6:8,g7:3 m8:20,h5:10,i6:6,h7:1 red 9",
        "15/15/15/15/15/15/15/15/15/15 c3:12,g5:10,h6:8,g7:3 m8:7,h5:10,-,h7:1* blue 31",
        // On the headquarters, with fallen soldiers before living ones.
        "15/15/15/15/15/15/15/15/15/15 c3:4,m8:2 m8:5,-,c3:3,d3:9 red 12",
        // One against one with a point each, far apart, near the cap.
        "15/15/15/15/15/15/15/15/15/15 c3:20,a1:1 m8:20,o10:1 red 95",
        // Small maps with obstacles.
        "5/1#1#1/5/1#1#1/5 a1:20,a2:10,b1:10 e5:20,e4:10,d5:10 red 1",
        "7#2/3#3#2/10 a1:20,c1:7,-,a3:2 j1:20,i1:10,g2:4 blue 4",
        "3 a1:20,a1:10 c1:20,c1:10 red 1",
    ];
    const PROBES: &'static [(&'static str, &'static str)] = &[
        ("a capture from winning", "15/15/15/15/15/15/15/15/15/15 c3:20,m8:10,e5:10 m8:10,k2:10,l2:10 red 9"),
        ("a soldier up", "15/15/15/15/15/15/15/15/15/15 c3:20,c2:10,e5:10,d9:10 m8:20,m9:10,k6:10 red 1"),
        ("a soldier down", "15/15/15/15/15/15/15/15/15/15 c3:20,c2:10,e5:10 m8:20,m9:10,k6:10,l2:10 red 1"),
        ("even", "15/15/15/15/15/15/15/15/15/15 c3:20,c2:10,e5:10,d9:10 m8:20,m9:10,k6:10,l2:10 red 1"),
    ];

    fn swapped(&self) -> Option<Headquarters> {
        Some(self.with(self.position.swapped()))
    }
}

impl fmt::Display for Headquarters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&board_text::draw(self, |_, text| text.to_owned()))
    }
}
