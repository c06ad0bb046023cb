//! The contract that every game fulfils. What only some games have is in parts of its own: see [`FullGame`](crate::FullGame).

use std::fmt::{Debug, Display};
use std::hash::Hash;

use crate::{First, MoveError, PositionError, Rules, Score, Side};

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The first player's points.
    pub score: First<Score>,
    /// The rule that ended it, in words: "checkmate", "threefold repetition".
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

    /// "white wins: checkmate"
    pub fn in_words<G: Game>(&self) -> String {
        let [first, second] = G::SIDES;
        let result = match self.score.0 {
            Score::WIN => format!("{first} wins"),
            Score::LOSS => format!("{second} wins"),
            Score::DRAW => "draw".to_owned(),
            score => format!("{} points for {first}, {} for {second}", score.points(), 1.0 - score.points()),
        };
        format!("{result}: {}", self.reason)
    }
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
    /// A move. Only meaningful in the position it was generated in. The `u16` that it converts to, and back from, is
    /// unique among the legal moves of a position, never changes between versions, and is what trees and game records
    /// store.
    type Move: Copy + Eq + Ord + Hash + Debug + Into<u16> + TryFrom<u16> + Send + Sync;

    /// The options of the rules.
    type Rules: Rules;

    /// The name in commands, configurations and files: lower case, no spaces.
    const NAME: &'static str;

    /// What the game is, in one line for people.
    const TITLE: &'static str;

    /// What the players are called, the one who moves first before the other: lower case, no spaces.
    const SIDES: [&'static str; 2];

    /// The start position.
    fn new(rules: &Self::Rules) -> Self;

    /// The position that `text` describes, with no history.
    fn from_position(text: &str, rules: &Self::Rules) -> Result<Self, PositionError>;

    /// The position in the game's notation; [`from_position`](Game::from_position) reads it back.
    fn position(&self) -> String;

    /// Whose move it is.
    fn side(&self) -> Side;

    /// Plies that count towards the cap: at least those since this game's first position. Each move adds one.
    fn ply(&self) -> u32;

    /// The ply at which the game ends at the latest.
    fn ply_cap(&self) -> u32;

    /// Puts into `moves` (after clearing it) every move that the pieces can make. Draws by repetition, move count,
    /// material or the ply cap are ignored here: perft does not know them, and game collections may play on after them.
    fn generate(&self, moves: &mut Vec<Self::Move>);

    /// How the game has ended, if it has. `generated` is what [`generate`](Game::generate) gave for this position.
    fn verdict(&self, generated: &[Self::Move]) -> Option<Outcome>;

    /// Plays a move that [`generate`](Game::generate) gave for this position.
    fn play(&mut self, m: Self::Move);

    /// A hash of the position as the repetition rule sees it: board, side and rights, but no counters or history.
    fn key(&self) -> u64;

    /// Whether the repetition rule treats the two positions as the same: what [`key`](Game::key) hashes.
    fn same_position(&self, other: &Self) -> bool;

    /// A move as programs write it. [`parse_move`](Game::parse_move) reads it back.
    fn move_text(&self, m: Self::Move) -> String;

    /// The legal move that `text` names, in either way of writing.
    fn parse_move(&self, text: &str) -> Result<Self::Move, MoveError>;

    /// The options of this game's rules, except where it begins and how positions are estimated, as
    /// [`read_foreign_rules`](crate::read_foreign_rules) reads them; empty for the usual rules.
    fn chosen_rules(&self) -> String {
        String::new()
    }

    /// How many plies ago the position was last on the board, if it was and the rules count that. Searches treat a
    /// repeated position as a draw, which it would be the third time: otherwise the winning side sees no harm in going
    /// round in circles.
    fn repeated_after(&self) -> Option<u32> {
        None
    }

    /// Puts the legal moves into `moves`, or none if the game is over, and returns how it ended.
    fn legal_moves(&self, moves: &mut Vec<Self::Move>) -> Option<Outcome> {
        self.generate(moves);
        let outcome = self.verdict(moves);
        if outcome.is_some() {
            moves.clear();
        }
        outcome
    }

    /// How the game has ended, if it has. Generates moves: where they are at hand, [`verdict`](Game::verdict) is cheaper.
    fn outcome(&self) -> Option<Outcome> {
        self.legal_moves(&mut Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Chess;

    #[test]
    fn results_have_the_names_of_the_sides() {
        let tell = |outcome: Outcome| outcome.in_words::<Chess>();
        assert_eq!(tell(Outcome::win(Side::Second, "checkmate")), "black wins: checkmate");
        assert_eq!(tell(Outcome::draw("stalemate")), "draw: stalemate");
        let part = Outcome { score: First(Score::new(0.75)), reason: "stalemate" };
        assert_eq!(tell(part), "0.75 points for white, 0.25 for black: stalemate");
    }
}
