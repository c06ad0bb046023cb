//! Reading PGN, one game after the other.

use crate::Notation;
use crate::read_foreign_rules;
use std::io::{self, Read};

use super::scan::{Scanner, Stop, Tag, Token};
use super::{PgnGame, read_result};
use crate::{MoveError, MoveNumbers};
use alfil_core::wording::shorten;

/// More than any game can have (in chess the 75-move rule ends all before ply 17,700), unless its rules allow more: a
/// longer one is an error.
const MOST_PLIES: usize = 20_000;
/// The most that rules can allow.
const MOST_PLIES_BY_RULES: u32 = 100_000;
const MOST_TAGS: usize = 1_000;
/// Bytes of all comments of one game.
const LONGEST_COMMENTS: usize = 1 << 20;

/// Why a game, or the rest of a file, could not be read.
#[derive(Debug, thiserror::Error)]
pub enum PgnError {
    /// This game is bad and was skipped; the next one may be good.
    #[error("game {number}: {reason}")]
    Game {
        /// Counted from 1.
        number: usize,
        /// What is wrong.
        reason: String,
    },
    /// The file could not be read; nothing follows.
    #[error("reading failed: {0}")]
    Io(#[from] io::Error),
}

/// Reads games from a stream, holding one at a time in memory.
///
/// Tolerates what real files contain: comments, variations, annotations, byte order marks, Latin-1, missing tags,
/// several games in a file. A game with an illegal move or an impossible start position is an error by itself. In
/// chess, words that cannot be moves are skipped: a misspelt move shows in the moves after it, if any. In other games,
/// which only programs write, they are errors.
///
/// ```
/// use alfil_game::{chess::Chess, connect4::Connect4, pgn::PgnReader};
///
/// let file = "[White \"A\"]\n\n1.e4 e5 (1...c5) 2.Nf3! {natural} *\n\n1.e4 Ke4 *\n\n1. d4 1-0\n";
/// let games: Vec<_> = PgnReader::<Chess, _>::new(file.as_bytes()).collect();
/// assert_eq!(games[0].as_ref().unwrap().moves.len(), 3);
/// assert_eq!(games[1].as_ref().unwrap_err().to_string(), "game 2: move 1...Ke4 is not legal");
/// assert_eq!(games[2].as_ref().unwrap().result_text(), "1-0");
///
/// let file = "[Variant \"connect4\"]\n\n1. 4 4 2. 3 1-0\n";
/// let games: Vec<_> = PgnReader::<Connect4, _>::new(file.as_bytes()).collect();
/// assert_eq!(games[0].as_ref().unwrap().moves.len(), 3);
/// ```
pub struct PgnReader<G: Notation, R> {
    scanner: Scanner<R>,
    rules: G::Rules,
    number: usize,
    failed: bool,
}

impl<G: Notation, R: Read> PgnReader<G, R> {
    /// Reads games by the usual rules from `reader`, which need not be buffered.
    pub fn new(reader: R) -> PgnReader<G, R> {
        PgnReader { scanner: Scanner::new(reader), rules: G::Rules::default(), number: 0, failed: false }
    }

    /// Reads games by these rules, except where their tags set others.
    pub fn with_rules(self, rules: G::Rules) -> PgnReader<G, R> {
        PgnReader { rules, ..self }
    }

    fn read(&mut self) -> Result<PgnGame<G>, Stop> {
        let mut tags = Vec::new();
        while let Some(Tag { name, value }) = self.scanner.tag()? {
            if tags.len() >= MOST_TAGS {
                return bad(format!("more than {MOST_TAGS} tags"));
            }
            tags.push((text(&name), text(&unescape(&value))));
        }
        let start = start::<G>(&tags, &self.rules).map_err(Stop::Bad)?;
        let mut game = PgnGame { tags, ..PgnGame::new(start) };
        game.result = game.tag("Result").and_then(read_result).flatten();
        let is_terminated = self.read_moves(&mut game)?;
        if game.tags.is_empty() && game.moves.is_empty() && !is_terminated {
            return bad("there is no game in this text");
        }
        Ok(game)
    }

    /// Reads the moves. Returns whether a result was read, even if it is `*`.
    fn read_moves(&mut self, game: &mut PgnGame<G>) -> Result<bool, Stop> {
        let mut now = game.start.clone();
        let mut numbers = MoveNumbers::of(&now);
        let most_plies = MOST_PLIES.max(now.ply_cap().min(MOST_PLIES_BY_RULES) as usize);
        // Games that need a `Variant` tag are not written by hand.
        let is_strict = G::new(&G::Rules::default()).variant().is_some();
        let mut comments_left = LONGEST_COMMENTS;
        let mut is_terminated = false;
        while let Some(token) = self.scanner.token(comments_left)? {
            match token {
                Token::Comment => {
                    let bytes = self.scanner.text();
                    let Some(left) = comments_left.checked_sub(bytes.len()) else {
                        return bad(format!("more than {LONGEST_COMMENTS} bytes of comments"));
                    };
                    comments_left = left;
                    let comment = text(bytes).split_whitespace().collect::<Vec<_>>().join(" ");
                    if !comment.is_empty() {
                        game.comments.push((game.moves.len(), comment));
                    }
                }
                Token::Word => {
                    // A word that is not UTF-8 is not a move.
                    let Ok(word) = std::str::from_utf8(self.scanner.text()) else { continue };
                    if let Some(result) = read_result(word) {
                        (game.result, is_terminated) = (result, true);
                        continue;
                    }
                    let wrong = match parse_move(&now, word) {
                        Ok(_) if game.moves.len() >= most_plies => return bad(format!("more than {most_plies} plies")),
                        Ok(m) => {
                            numbers.next(now.side());
                            now.play(m);
                            game.moves.push(m);
                            continue;
                        }
                        Err(MoveError::Malformed { .. }) if is_strict && word.contains(char::is_alphanumeric) => {
                            "not written like one"
                        }
                        Err(MoveError::Malformed { .. }) => continue,
                        Err(MoveError::Ambiguous(_)) => "ambiguous",
                        Err(MoveError::Illegal(_)) => "not legal",
                    };
                    return bad(format!("move {}{} is {wrong}", numbers.next(now.side()), shorten(word)));
                }
            }
        }
        Ok(is_terminated)
    }
}

impl<G: Notation, R: Read> Iterator for PgnReader<G, R> {
    type Item = Result<PgnGame<G>, PgnError>;

    fn next(&mut self) -> Option<Result<PgnGame<G>, PgnError>> {
        if self.failed {
            return None;
        }
        let read = match self.scanner.find_game() {
            Ok(false) => return None,
            Ok(true) => self.read(),
            Err(error) => Err(error.into()),
        };
        self.number += 1;
        // The rest of a bad game is not a game of its own.
        let read = match read {
            Err(Stop::Bad(reason)) => self.scanner.pass_game().map_err(Stop::Io).and(Err(Stop::Bad(reason))),
            other => other,
        };
        Some(read.map_err(|stop| match stop {
            Stop::Bad(reason) => PgnError::Game { number: self.number, reason },
            Stop::Io(error) => {
                self.failed = true;
                error.into()
            }
        }))
    }
}

fn bad<T>(reason: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Bad(reason.into()))
}

/// The move that a word names, with or without marks for good and bad moves after it. Some games have such marks in
/// moves, so they are removed one by one until there is a move.
fn parse_move<G: Notation>(now: &G, word: &str) -> Result<G::Move, MoveError> {
    let parsed = now.parse_move(word);
    let mut bare = word;
    while let (Err(_), Some(shorter)) = (&parsed, bare.strip_suffix(['!', '?'])) {
        if let Ok(m) = now.parse_move(shorter) {
            return Ok(m);
        }
        bare = shorter;
    }
    // What is wrong with the move itself says more than that it has marks.
    if bare.len() < word.len() { now.parse_move(bare) } else { parsed }
}

/// Where the tags say that the game begins.
fn start<G: Notation>(tags: &[(String, String)], rules: &G::Rules) -> Result<G, String> {
    let tag = |name: &str| tags.iter().find(|(tag, _)| tag.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str());
    let rules = match tag("Rules").map(str::trim).filter(|rules| !matches!(*rules, "" | "?")) {
        None => rules.clone(),
        Some(text) => read_foreign_rules::<G>(text, rules).map_err(|error| error.to_string())?,
    };
    let chosen = match tag("Variant").map(str::trim).filter(|variant| !matches!(*variant, "" | "?")) {
        None => rules,
        Some(variant) => G::variant_rules(variant, &rules)
            .ok_or_else(|| format!("the variant '{}' is not {}", shorten(variant), G::NAME))?,
    };
    match tag("FEN") {
        None => Ok(G::new(&chosen)),
        Some(position) => G::from_loose_position(position, &chosen).map_err(|error| error.to_string()),
    }
}

/// Removes the backslash before a quote or another backslash.
fn unescape(value: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(value.len());
    let mut bytes = value.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        let escaped = if byte == b'\\' { bytes.next_if(|next| matches!(next, b'\\' | b'"')) } else { None };
        plain.push(escaped.unwrap_or(byte));
    }
    plain
}

/// UTF-8, or else Latin-1, which older files are written in.
fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}
