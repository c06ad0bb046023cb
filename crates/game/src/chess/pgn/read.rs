//! Reading PGN, one game after the other.

use std::io::{self, Read};
use std::ops::ControlFlow;

use pgn_reader::{KnownOutcome, RawComment, RawTag, Reader, SanPlus, Skip, Visitor};
use shakmaty::{Color, Position};

use super::PgnGame;
use crate::chess::{Chess, Move, Rules};
use crate::{First, Game, Score};

/// Longer than any game can be (the 75-move rule ends all before ply 17,700): what follows is no game.
const MOST_PLIES: usize = 20_000;
const MOST_TAGS: usize = 1_000;
const LONGEST_TAG: usize = 4_096;
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
/// Tolerant of what files in the world contain: comments, variations, annotations, byte order marks, Latin-1, missing
/// tags, several games in a file. A game with an illegal move or an impossible start position is an error by itself.
/// Words that cannot be moves are passed over, so a misspelt move shows by the moves after it, if any.
///
/// ```
/// use alfil_game::chess::pgn::PgnReader;
///
/// let file = "[White \"A\"]\n\n1.e4 e5 (1...c5) 2.Nf3! {natural} *\n\n1.e4 Ke4 *\n\n1. d4 1-0\n";
/// let games: Vec<_> = PgnReader::new(file.as_bytes()).collect();
/// assert_eq!(games[0].as_ref().unwrap().moves.len(), 3);
/// assert_eq!(games[1].as_ref().unwrap_err().to_string(), "game 2: move 1...Ke4 is not legal");
/// assert_eq!(games[2].as_ref().unwrap().result_text(), "1-0");
/// ```
pub struct PgnReader<R> {
    reader: Reader<R>,
    number: usize,
    failed: bool,
}

impl<R: Read> PgnReader<R> {
    /// Reads from `reader`, which need not be buffered.
    pub fn new(reader: R) -> PgnReader<R> {
        let reader = Reader::build(reader).set_supported_tag_line_length(LONGEST_TAG).finish();
        PgnReader { reader, number: 0, failed: false }
    }
}

impl<R: Read> Iterator for PgnReader<R> {
    type Item = Result<PgnGame, PgnError>;

    fn next(&mut self) -> Option<Result<PgnGame, PgnError>> {
        if self.failed {
            return None;
        }
        let read = self.reader.read_game(&mut Builder).transpose()?;
        self.number += 1;
        let bad = |reason| PgnError::Game { number: self.number, reason };
        Some(match read {
            Ok(game) => game.map_err(bad),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                // The reader has stopped in the middle of the game: what is left of it is no game of its own.
                match self.reader.skip_game() {
                    Err(error) if error.kind() != io::ErrorKind::InvalidData => self.failed = true,
                    _ => {}
                }
                Err(bad(error.to_string()))
            }
            Err(error) => {
                self.failed = true;
                Err(error.into())
            }
        })
    }
}

struct Builder;

struct Movetext {
    game: PgnGame,
    now: Chess,
    comment_bytes: usize,
    /// Whether a result was read, be it only `*`.
    terminated: bool,
}

type Output = Result<PgnGame, String>;

fn reject<T>(reason: impl Into<String>) -> ControlFlow<Output, T> {
    ControlFlow::Break(Err(reason.into()))
}

impl Visitor for Builder {
    type Tags = Vec<(String, String)>;
    type Movetext = Movetext;
    type Output = Output;

    fn begin_tags(&mut self) -> ControlFlow<Output, Self::Tags> {
        ControlFlow::Continue(Vec::new())
    }

    fn tag(&mut self, tags: &mut Self::Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Output> {
        if tags.len() >= MOST_TAGS {
            return reject(format!("more than {MOST_TAGS} tags"));
        }
        tags.push((text(name), text(&unescape(value.as_bytes()))));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Self::Tags) -> ControlFlow<Output, Movetext> {
        match start(&tags) {
            Ok(start) => {
                let now = start.clone();
                let game = PgnGame { tags, ..PgnGame::new(start) };
                let result = game.tag("Result").and_then(|text| text.parse().ok()).and_then(score);
                ControlFlow::Continue(Movetext {
                    game: PgnGame { result, ..game },
                    now,
                    comment_bytes: 0,
                    terminated: false,
                })
            }
            Err(reason) => reject(reason),
        }
    }

    fn san(&mut self, movetext: &mut Movetext, san: SanPlus) -> ControlFlow<Output> {
        let Movetext { game, now, .. } = movetext;
        if game.moves.len() >= MOST_PLIES {
            return reject(format!("more than {MOST_PLIES} plies"));
        }
        match san.san.to_move(now.shakmaty()) {
            Ok(m) => {
                game.moves.push(Move::from_shakmaty(m));
                now.play_shakmaty(m);
                ControlFlow::Continue(())
            }
            Err(error) => {
                let position = now.shakmaty();
                let dots = if position.turn() == Color::White { "." } else { "..." };
                let wrong = if error == shakmaty::san::SanError::AmbiguousSan { "ambiguous" } else { "not legal" };
                reject(format!("move {}{dots}{san} is {wrong}", position.fullmoves()))
            }
        }
    }

    fn comment(&mut self, movetext: &mut Movetext, comment: RawComment<'_>) -> ControlFlow<Output> {
        movetext.comment_bytes += comment.0.len();
        if movetext.comment_bytes > LONGEST_COMMENTS {
            return reject(format!("more than {LONGEST_COMMENTS} bytes of comments"));
        }
        let comment = text(comment.0).split_whitespace().collect::<Vec<_>>().join(" ");
        if !comment.is_empty() {
            movetext.game.comments.push((movetext.game.moves.len(), comment));
        }
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Movetext) -> ControlFlow<Output, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn outcome(&mut self, movetext: &mut Movetext, outcome: pgn_reader::Outcome) -> ControlFlow<Output> {
        movetext.game.result = score(outcome);
        movetext.terminated = true;
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, movetext: Movetext) -> Output {
        let game = movetext.game;
        if game.tags.is_empty() && game.moves.is_empty() && game.result.is_none() && !movetext.terminated {
            return Err("there is no game in this text".to_owned());
        }
        Ok(game)
    }
}

fn score(outcome: pgn_reader::Outcome) -> Option<First<Score>> {
    outcome.known().map(|known| {
        First(match known {
            KnownOutcome::Decisive { winner: Color::White } => Score::WIN,
            KnownOutcome::Decisive { winner: Color::Black } => Score::LOSS,
            KnownOutcome::Draw => Score::DRAW,
        })
    })
}

fn start(tags: &[(String, String)]) -> Result<Chess, String> {
    let tag = |name: &str| tags.iter().find(|(tag, _)| tag.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str());
    let mut rules = Rules::default();
    if let Some(variant) = tag("Variant") {
        match variant.to_ascii_lowercase().replace([' ', '-'], "").as_str() {
            "chess960" | "fischerandom" | "fischerrandom" => rules.chess960 = true,
            "" | "?" | "chess" | "standard" | "normal" | "fromposition" => {}
            _ => return Err(format!("the variant '{variant}' is not chess")),
        }
    }
    match tag("FEN") {
        None => Ok(Chess::new(&rules)),
        Some(fen) => {
            // Many programs leave the counters out.
            let complete = if fen.split_whitespace().count() == 4 { format!("{fen} 0 1") } else { fen.to_owned() };
            Chess::from_position(&complete, &rules).map_err(|error| error.to_string())
        }
    }
}

/// Takes away the backslash before a quote or another backslash. (`RawTag::decode` of pgn-reader 0.29 takes one too
/// many where both stand side by side.)
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
