//! Standard algebraic notation, with English or Spanish piece letters.

use shakmaty::san::{San, SanError, SanPlus};

use super::{Chess, Move};
use crate::MoveError;
use crate::language::LETTERS;
pub use crate::language::Language;

/// A legal move with piece letter, disambiguation and check mark as needed.
///
/// ```
/// use alfil_game::{Game, chess::{Chess, san::{self, Language}}, play_line};
///
/// let mut game = Chess::new(&Default::default());
/// play_line(&mut game, "d4 d5 Nf3 Nf6").unwrap();
/// let m = san::parse(&game, "Cbd2", Language::Spanish).unwrap();
/// assert_eq!(san::write(&game, m, Language::English), "Nbd2");
/// ```
pub fn write(game: &Chess, m: Move, language: Language) -> String {
    let Some(m) = m.to_shakmaty(game.shakmaty()) else { return format!("{m:?}") };
    let english = SanPlus::from_move(game.shakmaty().clone(), m).to_string();
    match language {
        Language::English => english,
        Language::Spanish => english
            .chars()
            .map(|c| LETTERS.iter().find(|(_, english)| *english == c).map_or(c, |(spanish, _)| *spanish))
            .collect(),
    }
}

/// The legal move that `text` names. Check and annotation marks are optional and not checked; castling may be written
/// with the letter O or the digit 0, promotion with or without '='.
pub fn parse(game: &Chess, text: &str, language: Language) -> Result<Move, MoveError> {
    let malformed = || MoveError::Malformed {
        text: text.to_owned(),
        expected: match language {
            Language::English => "e2e4, Nf3 or exd8=Q",
            Language::Spanish => "Cf3 or exd8=D",
        },
    };
    let bare = text.trim_end_matches(['!', '?', '+', '#']);
    let usual = if language == Language::English { San::from_ascii(bare.as_bytes()).ok() } else { None };
    let san = match usual {
        Some(san) => san,
        None => San::from_ascii(respell(bare, language).ok_or_else(malformed)?.as_bytes()).map_err(|_| malformed())?,
    };
    match san.to_move(game.shakmaty()) {
        Ok(m) => Ok(Move::from_shakmaty(m)),
        Err(SanError::IllegalSan) => Err(MoveError::Illegal(text.to_owned())),
        Err(SanError::AmbiguousSan) => Err(MoveError::Ambiguous(text.to_owned())),
    }
}

/// The move with English letters and '=' before the promotion, which may stand without it and in lower case, as in
/// `fxg1c`. `None` if it cannot be a move in that language.
fn respell(text: &str, language: Language) -> Option<String> {
    match text {
        "0-0" => return Some("O-O".to_owned()),
        "0-0-0" => return Some("O-O-O".to_owned()),
        _ => {}
    }
    if !text.is_ascii() {
        return None;
    }
    let english = |letter| language.to_english(letter);
    // Only the first character and the promotion can be piece letters.
    let (body, promotion) = match text.strip_suffix(|c: char| c.is_ascii_alphabetic()) {
        Some(body) if body.trim_end_matches('=').ends_with(['1', '8']) => {
            (body.strip_suffix('=').unwrap_or(body), text.chars().next_back())
        }
        _ => (text, None),
    };
    let mut result = String::with_capacity(text.len() + 1);
    match body.chars().next() {
        Some(first) if first.is_ascii_uppercase() && first != 'O' => {
            result.push(english(first)?);
            result.push_str(&body[1..]);
        }
        _ => result.push_str(body),
    }
    if let Some(promotion) = promotion {
        result.push('=');
        result.push(english(promotion.to_ascii_uppercase())?);
    }
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Game;
    use crate::notation::Notation;

    fn position(fen: &str) -> Chess {
        Chess::from_position(fen, &Default::default()).unwrap()
    }

    fn spanish(game: &Chess, text: &str) -> Result<String, MoveError> {
        parse(game, text, Language::Spanish).map(|m| game.move_name(m))
    }

    #[test]
    fn the_same_letter_is_king_in_spanish_and_rook_in_english() {
        let game = position("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1");
        assert_eq!(spanish(&game, "Rd1").unwrap(), "Kd1");
        assert_eq!(spanish(&game, "Td1").unwrap(), "Rd1");
        assert_eq!(spanish(&game, "0-0-0").unwrap(), "O-O-O");
        assert!(spanish(&game, "Kd1").is_err());
    }

    #[test]
    fn promotions_are_read_in_both_ways_of_writing() {
        let game = position("4k3/8/8/8/8/8/5p2/K5R1 b - - 0 1");
        for text in ["fxg1c", "fxg1=C", "fxg1C"] {
            assert_eq!(spanish(&game, text).unwrap(), "fxg1=N");
        }
        assert!(spanish(&game, "fxg1=X").is_err());
        let m = game.parse_move("fxg1=N").unwrap();
        assert_eq!(write(&game, m, Language::Spanish), "fxg1=C");
        assert_eq!(game.parse_move("fxg1N").unwrap(), m);
        let rooks = position("4k3/8/8/8/3R4/8/8/3RK3 w - - 0 1");
        assert_eq!(spanish(&rooks, "T1d2").unwrap(), "R1d2");
    }

    #[test]
    fn malformed_illegal_and_ambiguous_moves_are_distinguished() {
        let game = position("4k3/8/8/8/8/8/8/RR2K3 w - - 0 1");
        assert!(matches!(game.parse_move("castle"), Err(MoveError::Malformed { .. })));
        assert!(matches!(game.parse_move("Nf3"), Err(MoveError::Illegal(_))));
        assert!(matches!(game.parse_move("e2e4"), Err(MoveError::Illegal(_))));
        let ambiguous = position("4k3/8/8/8/8/8/8/R3K2R w - - 0 1");
        assert!(ambiguous.parse_move("Rf1").is_ok());
        let ambiguous = position("4k3/8/8/R6R/8/8/8/4K3 w - - 0 1");
        assert!(matches!(ambiguous.parse_move("Rd5"), Err(MoveError::Ambiguous(_))));
    }
}
