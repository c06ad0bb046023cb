//! Moves as text: in coordinates, as programs write them, and in algebraic notation, as people do.

use super::board::Role;
use super::cell::{Cell, file_called, file_letter, rank_called};
use super::generate::generate;
use super::moves::Move;
use super::position::Position;
use crate::{Language, MoveError};

/// A legal move with piece letter, disambiguation and check mark as needed.
pub(super) fn write(position: &Position, m: Move) -> String {
    let Some(role) = position.board().role_at(m.from()) else { return format!("{m:?}") };
    let captures = position.capture(m).is_some();
    let mut text = match role {
        Role::Pawn if captures => file_letter(m.from().file()).to_string(),
        Role::Pawn => String::new(),
        piece => format!("{}{}", piece.letter().to_ascii_uppercase(), disambiguation(position, piece, m)),
    };
    if captures {
        text.push('x');
    }
    text.push_str(&m.to().to_string());
    if let Some(promotion) = position.promotion(m) {
        text.extend(['=', promotion.letter().to_ascii_uppercase()]);
    }
    let mut after = position.clone();
    after.play(m);
    if after.in_check(after.turn()) {
        let mut replies = Vec::new();
        generate(&after, &mut replies);
        text.push(if replies.is_empty() { '#' } else { '+' });
    }
    text
}

/// File, rank or both of the from cell, where another piece of the same kind could go to the same cell.
fn disambiguation(position: &Position, role: Role, m: Move) -> String {
    let mut moves = Vec::new();
    generate(position, &mut moves);
    let pieces = position.board().role(role);
    let rivals: Vec<Cell> = moves.into_iter().filter(|other| other.to() == m.to()).map(Move::from).collect();
    let rivals = || rivals.iter().filter(|&&cell| cell != m.from() && pieces.contains(cell));
    let (file, rank) = (m.from().file(), m.from().rank());
    if rivals().next().is_none() {
        String::new()
    } else if rivals().all(|rival| rival.file() != file) {
        file_letter(file).to_string()
    } else if rivals().all(|rival| rival.rank() != rank) {
        rank.to_string()
    } else {
        m.from().to_string()
    }
}

/// The legal move that `text` names. Check, annotation and capture marks are optional and not checked; a promotion may
/// be written with or without '=', in either case.
pub(super) fn parse(position: &Position, text: &str) -> Result<Move, MoveError> {
    let malformed = || MoveError::Malformed { text: text.to_owned(), expected: "g4g6, Nf3 or fxg10=Q" };
    let written = Written::read(text).ok_or_else(malformed)?;
    let mut moves = Vec::new();
    generate(position, &mut moves);
    let mut meant = moves.into_iter().filter(|m| written.means(position, *m));
    match (meant.next(), meant.next()) {
        (Some(m), None) => Ok(m),
        (None, _) => Err(MoveError::Illegal(text.to_owned())),
        (Some(_), Some(_)) => Err(MoveError::Ambiguous(text.to_owned())),
    }
}

/// The same with Spanish letters.
pub(super) fn parse_spanish(position: &Position, text: &str) -> Result<Move, MoveError> {
    let malformed = || MoveError::Malformed { text: text.to_owned(), expected: "g4g6, Cf3 or fxg10=D" };
    let english = |letter| Language::Spanish.to_english(letter).ok_or_else(malformed);
    let bare = text.trim_end_matches(['!', '?', '+', '#']);
    let mut letters: Vec<char> = bare.chars().collect();
    if let Some(first) = letters.first_mut().filter(|first| first.is_ascii_uppercase()) {
        *first = english(*first)?;
    }
    if let Some(last) = letters.last_mut().filter(|last| last.is_ascii_alphabetic()) {
        *last = english(*last)?;
    }
    parse(position, &letters.into_iter().collect::<String>()).map_err(|error| match error {
        MoveError::Malformed { .. } => malformed(),
        MoveError::Illegal(_) => MoveError::Illegal(text.to_owned()),
        MoveError::Ambiguous(_) => MoveError::Ambiguous(text.to_owned()),
    })
}

/// What the text of a move says.
struct Written {
    /// `None` where the from cell is given instead, as in coordinates.
    role: Option<Role>,
    file: Option<usize>,
    rank: Option<usize>,
    to: Cell,
    promotion: Option<Role>,
}

impl Written {
    fn read(text: &str) -> Option<Written> {
        let bare = text.trim_end_matches(['!', '?', '+', '#']);
        let (piece, body) = match bare.chars().next()? {
            letter @ ('K' | 'Q' | 'R' | 'B' | 'N') => (Role::called(letter.to_ascii_lowercase()), &bare[1..]),
            _ => (None, bare),
        };
        let (body, promotion) = match body.strip_suffix(|c: char| c.is_ascii_alphabetic()) {
            Some(before) => {
                let role = Role::called(body.chars().next_back()?.to_ascii_lowercase())?;
                (before.strip_suffix('=').unwrap_or(before), Some(role))
            }
            None => (body, None),
        };
        let (from, to) = body.split_at(body.rfind(|c: char| c.is_ascii_alphabetic())?);
        let from = from.strip_suffix('x').unwrap_or(from);
        let (file, digits) = match from.chars().next() {
            Some(letter) if !letter.is_ascii_digit() => (Some(file_called(letter)?), &from[1..]),
            _ => (None, from),
        };
        let rank = if digits.is_empty() { None } else { Some(rank_called(digits)?) };
        let role = if piece.is_none() && (file.is_none() || rank.is_none()) { Some(Role::Pawn) } else { piece };
        Some(Written { role, file, rank, to: Cell::parse(to)?, promotion })
    }

    fn means(&self, position: &Position, m: Move) -> bool {
        self.to == m.to()
            && self.file.is_none_or(|file| file == m.from().file())
            && self.rank.is_none_or(|rank| rank == m.from().rank())
            && self.role.is_none_or(|role| position.board().role(role).contains(m.from()))
            && self.promotion == position.promotion(m)
    }
}

#[cfg(test)]
mod tests {
    use crate::hexchess::HexChess;
    use crate::notation::Notation;
    use crate::{Game, Language, MoveError, play_line};

    fn position(text: &str) -> HexChess {
        HexChess::from_position(text, &Default::default()).unwrap()
    }

    fn name(game: &HexChess, text: &str) -> String {
        game.move_name(game.parse_move(text).unwrap())
    }

    #[test]
    fn names_say_no_more_than_needed() {
        let game = position("1/3/k4/7/9/11/R10/11/2N3N4/11/R4K5 w - 0 1");
        assert_eq!((name(&game, "a1a3"), name(&game, "a5a3")), ("R1a3".to_owned(), "R5a3".to_owned()));
        assert_eq!(name(&game, "g3f6"), "Nf6");
        // The queen on f3 shares its file with one and its rank with the other.
        let queens = position("1/3/2Q2/7/9/11/k10/11/5Q2Q2/11/10K w - 0 1");
        let names = ["f3f6", "f9f6", "i3f6"].map(|text| name(&queens, text));
        assert_eq!(names, ["Qf3f6", "Q9f6", "Qif6"]);
        assert!(matches!(queens.parse_move("Qf6"), Err(MoveError::Ambiguous(_))));
    }

    #[test]
    fn promotions_captures_and_marks_are_written_and_read() {
        let game = position("1/1Pr/5/7/9/11/11/11/1k9/11/5K5 w - 0 1");
        assert_eq!(name(&game, "f10g10b"), "fxg10=B");
        assert_eq!(name(&game, "f10f11q"), "f11=Q+");
        for text in ["f11=N", "f11N", "f11n", "f10f11n", "f10f11=N", "f11=N!?"] {
            assert_eq!(name(&game, text), "f11=N");
        }
        assert!(matches!(game.parse_move("f11"), Err(MoveError::Illegal(_))));
        assert!(matches!(game.parse_move("f11=K"), Err(MoveError::Illegal(_))));
    }

    #[test]
    fn spanish_letters_are_read() {
        let mut game = position("1/1Pr/5/7/9/11/11/11/1k9/11/5K5 w - 0 1");
        let typed = |text: &str| game.parse_typed(text, Language::Spanish).map(|m| game.move_name(m));
        assert_eq!(
            [typed("fxg10=A"), typed("f11d"), typed("f11=C")].map(Result::unwrap),
            ["fxg10=B", "f11=Q+", "f11=N"]
        );
        assert_eq!(typed("Rf2").unwrap(), "Kf2");
        assert!(
            matches!(typed("Cf3"), Err(MoveError::Illegal(_)))
                && matches!(typed("X"), Err(MoveError::Malformed { .. }))
        );
        play_line(&mut game, "f11=D").unwrap();
        assert!(game.position().contains('Q'), "{}", game.position());
    }

    #[test]
    fn malformed_and_illegal_moves_are_distinguished() {
        let mut game = HexChess::new(&Default::default());
        for text in ["", "x", "j3", "castle", "O-O", "g4-g6", "f12", "g4g6g8", "Ng", "é4e5", "Nf3é"] {
            assert!(matches!(game.parse_move(text), Err(MoveError::Malformed { .. })), "{text}");
        }
        assert!(matches!(game.parse_move("g4g7"), Err(MoveError::Illegal(_))));
        assert!(matches!(game.parse_move("Kf6"), Err(MoveError::Illegal(_))));
        play_line(&mut game, "f5f6 g7g6").unwrap();
        assert_eq!(name(&game, "f6g6"), "fxg6");
    }
}
