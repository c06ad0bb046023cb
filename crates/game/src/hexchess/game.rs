//! Hexagonal chess as a [`Game`].

use std::fmt;

use super::board::Role;
use super::generate::generate;
use super::moves::Move;
use super::position::Position;
use super::rules::{Rules, Stalemate};
use super::{board_text, diagram, endings, evaluation, fen, material, san};
use crate::diagram::Diagram;
use crate::repetitions::Repetitions;
use crate::{
    Endings, Estimates, Examples, Game, Knowledge, Language, MoveError, Mover, Notation, Outcome, Pictures,
    PositionError, References, Rules as _, Score, Side, Step, Turns,
};

/// Reversible plies after which the game is drawn.
pub(super) const FIFTY_MOVES: u32 = 100;

/// A game of Gliński's hexagonal chess. A third repetition, the fiftieth move without progress and insufficient material
/// end it at once.
///
/// ```
/// use alfil_game::{Game, hexchess::HexChess, play_line};
///
/// let mut game = HexChess::new(&Default::default());
/// play_line(&mut game, "f5f6 g6 fxg6").unwrap();
/// assert_eq!(game.position(), "b/qbk/n1b1n/r5r/ppppp1ppp/6P4/11/4P1P4/3P1B1P3/2P2B2P2/1PRNQBKNRP1 b - 0 2");
/// ```
#[derive(Clone, Debug)]
pub struct HexChess {
    position: Position,
    /// How often this position has been on the board before.
    repetitions: u8,
    /// Plies since the last capture or pawn move.
    clock: u32,
    /// The number of the move, from 1.
    number: u32,
    ply: u32,
    rules: Rules,
    /// The positions since the last capture or pawn move.
    reversible: Repetitions<{ FIFTY_MOVES as usize }>,
}

impl HexChess {
    pub(super) fn from_parts(position: Position, clock: u32, number: u32, rules: &Rules) -> HexChess {
        HexChess { position, repetitions: 0, clock, number, ply: 0, rules: *rules, reversible: Repetitions::default() }
    }

    /// Whether this position has been on the board before.
    pub(super) fn is_repeated(&self) -> bool {
        self.repetitions > 0
    }

    pub(super) fn current(&self) -> &Position {
        &self.position
    }

    pub(super) fn clock(&self) -> u32 {
        self.clock
    }
}

impl Game for HexChess {
    type Move = Move;
    type Rules = Rules;

    const NAME: &'static str = "hexchess";
    const TITLE: &'static str = "Gliński's hexagonal chess";
    const SIDES: [&'static str; 2] = ["white", "black"];

    fn chosen_rules(&self) -> String {
        self.rules.text()
    }

    fn new(rules: &Rules) -> HexChess {
        fen::start(rules)
    }

    fn from_position(text: &str, rules: &Rules) -> Result<HexChess, PositionError> {
        fen::parse(text, rules)
    }

    fn position(&self) -> String {
        fen::write(self)
    }

    fn side(&self) -> Side {
        self.position.turn()
    }

    fn ply(&self) -> u32 {
        self.ply
    }

    fn ply_cap(&self) -> u32 {
        self.rules.ply_cap
    }

    fn generate(&self, moves: &mut Vec<Move>) {
        generate(&self.position, moves);
    }

    fn verdict(&self, generated: &[Move]) -> Option<Outcome> {
        if generated.is_empty() {
            return Some(if self.position.in_check(self.side()) {
                Outcome::win(!self.side(), "checkmate")
            } else {
                let points = match self.rules.stalemate {
                    Stalemate::Half => Score::DRAW,
                    Stalemate::ThreeQuarters => Score::new(0.75),
                };
                Outcome { score: Mover(points).to_first(!self.side()), reason: "stalemate" }
            });
        }
        if self.repetitions >= 2 {
            Some(Outcome::draw("threefold repetition"))
        } else if self.clock >= FIFTY_MOVES {
            Some(Outcome::draw("50-move rule"))
        } else if material::is_insufficient(self.position.board()) {
            Some(Outcome::draw("insufficient material"))
        } else if self.ply >= self.rules.ply_cap {
            Some(Outcome::draw("ply cap"))
        } else {
            None
        }
    }

    fn repeated_after(&self) -> Option<u32> {
        (self.repetitions > 0).then(|| self.reversible.last(self.position.key())).flatten()
    }

    fn play(&mut self, m: Move) {
        let before = self.position.key();
        // Collections may play on after a game has ended, but counters stay in the range that positions can be read
        // back with.
        self.number = fen::LARGEST_COUNTER.min(self.number + u32::from(self.side() == Side::Second));
        self.ply += 1;
        if self.position.play(m) {
            self.reversible.remember(before);
            self.clock = fen::LARGEST_COUNTER.min(self.clock + 1);
        } else {
            self.reversible.forget();
            self.clock = 0;
        }
        self.repetitions = self.reversible.of(self.position.key());
    }

    fn key(&self) -> u64 {
        self.position.key()
    }

    fn same_position(&self, other: &HexChess) -> bool {
        self.position.is_same(&other.position)
    }

    fn move_text(&self, m: Move) -> String {
        let promotion = self.position.promotion(m).map(Role::letter);
        format!("{}{}{}", m.from(), m.to(), promotion.map(String::from).unwrap_or_default())
    }

    fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        san::parse(&self.position, text)
    }
}

impl Notation for HexChess {
    fn move_name(&self, m: Move) -> String {
        san::write(&self.position, m)
    }

    fn parse_typed(&self, text: &str, language: Language) -> Result<Move, MoveError> {
        match language {
            Language::English => self.parse_move(text),
            Language::Spanish => {
                san::parse_spanish(&self.position, text).or_else(|spanish| self.parse_move(text).map_err(|_| spanish))
            }
        }
    }

    fn move_number(&self) -> u32 {
        self.number
    }
}

impl Estimates for HexChess {
    fn evaluate(&self, knowledge: Knowledge) -> i32 {
        evaluation::evaluate(&self.position, knowledge)
    }

    fn gain(&self, m: Move) -> i32 {
        evaluation::gain(&self.position, m)
    }

    fn is_in_check(&self) -> bool {
        self.position.in_check(self.position.turn())
    }

    fn may_be_over(&self) -> bool {
        self.repetitions >= 2
            || self.clock >= FIFTY_MOVES
            || self.ply >= self.rules.ply_cap
            || material::is_insufficient(self.position.board())
    }

    fn passed(&self) -> Option<HexChess> {
        evaluation::may_pass(&self.position).then(|| HexChess {
            ply: self.ply + 1,
            ..HexChess::from_parts(self.position.passed(), self.clock, self.number, &self.rules)
        })
    }
}

impl Pictures for HexChess {
    fn coloured(&self) -> String {
        board_text::coloured(&self.position)
    }

    fn diagram(&self) -> Option<Diagram> {
        Some(diagram::diagram(&self.position))
    }

    fn steps(&self, m: Move) -> Vec<Step> {
        let promotion = self.position.promotion(m).and_then(|role| Step::choose_chessman(role.letter()));
        [Step::touch(m.from()), Step::touch(m.to())].into_iter().chain(promotion).collect()
    }

    fn alarm(&self) -> Option<String> {
        let side = self.position.turn();
        self.position.in_check(side).then(|| self.position.board().king(side)).flatten().map(|king| king.to_string())
    }
}

impl Turns for HexChess {}

impl Endings for HexChess {
    fn without_history(&self) -> Option<HexChess> {
        Some(HexChess::from_parts(self.position.clone(), 0, self.number, &self.rules))
    }

    fn random_ending(rules: &Rules, below: &mut dyn FnMut(u32) -> u32) -> Option<HexChess> {
        endings::random(rules, below)
    }
}

impl References for HexChess {}

impl Examples for HexChess {
    const PROBES: &'static [(&'static str, &'static str)] = &[
        ("a queen up", "b/1bk/n1b1n/r5r/ppppppppp/11/5P5/4P1P4/3P1B1P3/2P2B2P2/1PRNQBKNRP1 w - 0 1"),
        ("a queen down", "b/qbk/n1b1n/r5r/ppppppppp/11/5P5/4P1P4/3P1B1P3/2P2B2P2/1PRN1BKNRP1 w - 0 1"),
        ("even", fen::START),
    ];
    const TEST_POSITIONS: &'static [&'static str] = &[
        // En passant possible at once, for both sides; once both pawns together shut a line to the king.
        "b/qbk/n1b1n/r5r/ppp1ppppp/5P5/4p6/4P1P4/3P1B1P3/2P2B2P2/1PRNQBKNRP1 w e6 0 3",
        "k/q2/5/7/9/4PpP4/11/11/11/11/4QK5 b e5 0 9",
        "k/3/5/7/9/5P4r/4p6/11/11/1K9/11 w e6 0 2",
        // Promotions and under-promotions, with captures.
        "1/nPr/5/bP5/4k4/qP7P1/11/5K5/11/4pp1p3/3B2N3R w - 0 30",
        "1/nPr/5/bP5/4k4/qP7P1/11/5K5/11/4pp1p3/3B2N3R b - 0 30",
        // Pawns that capture onto the start cells of others, and outwards to files that have none.
        "k/3/5/7/9/11/11/11/1p1P3Pp2/ppP5Ppp/1P3K3P1 w - 0 1",
        // The same from left to right.
        "b/qbq/n1b1n/r2k2r/pppp1pppp/11/11/4PKP4/3P1B1P3/2P2B2P2/1PRNQBQNRP1 w - 0 1",
        // Few pieces: repetitions, the 50-move rule, insufficient material.
        "1/3/5/7/4k4/11/11/11/2R2K5/11/11 w - 95 80",
        "1/3/5/7/9/2k2K5/4B6/11/11/3p7/11 b - 0 60",
    ];

    fn swapped(&self) -> Option<HexChess> {
        Some(HexChess::from_parts(self.position.swapped(), self.clock, self.number, &self.rules))
    }
}

impl fmt::Display for HexChess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        board_text::draw(&self.position, f)
    }
}
