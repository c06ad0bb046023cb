//! The contract that every game fulfils.

use std::fmt::{Debug, Display};
use std::hash::Hash;

use crate::diagram::Diagram;
use crate::{First, MoveError, Oracle, PositionError, RulesError, Score, Side, Turn};

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The first player's points.
    pub score: First<Score>,
    /// By what rule, in words: "checkmate", "threefold repetition".
    pub reason: &'static str,
}

impl Outcome {
    /// `winner` takes the whole point.
    pub fn win(winner: Side, reason: &'static str) -> Outcome {
        Outcome { score: crate::Mover(Score::WIN).to_first(winner), reason }
    }

    /// Half a point each.
    pub fn draw(reason: &'static str) -> Outcome {
        Outcome { score: First(Score::DRAW), reason }
    }
}

/// How much a handcrafted evaluation looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knowledge {
    /// What is on the board, and nothing else.
    Material,
    /// All that the game's evaluation knows.
    Full,
}

/// A game in progress: the position on the board and as much of its history as the rules look at.
///
/// Two players, perfect information, no chance. The board may have any shape, and a side may move several times in a
/// row: ask [`side`](Game::side) whose move it is, never assume it. Games end: the rules include whatever draws by
/// repetition or move count that takes, and a cap on plies as the last resort.
///
/// Implementations keep [`generate`](Game::generate), [`verdict`](Game::verdict), [`play`](Game::play) and `clone` free
/// of allocation, since a search calls them at every node. [`crate::conformance`] checks what is promised here.
pub trait Game: Clone + Debug + Display + Send + Sync + 'static {
    /// A move. Only meaningful in the position it was generated in. The `u16` it turns into, and can be had back from, tells
    /// the legal moves of a position apart, never changes between versions, and is what trees and game records store.
    type Move: Copy + Eq + Ord + Hash + Debug + Into<u16> + TryFrom<u16> + Send + Sync;

    /// What can be chosen about the rules.
    type Rules: Clone + Debug + Default + Send + Sync;

    /// The name in commands, configurations and files: lower case, no spaces.
    const NAME: &'static str;

    /// What the game is, in one line for people.
    const TITLE: &'static str;

    /// What the players are called, the one who moves first before the other: lower case, no spaces.
    const SIDES: [&'static str; 2];

    /// If every move is written with this many characters, a line of moves needs no spaces between them.
    const MOVE_WIDTH: Option<usize> = None;

    /// Positions, in the game's notation, that play from the start seldom reaches and tests should begin from as well.
    const TEST_POSITIONS: &'static [&'static str] = &[];

    /// Positions that everybody can judge, with their names: what a network that learns expects in them shows whether it has
    /// understood the first things about the game. The names say how the side to move stands.
    const PROBES: &'static [(&'static str, &'static str)] = &[];

    /// The rules that `text` chooses with `key=value`, several with commas between them; the usual ones if it is empty.
    fn rules(text: &str) -> Result<Self::Rules, RulesError> {
        Self::rules_from_elsewhere(text, &Self::Rules::default())
    }

    /// The text that chooses these rules, but for where games begin, as [`rules`](Game::rules) reads it; empty for the usual
    /// ones.
    fn rules_text(rules: &Self::Rules) -> String {
        let _ = rules;
        String::new()
    }

    /// What was chosen about the rules of this game, but for where it begins and how positions are estimated, as
    /// [`rules_from_elsewhere`] reads it; empty for the usual ones.
    ///
    /// [`rules_from_elsewhere`]: Game::rules_from_elsewhere
    fn chosen_rules(&self) -> String {
        String::new()
    }

    /// As [`rules`](Game::rules), for a text that came with a game from elsewhere and is not to be trusted: opens no files.
    /// What it does not name stays as in `rules`.
    fn rules_from_elsewhere(text: &str, rules: &Self::Rules) -> Result<Self::Rules, RulesError> {
        if text.trim().is_empty() {
            Ok(rules.clone())
        } else {
            Err(RulesError::new::<Self>(text, "its rules are always the same"))
        }
    }

    /// The start position.
    fn new(rules: &Self::Rules) -> Self;

    /// The position that `text` describes, with no history.
    fn from_position(text: &str, rules: &Self::Rules) -> Result<Self, PositionError>;

    /// The position that a text from elsewhere describes: as [`from_position`](Game::from_position) does, but without minding
    /// what other programs leave out or add.
    fn from_loose_position(text: &str, rules: &Self::Rules) -> Result<Self, PositionError> {
        Self::from_position(text, rules)
    }

    /// A random position near the end of a game that is not over, where the game offers them: games from there come to a
    /// result soon, which is what play from the start seldom does before anything is learnt. `below` gives a random number
    /// smaller than its argument.
    fn random_ending(rules: &Self::Rules, below: &mut dyn FnMut(u32) -> u32) -> Option<Self> {
        let _ = (rules, below);
        None
    }

    /// The position in the game's notation; [`from_position`](Game::from_position) reads it back.
    fn position(&self) -> String;

    /// The same position in a game that begins here, with nothing counted that could end it, for those who want a move where
    /// the game has ended by what was played before; none if that cannot be.
    fn without_history(&self) -> Option<Self> {
        None
    }

    /// The board for a terminal that shows ANSI colours; `Display` is the one for all others.
    fn coloured(&self) -> String {
        self.to_string()
    }

    /// The board for a picture.
    fn diagram(&self) -> Diagram;

    /// Whose move it is.
    fn side(&self) -> Side;

    /// Plies that count towards the cap: at least those since this game's first position. Each move adds one.
    fn ply(&self) -> u32;

    /// The ply at which the game ends at the latest.
    fn ply_cap(&self) -> u32;

    /// Puts into `moves` (after clearing it) every move that the pieces can make. Draws by repetition, move count,
    /// material or the ply cap do not count here: that is what perft counts and what game collections may go on to play.
    fn generate(&self, moves: &mut Vec<Self::Move>);

    /// How the game has ended, if it has. `generated` is what [`generate`](Game::generate) gave for this position.
    fn verdict(&self, generated: &[Self::Move]) -> Option<Outcome>;

    /// How many plies ago the position was on the board last, if it was and the rules count that. Searches hold a return to where
    /// the game has been for a draw, which a third time would be: else whoever is winning sees no harm in going round in circles.
    fn repeated_after(&self) -> Option<u32> {
        None
    }

    /// Plays a move that [`generate`](Game::generate) gave for this position.
    fn play(&mut self, m: Self::Move);

    /// A hash of the position as the repetition rule sees it: board, side and rights, but no counters or history.
    fn key(&self) -> u64;

    /// Whether the repetition rule holds the two positions for the same: what [`key`](Game::key) hashes.
    fn same_position(&self, other: &Self) -> bool;

    /// The position with the players' roles exchanged and the board turned accordingly, where the rules treat both
    /// alike. Its history is not taken along.
    fn swapped(&self) -> Option<Self> {
        None
    }

    /// A move as programs write it. [`parse_move`](Game::parse_move) reads it back.
    fn move_text(&self, m: Self::Move) -> String;

    /// A move as people write it. [`parse_move`](Game::parse_move) reads it back as well.
    fn move_name(&self, m: Self::Move) -> String {
        self.move_text(m)
    }

    /// The legal move that `text` names, in either way of writing.
    fn parse_move(&self, text: &str) -> Result<Self::Move, MoveError>;

    /// The number of the move about to be played, where positions know it; games are counted from it.
    fn move_number(&self) -> u32 {
        1
    }

    /// What the `Variant` tag of a PGN file says of a game from here; none where the format needs no word.
    fn variant(&self) -> Option<&'static str> {
        Some(Self::NAME)
    }

    /// The rules that a PGN file with this `Variant` tag is played by, which are `rules` but for what the tag says. None if it
    /// is one of another game.
    fn variant_rules(variant: &str, rules: &Self::Rules) -> Option<Self::Rules> {
        variant.eq_ignore_ascii_case(Self::NAME).then(|| rules.clone())
    }

    /// A handcrafted estimate as the mover sees it, in hundredths of the game's smallest piece; 0 where there is none.
    fn evaluate(&self, knowledge: Knowledge) -> i32 {
        let _ = knowledge;
        0
    }

    /// What a move wins at once by capture or promotion, in the unit of [`evaluate`](Game::evaluate); 0 for a quiet move.
    fn gain(&self, m: Self::Move) -> i32 {
        let _ = m;
        0
    }

    /// The position if the mover could pass, where that says something: not in check, and not where having to move may be
    /// the whole trouble.
    fn passed(&self) -> Option<Self> {
        None
    }

    /// A judge that knows the exact result of every position, where the game is small enough to have one.
    fn oracle() -> Option<Box<dyn Oracle<Self>>> {
        None
    }

    /// Puts the legal moves into `moves`, or none if the game is over, and then tells how it ended.
    fn legal_moves(&self, moves: &mut Vec<Self::Move>) -> Option<Outcome> {
        self.generate(moves);
        let outcome = self.verdict(moves);
        if outcome.is_some() {
            moves.clear();
        }
        outcome
    }

    /// Puts into `turns` (after clearing it) whole turns of the mover that are worth looking at, the promising ones first, or
    /// none if the game is over, and then tells how it ended. Where turns consist of several moves, the game combines the `keep`
    /// best moves of each piece or so; elsewhere each legal move is a turn of its own, whatever `keep` says.
    fn turns(&self, keep: usize, turns: &mut Vec<Turn<Self::Move>>) -> Option<Outcome> {
        let _ = keep;
        let mut moves = Vec::new();
        let outcome = self.legal_moves(&mut moves);
        turns.clear();
        turns.extend(moves.into_iter().map(Turn::of));
        outcome
    }

    /// How the game has ended, if it has. Generates moves: where they are at hand, [`verdict`](Game::verdict) is cheaper.
    fn outcome(&self) -> Option<Outcome> {
        self.legal_moves(&mut Vec::new())
    }
}
