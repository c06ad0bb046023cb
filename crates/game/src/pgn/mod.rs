//! Portable game notation, for every game.
//!
//! Chess is written as the standard says. Other games follow it with their own moves and positions, and name themselves in the
//! `Variant` tag, as programs for chess variants do.

mod player_name;
mod read;
mod scan;
mod write;

use crate::Notation;
pub use player_name::PlayerName;
pub use read::{PgnError, PgnReader};

use std::io;

use crate::{First, Outcome, Score};

/// A game as a PGN file holds it. Variations and annotation glyphs are not kept.
#[derive(Clone, Debug)]
pub struct PgnGame<G: Notation> {
    /// Name and value, in the order of the file.
    pub tags: Vec<(String, String)>,
    /// The position before the first move.
    pub start: G,
    /// The moves that were played.
    pub moves: Vec<G::Move>,
    /// Comments, each with the number of moves that stand before it.
    pub comments: Vec<(usize, String)>,
    /// The first player's points; none for an unfinished game.
    pub result: Option<First<Score>>,
}

/// What an annotator says about a move.
#[derive(Clone, Debug)]
pub struct Annotation<M> {
    /// Glyphs by their numbers in the standard: 2 is a mistake (`?`), 4 a blunder (`??`), 6 an inaccuracy (`?!`).
    pub glyphs: Vec<u8>,
    /// A comment after the move; empty for none.
    pub comment: String,
    /// Moves that could have been played in place of it and after that.
    pub variation: Vec<M>,
    /// A comment after the first move of the variation; empty for none.
    pub variation_comment: String,
}

impl<M> Default for Annotation<M> {
    fn default() -> Annotation<M> {
        Annotation {
            glyphs: Vec::new(),
            comment: String::new(),
            variation: Vec::new(),
            variation_comment: String::new(),
        }
    }
}

/// How results are written, with the first player's points. PGN knows the first three; the quarters are for rules by which, for
/// example, stalemate is worth something.
const RESULTS: [(&str, f32); 5] = [("1-0", 1.0), ("0-1", 0.0), ("1/2-1/2", 0.5), ("3/4-1/4", 0.75), ("1/4-3/4", 0.25)];

/// How an unfinished game ends.
const UNFINISHED: &str = "*";

impl<G: Notation> PgnGame<G> {
    /// A game with no moves yet.
    pub fn new(start: G) -> PgnGame<G> {
        PgnGame { tags: Vec::new(), start, moves: Vec::new(), comments: Vec::new(), result: None }
    }

    /// The value of a tag, whatever the case of its name.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The position after the last move.
    pub fn end(&self) -> G {
        let mut game = self.start.clone();
        self.moves.iter().for_each(|&m| game.play(m));
        game
    }

    /// Takes the result from the rules.
    pub fn set_outcome(&mut self, outcome: Option<Outcome>) {
        self.result = outcome.map(|outcome| outcome.score);
    }

    /// The result as PGN writes it, to the nearest quarter of a point.
    pub fn result_text(&self) -> &'static str {
        let Some(First(score)) = self.result else { return UNFINISHED };
        let away = |points: f32| (points - score.points()).abs();
        RESULTS.iter().min_by(|(_, a), (_, b)| away(*a).total_cmp(&away(*b))).map_or(UNFINISHED, |(text, _)| text)
    }

    /// Writes the game with the seven standard tags first, and an empty line at its end.
    pub fn write(&self, out: &mut impl io::Write) -> io::Result<()> {
        write::write(self, &[], out)
    }

    /// Writes the game with annotations of its moves, in their order. The moves of variations have to be legal.
    pub fn write_annotated(&self, annotations: &[Annotation<G::Move>], out: &mut impl io::Write) -> io::Result<()> {
        write::write(self, annotations, out)
    }
}

/// Whether a text is a result, and which one; none for an unfinished game. Some files have typographic dashes and halves.
fn read_result(text: &str) -> Option<Option<First<Score>>> {
    let known = |text: &str| RESULTS.iter().find(|(known, _)| *known == text).map(|(_, points)| *points);
    let points = match text {
        UNFINISHED => return Some(None),
        _ if text.is_ascii() => known(text)?,
        _ => known(&text.replace(['–', '—'], "-").replace('½', "1/2"))?,
    };
    Some(Some(First(Score::new(points))))
}
