//! The rules of Nim.

use std::fmt;

use super::oracle::Solved;
use crate::diagram::{Diagram, DrawnCell, Figure, Ground, Label, Shape};
use crate::{
    Endings, Estimates, Examples, Game, MoveError, Notation, Oracle, Outcome, Pictures, PositionError, References,
    Side, Step, Turns,
};

/// The sticks of each heap when a game begins.
pub(super) const START: [u8; 4] = [1, 3, 5, 7];

/// The most sticks that a heap has.
pub(super) const LONGEST: usize = 7;

/// A game of Nim. A move takes sticks from one heap; the player who takes the last stick wins.
///
/// ```
/// use alfil_game::{Game, nim::Nim, play_line};
///
/// let mut game = Nim::new(&());
/// play_line(&mut game, "d7 c4 b2").unwrap();
/// assert_eq!(game.position(), "1-1-1-0 second");
/// ```
#[derive(Clone, Debug)]
pub struct Nim {
    heaps: [u8; 4],
    mover: Side,
    ply: u32,
}

impl Nim {
    /// The sticks of each heap.
    pub(super) fn heaps(&self) -> [u8; 4] {
        self.heaps
    }
}

/// A move: a number of sticks from one heap. It is written as the letter of the heap and the number of sticks: `d7`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Take {
    /// From 0.
    pub(super) heap: u8,
    /// From 1.
    pub(super) count: u8,
}

impl From<Take> for u16 {
    fn from(take: Take) -> u16 {
        u16::from(take.heap) * LONGEST as u16 + u16::from(take.count) - 1
    }
}

impl TryFrom<u16> for Take {
    type Error = MoveError;

    fn try_from(code: u16) -> Result<Take, MoveError> {
        let (heap, count) = (code / LONGEST as u16, code % LONGEST as u16 + 1);
        if usize::from(heap) < START.len() {
            Ok(Take { heap: heap as u8, count: count as u8 })
        } else {
            Err(MoveError::Illegal(code.to_string()))
        }
    }
}

impl Game for Nim {
    type Move = Take;
    type Rules = ();

    const NAME: &'static str = "nim";
    const TITLE: &'static str = "Nim with heaps 1-3-5-7, last stick wins";
    const SIDES: [&'static str; 2] = ["first", "second"];

    fn new(_: &()) -> Nim {
        Nim { heaps: START, mover: Side::First, ply: 0 }
    }

    fn from_position(text: &str, _: &()) -> Result<Nim, PositionError> {
        let wrong = |reason: &str| PositionError::new::<Nim>(text, reason);
        let form = || wrong("it must be four heaps and who moves, as in 1-3-5-7 first");
        let (sticks, mover) = text.trim().split_once(' ').ok_or_else(form)?;
        let mover = match mover.trim() {
            "first" => Side::First,
            "second" => Side::Second,
            _ => return Err(form()),
        };
        let sticks: Vec<u8> = sticks.split('-').map(str::parse).collect::<Result<_, _>>().map_err(|_| form())?;
        let heaps: [u8; 4] = sticks.try_into().map_err(|_| form())?;
        if heaps.iter().zip(START).any(|(heap, most)| *heap > most) {
            return Err(wrong("the heaps have at most 1, 3, 5 and 7 sticks"));
        }
        Ok(Nim { heaps, mover, ply: 0 })
    }

    fn position(&self) -> String {
        let [a, b, c, d] = self.heaps;
        format!("{a}-{b}-{c}-{d} {}", Nim::SIDES[self.mover as usize])
    }

    fn side(&self) -> Side {
        self.mover
    }

    fn ply(&self) -> u32 {
        self.ply
    }

    fn ply_cap(&self) -> u32 {
        START.iter().map(|&sticks| u32::from(sticks)).sum()
    }

    fn generate(&self, moves: &mut Vec<Take>) {
        moves.clear();
        for (heap, &sticks) in self.heaps.iter().enumerate() {
            moves.extend((1..=sticks).map(|count| Take { heap: heap as u8, count }));
        }
    }

    fn verdict(&self, generated: &[Take]) -> Option<Outcome> {
        generated.is_empty().then(|| Outcome::win(!self.mover, "the last stick"))
    }

    fn play(&mut self, m: Take) {
        self.heaps[usize::from(m.heap)] -= m.count;
        self.mover = !self.mover;
        self.ply += 1;
    }

    fn key(&self) -> u64 {
        let heaps = self.heaps.iter().fold(0, |name, &sticks| name << 3 | u64::from(sticks));
        let name = heaps << 1 | u64::from(self.mover == Side::Second);
        (name + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn same_position(&self, other: &Nim) -> bool {
        (self.heaps, self.mover) == (other.heaps, other.mover)
    }

    fn move_text(&self, m: Take) -> String {
        format!("{}{}", letter(m.heap), m.count)
    }

    fn parse_move(&self, text: &str) -> Result<Take, MoveError> {
        let mut moves = Vec::new();
        self.generate(&mut moves);
        let read = moves.into_iter().find(|&m| self.move_text(m) == text);
        read.ok_or_else(|| match text.as_bytes() {
            [b'a'..=b'd', b'1'..=b'7'] => MoveError::Illegal(text.to_owned()),
            _ => MoveError::Malformed { text: text.to_owned(), expected: "a heap and a number of sticks, as in d7" },
        })
    }
}

/// The name of a heap.
fn letter(heap: u8) -> char {
    (b'a' + heap) as char
}

impl fmt::Display for Nim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (heap, &sticks) in self.heaps.iter().enumerate() {
            writeln!(f, " {} {}", letter(heap as u8), " |".repeat(sticks.into()))?;
        }
        writeln!(f, "   {} to move", Nim::SIDES[self.mover as usize])
    }
}

impl Estimates for Nim {}
impl Turns for Nim {}
impl Endings for Nim {}

impl Notation for Nim {
    const MOVE_WIDTH: Option<usize> = Some(2);
}

impl Examples for Nim {
    const TEST_POSITIONS: &'static [&'static str] = &["0-3-4-7 second", "1-1-1-0 first", "0-0-5-5 first"];
    const PROBES: &'static [(&'static str, &'static str)] =
        &[("one heap left", "0-0-0-7 first"), ("two equal heaps", "0-3-3-0 first")];

    fn swapped(&self) -> Option<Nim> {
        Some(Nim { mover: !self.mover, ..self.clone() })
    }
}

impl References for Nim {
    fn oracle() -> Option<Box<dyn Oracle<Nim>>> {
        Some(Box::new(Solved::new()))
    }
}

impl Pictures for Nim {
    fn diagram(&self) -> Option<Diagram> {
        let mut cells = Vec::new();
        let mut labels = Vec::new();
        for (heap, (&sticks, most)) in self.heaps.iter().zip(START).enumerate() {
            let name = letter(heap as u8);
            let y = (START.len() - heap) as f32;
            labels.push(Label { x: -1.0, y, text: name.to_string() });
            cells.extend((0..most).map(|place| DrawnCell {
                x: f32::from(place),
                y,
                name: format!("{name}{}", place + 1),
                ground: Ground::Shade(0),
                // Sticks have no owner: they look like the first player's.
                piece: (place < sticks).then_some((Side::First, Figure::Stone)),
            }));
        }
        Some(Diagram { shape: Shape::Square, cells, labels })
    }

    fn steps(&self, m: Take) -> Vec<Step> {
        // The last of the sticks that stay is left of the one that is touched.
        let first = self.heaps[usize::from(m.heap)] - m.count + 1;
        vec![Step::touch(format!("{}{first}", letter(m.heap)))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_positions_and_moves_are_refused() {
        let error = |text| Nim::from_position(text, &()).unwrap_err().to_string();
        assert!(error("1-3-5 first").contains("four heaps"));
        assert!(error("1-3-5-7 white").contains("four heaps"));
        assert!(error("2-3-5-7 first").contains("at most 1, 3, 5 and 7"));
        let game = Nim::new(&());
        assert_eq!(game.parse_move("a2"), Err(MoveError::Illegal("a2".to_owned())));
        assert!(matches!(game.parse_move("e1"), Err(MoveError::Malformed { .. })));
    }
}
