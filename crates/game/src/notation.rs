//! Text in: positions, moves and lines of moves, with errors for people.

use alfil_core::wording::shorten;

use crate::Game;

/// Why a text is no position of the game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{}' is no {game} position: {reason}", shorten(text))]
pub struct PositionError {
    game: &'static str,
    text: String,
    reason: String,
}

impl PositionError {
    /// `reason` completes the sentence "this is no such position: …".
    pub fn new<G: Game>(text: &str, reason: impl Into<String>) -> PositionError {
        PositionError { game: G::NAME, text: text.to_owned(), reason: reason.into() }
    }
}

/// Why a text does not choose rules of the game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{}' does not choose rules of {game}: {reason}", shorten(text))]
pub struct RulesError {
    game: &'static str,
    text: String,
    reason: String,
}

impl RulesError {
    /// `reason` completes the sentence "this does not choose rules: …".
    pub fn new<G: Game>(text: &str, reason: impl Into<String>) -> RulesError {
        RulesError { game: G::NAME, text: text.to_owned(), reason: reason.into() }
    }
}

/// The keys and values of `key=value,…`; the error is the part that has no value.
pub(crate) fn settings(text: &str) -> impl Iterator<Item = Result<(&str, &str), String>> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| match part.split_once('=') {
        Some((key, value)) => Ok((key.trim(), value.trim())),
        None => Err(format!("'{}' has no value, as in key=value", shorten(part))),
    })
}

/// What [`settings`] takes apart, of settings that may be empty.
pub(crate) fn join_settings<const N: usize>(settings: [&str; N]) -> String {
    settings.into_iter().filter(|setting| !setting.is_empty()).collect::<Vec<_>>().join(",")
}

/// Reads the most plies that a game may have.
pub(crate) fn read_ply_cap(value: &str) -> Result<u32, String> {
    let cap = value.parse().ok().filter(|cap| (1..=HIGHEST_PLY_CAP).contains(cap));
    cap.ok_or_else(|| format!("ply_cap is a number from 1 to {HIGHEST_PLY_CAP}"))
}

const HIGHEST_PLY_CAP: u32 = 100_000;

/// What [`read_ply_cap`] reads, with its key; nothing for the usual cap, or none.
pub(crate) fn ply_cap_text(cap: u32, usual: u32) -> String {
    if cap == usual || cap > HIGHEST_PLY_CAP { String::new() } else { format!("ply_cap={cap}") }
}

/// Why a text is no move in a position.
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

/// Plays the moves that `text` lists, separated by blanks or commas (or not at all, see [`Game::MOVE_WIDTH`]), and
/// returns them. On an error `game` stands after the moves before it.
///
/// ```
/// use alfil_game::{Game, chess::Chess, play_line};
///
/// let mut game = Chess::new(&Default::default());
/// play_line(&mut game, "e2e4 c5, Nf3").unwrap();
/// assert_eq!(game.position(), "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");
/// ```
pub fn play_line<G: Game>(game: &mut G, text: &str) -> Result<Vec<G::Move>, MoveError> {
    let mut played = Vec::new();
    for word in text.split([' ', '\t', '\r', '\n', ',']).filter(|word| !word.is_empty()) {
        let mut rest = word;
        while !rest.is_empty() {
            let width = G::MOVE_WIDTH.and_then(|width| rest.char_indices().nth(width)).map_or(rest.len(), |(at, _)| at);
            let (one, after) = rest.split_at(width);
            let m = game.parse_move(one)?;
            game.play(m);
            played.push(m);
            rest = after;
        }
    }
    Ok(played)
}
