//! Forsyth-Edwards notation, strict.

use shakmaty::fen::{Fen, ParseFenError};
use shakmaty::{CastlingMode, EnPassantMode, PositionErrorKinds};

use super::{Chess, Rules};
use crate::PositionError;

/// Reads a FEN with all six fields that describes a possible position; `chess960:N` is the Chess960 start position with
/// that number.
pub(super) fn parse(text: &str, rules: &Rules) -> Result<Chess, PositionError> {
    let wrong = |reason: String| PositionError::new::<Chess>(text, reason);
    if let Some(number) = text.strip_prefix("chess960:") {
        return number
            .parse()
            .ok()
            .and_then(|number| Chess::chess960(number, rules))
            .ok_or_else(|| wrong("Chess960 start positions are numbered from 0 to 959".to_owned()));
    }
    let fields: Vec<&str> = text.split_ascii_whitespace().collect();
    let [pieces, _, _, _, halfmoves, number] = fields[..] else {
        let count = fields.len();
        return Err(wrong(format!(
            "a FEN has six fields (pieces, side to move, castling, en passant, two counters), this has {count}"
        )));
    };
    // What shakmaty reads for other variants or tolerates.
    let counts = |field: &str| field.parse::<u32>().ok().filter(|_| field.bytes().all(|byte| byte.is_ascii_digit()));
    if pieces.contains(['[', ']', '~']) {
        return Err(wrong(malformed(&ParseFenError::InvalidBoard).to_owned()));
    }
    if counts(halfmoves).is_none() {
        return Err(wrong(malformed(&ParseFenError::InvalidHalfmoveClock).to_owned()));
    }
    if counts(number).is_none_or(|number| number == 0) {
        return Err(wrong(malformed(&ParseFenError::InvalidFullmoves).to_owned()));
    }
    let fen = Fen::from_ascii(text.trim().as_bytes()).map_err(|error| wrong(malformed(&error).to_owned()))?;
    let setup = fen.into_setup();
    let mode = if rules.chess960 { CastlingMode::Chess960 } else { CastlingMode::detect(&setup) };
    let position =
        setup.position(mode).map_err(|error: shakmaty::PositionError<_>| wrong(impossible(error.kinds())))?;
    Ok(Chess::from_shakmaty(position, rules))
}

/// Also reads a FEN without its counters, or an EPD: the first four fields, and the counters where there are any.
pub(super) fn parse_loosely(text: &str, rules: &Rules) -> Result<Chess, PositionError> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let [pieces, side, castling, en_passant, rest @ ..] = words.as_slice() else { return parse(text, rules) };
    let is_count = |word: &str| word.parse::<u32>().is_ok();
    let counters = match rest {
        [halfmoves, number, ..] if is_count(halfmoves) && is_count(number) => format!("{halfmoves} {number}"),
        _ => "0 1".to_owned(),
    };
    parse(&format!("{pieces} {side} {castling} {en_passant} {counters}"), rules)
}

/// Writes a FEN. The en-passant square appears only where an en-passant capture is legal.
pub(super) fn write(position: &shakmaty::Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}

fn malformed(error: &ParseFenError) -> &'static str {
    match error {
        ParseFenError::InvalidBoard | ParseFenError::InvalidPocket => {
            "the first field must list eight ranks of eight squares, from rank 8 to rank 1, separated by '/'"
        }
        ParseFenError::InvalidTurn => "the second field must be w or b",
        ParseFenError::InvalidCastling => {
            "the third field must be castling rights such as KQkq (or rook files, in Chess960) or '-'"
        }
        ParseFenError::InvalidEpSquare => "the fourth field must be an en-passant square such as e3 or '-'",
        ParseFenError::InvalidHalfmoveClock | ParseFenError::InvalidRemainingChecks => {
            "the fifth field must be the number of plies since the last capture or pawn move"
        }
        ParseFenError::InvalidFullmoves => "the sixth field must be the number of the move, from 1",
        ParseFenError::InvalidFen => "it is not a FEN",
    }
}

fn impossible(kinds: PositionErrorKinds) -> String {
    let reasons = [
        (PositionErrorKinds::EMPTY_BOARD, "the board is empty"),
        (PositionErrorKinds::MISSING_KING, "a king is missing"),
        (PositionErrorKinds::TOO_MANY_KINGS, "a side has more than one king"),
        (PositionErrorKinds::PAWNS_ON_BACKRANK, "a pawn stands on rank 1 or 8"),
        (PositionErrorKinds::INVALID_CASTLING_RIGHTS, "castling rights without king and rook in their places"),
        (PositionErrorKinds::INVALID_EP_SQUARE, "no pawn has just passed the en-passant square"),
        (PositionErrorKinds::OPPOSITE_CHECK, "the side that is not to move is in check"),
        (PositionErrorKinds::IMPOSSIBLE_CHECK, "no last move could have given this check"),
        (PositionErrorKinds::TOO_MUCH_MATERIAL, "a side has more pieces than promotions can bring"),
    ];
    // An empty board has no kings either: one reason is enough.
    let found = reasons.iter().find(|(kind, _)| kinds.contains(*kind));
    found.map_or("it cannot arise in a game", |(_, reason)| reason).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Game;

    fn error(text: &str) -> String {
        parse(text, &Rules::default()).unwrap_err().to_string()
    }

    #[test]
    fn each_mistake_has_its_own_sentence() {
        for (text, expected) in [
            ("", "six fields"),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", "this has 4"),
            ("rnbqkbnr/pppppppp/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "eight ranks"),
            ("rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "eight ranks"),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1", "w or b"),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w QQ!q - 0 1", "castling rights such as"),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e9 0 1", "en-passant square such as"),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - x 1", "fifth field"),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 y", "sixth field"),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 0", "sixth field"),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 3+3 0", "fifth field"),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1", "eight ranks"),
            ("rnbqkb~nr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "eight ranks"),
            ("8/8/8/8/8/8/8/8 w - - 0 1", "empty"),
            ("8/8/8/8/8/8/8/K7 w - - 0 1", "king is missing"),
            ("k7/8/8/8/8/8/8/KK6 w - - 0 1", "more than one king"),
            ("k6P/8/8/8/8/8/8/K7 w - - 0 1", "rank 1 or 8"),
            ("k7/8/8/8/8/8/8/K7 w Q - 0 1", "castling rights without"),
            ("k7/8/8/8/8/8/8/K7 w - e6 0 1", "no pawn has just passed"),
            ("k7/8/8/8/8/8/8/K6r b - - 0 1", "not to move is in check"),
            ("chess960:960", "0 to 959"),
        ] {
            assert!(error(text).contains(expected), "{text}: {}", error(text));
        }
    }

    #[test]
    fn en_passant_is_written_only_where_it_is_possible() {
        let written = |text| Chess::from_position(text, &Rules::default()).unwrap().position();
        assert_eq!(
            written("rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 0 2"),
            "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
        );
        // The capture would leave the king on the fifth rank in check.
        assert_eq!(written("8/8/8/K2pP2r/8/8/8/7k w - d6 0 2"), "8/8/8/K2pP2r/8/8/8/7k w - - 0 2");
    }
}
