//! Portable game notation.

mod read;
mod write;

pub use read::{PgnError, PgnReader};

use std::io;

use super::{Chess, Move};
use crate::{First, Game, Outcome, Score};

/// A game as a PGN file holds it. Variations and annotation glyphs are not kept.
#[derive(Clone, Debug)]
pub struct PgnGame {
    /// Name and value, in the order of the file.
    pub tags: Vec<(String, String)>,
    /// The position before the first move.
    pub start: Chess,
    /// The moves that were played.
    pub moves: Vec<Move>,
    /// Comments, each with the number of moves that stand before it.
    pub comments: Vec<(usize, String)>,
    /// White's points; none for an unfinished game.
    pub result: Option<First<Score>>,
}

impl PgnGame {
    /// A game with no moves yet.
    pub fn new(start: Chess) -> PgnGame {
        PgnGame { tags: Vec::new(), start, moves: Vec::new(), comments: Vec::new(), result: None }
    }

    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }

    /// The position after the last move.
    pub fn end(&self) -> Chess {
        let mut game = self.start.clone();
        self.moves.iter().for_each(|&m| game.play(m));
        game
    }

    /// Takes the result from the rules.
    pub fn set_outcome(&mut self, outcome: Option<Outcome>) {
        self.result = outcome.map(|outcome| outcome.score);
    }

    /// The result as PGN writes it.
    pub fn result_text(&self) -> &'static str {
        match self.result.map(|First(score)| score) {
            Some(Score::WIN) => "1-0",
            Some(Score::LOSS) => "0-1",
            Some(_) => "1/2-1/2",
            None => "*",
        }
    }

    /// Writes the game with the seven standard tags first, and an empty line at its end.
    pub fn write(&self, out: &mut impl io::Write) -> io::Result<()> {
        write::write(self, out)
    }
}
