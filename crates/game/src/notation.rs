//! Text in and out: positions, moves and lines of moves, with readable errors.

use alfil_core::wording::shorten;

use crate::{Game, Language};

/// How people and files write moves and games. By default, the same way as programs.
pub trait Notation: Game {
    /// If every move is written with this many characters, a line of moves needs no spaces between them.
    const MOVE_WIDTH: Option<usize> = None;

    /// A move as people write it. [`parse_move`](Game::parse_move) reads it as well.
    fn move_name(&self, m: Self::Move) -> String {
        self.move_text(m)
    }

    /// The legal move that somebody typed: as [`parse_move`](Game::parse_move) reads it, and with the letters of this language,
    /// where pieces have letters.
    fn parse_typed(&self, text: &str, language: Language) -> Result<Self::Move, MoveError> {
        let _ = language;
        self.parse_move(text)
    }

    /// The number of the move about to be played, where positions know it; games are counted from it.
    fn move_number(&self) -> u32 {
        1
    }

    /// The position that a text from elsewhere describes: like [`from_position`](Game::from_position), but tolerates
    /// what other programs leave out or add.
    fn from_loose_position(text: &str, rules: &Self::Rules) -> Result<Self, PositionError> {
        Self::from_position(text, rules)
    }

    /// The `Variant` tag of a PGN file with a game from here; none where the format needs no tag.
    fn variant(&self) -> Option<&'static str> {
        Some(Self::NAME)
    }

    /// The rules of a PGN file with this `Variant` tag: `rules`, except what the tag changes. None if the tag is of
    /// another game.
    fn variant_rules(variant: &str, rules: &Self::Rules) -> Option<Self::Rules> {
        variant.eq_ignore_ascii_case(Self::NAME).then(|| rules.clone())
    }
}

/// Why a text is not a position of the game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{}' is not a {game} position: {reason}", shorten(text))]
pub struct PositionError {
    game: &'static str,
    text: String,
    reason: String,
}

impl PositionError {
    /// `reason` completes the sentence "this is not a position: …".
    pub fn new<G: Game>(text: &str, reason: impl Into<String>) -> PositionError {
        PositionError { game: G::NAME, text: text.to_owned(), reason: reason.into() }
    }
}

/// Why a text is not a move in a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The text does not have the form of a move.
    #[error("'{}' is not written like a move: {expected}", shorten(text))]
    Malformed {
        /// What was read.
        text: String,
        /// What moves look like, for the user.
        expected: &'static str,
    },
    /// A move, but not one that can be played here.
    #[error("'{}' is not a legal move here", shorten(.0))]
    Illegal(String),
    /// More than one move could be meant.
    #[error("'{}' could be more than one move here", shorten(.0))]
    Ambiguous(String),
}

/// Plays the moves that `text` lists, separated by blanks or commas (or not at all, see [`Notation::MOVE_WIDTH`]), and
/// returns them. Piece letters are English, or [Spanish](Language::of) in the whole line. On an error `game` stands after the moves
/// before it.
///
/// ```
/// use alfil_game::{Game, chess::Chess, play_line};
///
/// let mut game = Chess::new(&Default::default());
/// play_line(&mut game, "e2e4 c5, Cf3").unwrap();
/// assert_eq!(game.position(), "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");
/// ```
pub fn play_line<G: Notation>(game: &mut G, text: &str) -> Result<Vec<G::Move>, MoveError> {
    let language = Language::of(text);
    let mut played = Vec::new();
    for word in text.split([' ', '\t', '\r', '\n', ',']).filter(|word| !word.is_empty()) {
        let mut rest = word;
        while !rest.is_empty() {
            let width = G::MOVE_WIDTH.and_then(|width| rest.char_indices().nth(width)).map_or(rest.len(), |(at, _)| at);
            let (one, after) = rest.split_at(width);
            let m = game.parse_typed(one, language)?;
            game.play(m);
            played.push(m);
            rest = after;
        }
    }
    Ok(played)
}
