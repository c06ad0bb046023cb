//! Positions as text: eleven ranks as in a FEN, the side to move, the en-passant cell and two counters.
//!
//! A rank is a bent line over all files that have it, so the first row is the single cell f11 and the last six rows have
//! eleven cells each. There is no field for castling, which the game does not have.

use super::attacks::{PAWN_START, pawn_can_stand};
use super::board::{Board, Role, letter};
use super::cell::{Cell, FILES};
use super::cells::Cells;
use super::game::HexChess;
use super::position::Position;
use super::rules::Rules;
use crate::notation::Notation;
use crate::{PositionError, Side};

/// Where every game begins.
pub(super) const START: &str = "b/qbk/n1b1n/r5r/ppppppppp/11/5P5/4P1P4/3P1B1P3/2P2B2P2/1PRNQBKNRP1 w - 0 1";

/// The largest counter that a position may have: no game has this many moves.
pub(super) const LARGEST_COUNTER: u32 = 100_000;

/// The start position.
pub(super) fn start(rules: &Rules) -> HexChess {
    let board = read_board(START.split(' ').next().unwrap_or_default()).unwrap_or_default();
    HexChess::from_parts(Position::new(board, Side::First, None), 0, 1, rules)
}

/// Reads a position with all five fields that can arise in a game, as far as that is easy to check.
pub(super) fn parse(text: &str, rules: &Rules) -> Result<HexChess, PositionError> {
    read(text, rules).map_err(|reason| PositionError::new::<HexChess>(text, reason))
}

fn read(text: &str, rules: &Rules) -> Result<HexChess, String> {
    let mut fields = text.split_ascii_whitespace();
    let mut field = || fields.next().ok_or("it needs five fields: pieces, side to move, en passant and two counters");
    let (pieces, turn, passed, clock, number) = (field()?, field()?, field()?, field()?, field()?);
    if fields.next().is_some() {
        return Err("it has more than five fields: there are no castling rights here".to_owned());
    }
    let board = read_board(pieces)?;
    let turn = match turn {
        "w" => Side::First,
        "b" => Side::Second,
        _ => return Err("the second field must be w or b".to_owned()),
    };
    for side in [Side::First, Side::Second] {
        check_side(&board, side)?;
    }
    let passed = match passed {
        "-" => None,
        name => Some(Cell::parse(name).ok_or("the third field must be an en-passant cell such as f6 or '-'")?),
    };
    if passed.is_some_and(|passed| !has_just_passed(&board, !turn, passed)) {
        return Err("no pawn has just passed the en-passant cell".to_owned());
    }
    let clock =
        counter(clock).ok_or("the fourth field must be the number of plies since the last capture or pawn move")?;
    let number = counter(number).filter(|number| *number > 0);
    let number = number.ok_or("the fifth field must be the number of the move, from 1")?;
    let position = Position::new(board, turn, passed);
    if position.in_check(!turn) {
        return Err("the side that is not to move is in check".to_owned());
    }
    Ok(HexChess::from_parts(position, clock, number, rules))
}

/// Writes a position. The en-passant cell appears only where an en-passant capture is legal.
pub(super) fn write(game: &HexChess) -> String {
    let position = game.current();
    let rows: Vec<String> = (1..=FILES).rev().map(|rank| write_rank(position.board(), rank)).collect();
    let turn = if position.turn() == Side::First { 'w' } else { 'b' };
    let passed = position.en_passant().map_or("-".to_owned(), |cell| cell.to_string());
    format!("{} {turn} {passed} {} {}", rows.join("/"), game.clock(), game.move_number())
}

/// The cells of a rank from left to right.
fn cells(rank: usize) -> impl Iterator<Item = Cell> {
    (0..FILES).filter_map(move |file| Cell::on(file, rank))
}

fn write_rank(board: &Board, rank: usize) -> String {
    let letters: Vec<Option<char>> =
        cells(rank).map(|cell| board.piece_at(cell).map(|(side, role)| letter(side, role))).collect();
    let runs = letters.chunk_by(|left, right| left.is_none() && right.is_none());
    runs.map(|run| run[0].map_or(run.len().to_string(), String::from)).collect()
}

fn read_board(pieces: &str) -> Result<Board, String> {
    const SHAPE: &str =
        "the first field must list eleven ranks of 1, 3, 5, 7, 9 and then six times 11 cells, separated by '/'";
    let mut board = Board::default();
    let mut rows = pieces.split('/');
    for rank in (1..=FILES).rev() {
        read_rank(rows.next().ok_or(SHAPE)?, rank, &mut board).ok_or(SHAPE)?;
    }
    if rows.next().is_some() { Err(SHAPE.to_owned()) } else { Ok(board) }
}

/// `None` if the row does not fill its rank exactly.
fn read_rank(row: &str, rank: usize, board: &mut Board) -> Option<()> {
    let mut cells = cells(rank);
    let mut rest = row;
    while let Some(first) = rest.chars().next() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits > 0 {
            let (count, after) = rest.split_at(digits);
            // A gap of no cells or with a leading zero is an error.
            let count: usize = count.parse().ok().filter(|_| first != '0')?;
            cells.nth(count - 1)?;
            rest = after;
        } else {
            let role = Role::called(first.to_ascii_lowercase())?;
            let side = if first.is_ascii_uppercase() { Side::First } else { Side::Second };
            board.toggle(side, role, cells.next()?);
            rest = &rest[1..];
        }
    }
    cells.next().is_none().then_some(())
}

/// What a side can have on the board.
fn check_side(board: &Board, side: Side) -> Result<(), &'static str> {
    let count = |role| board.pieces(side, role).count();
    match count(Role::King) {
        0 => return Err("a king is missing"),
        1 => {}
        _ => return Err("a side has more than one king"),
    }
    if !board.pieces(side, Role::Pawn).all(|pawn| pawn_can_stand(side, pawn)) {
        return Err("a pawn stands where no pawn of its side can be");
    }
    // Each bishop of the start has a colour of its own.
    let bishops = (0..3).map(|colour| {
        let same = board.pieces(side, Role::Bishop).filter(|bishop| bishop.colour() == colour);
        (same.count() as u32).saturating_sub(1)
    });
    let beyond = |role, at_start| u32::saturating_sub(count(role), at_start);
    let promoted = beyond(Role::Queen, 1) + beyond(Role::Rook, 2) + beyond(Role::Knight, 2) + bishops.sum::<u32>();
    if promoted + count(Role::Pawn) > PAWN_START[side as usize].count() {
        return Err("a side has more pieces than promotions can bring");
    }
    Ok(())
}

/// Whether the last move can have been a double step of `side` over `passed`.
fn has_just_passed(board: &Board, side: Side, passed: Cell) -> bool {
    let (Some(before), Some(after)) = (passed.ahead(!side), passed.ahead(side)) else { return false };
    let left_behind = Cells::of(before) | Cells::of(passed);
    PAWN_START[side as usize].contains(before)
        && (left_behind & board.occupied()).is_empty()
        && board.pieces(side, Role::Pawn).contains(after)
}

fn counter(field: &str) -> Option<u32> {
    let number = field.parse().ok().filter(|_| field.bytes().all(|byte| byte.is_ascii_digit()));
    number.filter(|number| *number <= LARGEST_COUNTER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::Examples;
    use crate::game::Game;

    #[test]
    fn the_start_is_read_as_it_is_written_and_is_its_own_mirror() {
        let game = HexChess::new(&Rules::default());
        assert_eq!(game.position(), START);
        let read = parse(START, &Rules::default()).unwrap();
        assert!(read.same_position(&game) && read.key() == game.key());
        assert_eq!(game.swapped().unwrap().position(), START.replace(" w ", " b "));
    }

    #[test]
    fn each_mistake_has_its_own_sentence() {
        const EMPTY: &str = "1/3/5/7/9/11/11/11/11/11/11";
        for (text, expected) in [
            ("", "five fields"),
            ("b/qbk w - 0", "five fields"),
            ("b/qbk/n1b1n/r5r/ppppppppp/11/5P5/4P1P4/3P1B1P3/2P2B2P2/1PRNQBKNRP1 w - - 0 1", "more than five"),
            ("qbk/n1b1n/r5r/ppppppppp/11/5P5/4P1P4/3P1B1P3/2P2B2P2/1PRNQBKNRP1 w - 0 1", "eleven ranks"),
            (&format!("{EMPTY}/11 w - 0 1"), "eleven ranks"),
            ("1/3/5/7/9/11/11/11/11/11/12 w - 0 1", "eleven ranks"),
            ("1/3/5/7/9/11/11/11/11/11/10 w - 0 1", "eleven ranks"),
            ("1/3/5/7/9/11/11/11/11/11/011 w - 0 1", "eleven ranks"),
            ("1/3/5/7/9/11/11/11/11/11/99999999999999999999 w - 0 1", "eleven ranks"),
            ("1/3/5/7/9/11/11/11/11/11/10x w - 0 1", "eleven ranks"),
            ("1/3/5/7/9/11/11/11/11/11/10\u{e9} w - 0 1", "eleven ranks"),
            (&format!("{EMPTY} w - 0 1"), "king is missing"),
            ("k/3/5/7/9/11/11/11/11/11/KK9 w - 0 1", "more than one king"),
            ("k/3/5/7/9/11/11/11/11/11/K1P8 w - 0 1", "where no pawn"),
            ("k/3/5/7/9/10P/11/11/11/11/K10 w - 0 1", "where no pawn"),
            ("k/3/5/7/4p4/5p5/11/11/11/11/K2P7 w - 0 1", "where no pawn"),
            ("k/3/5/6p/9/11/11/11/11/11/K10 w - 0 1", "where no pawn"),
            ("k/3/5/7/PPPPPPPPP/11/5P5/11/11/11/K10 w - 0 1", "where no pawn"),
            ("k/3/5/7/9/1PPPPPPPPP1/5P5/11/11/11/K10 w - 0 1", "promotions can bring"),
            ("k/3/5/7/9/1PPPPPPPPP1/11/11/5B5/11/K4B5 w - 0 1", ""),
            ("k/3/5/7/9/1PPPPPPPPP1/11/5B5/11/11/K4B5 w - 0 1", "promotions can bring"),
            ("k/3/5/7/9/11/11/11/11/11/K10 x - 0 1", "w or b"),
            ("k/3/5/7/9/11/11/11/11/11/K10 w j3 0 1", "en-passant cell such as"),
            ("k/3/5/7/9/11/11/11/11/11/K10 w e6 0 1", "no pawn has just passed"),
            ("k/3/5/7/4p4/11/11/11/11/11/K10 w f6 0 1", "no pawn has just passed"),
            ("k/3/5/7/9/11/11/11/11/11/K10 w - -1 1", "fourth field"),
            ("k/3/5/7/9/11/11/11/11/11/K10 w - 100001 1", "fourth field"),
            ("k/3/5/7/9/11/11/11/11/11/K10 w - 0 0", "fifth field"),
            ("k/3/5/7/9/11/11/11/11/11/K10 w - 0 +1", "fifth field"),
            ("k/3/5/7/9/11/11/11/11/11/K4R5 w - 0 1", "not to move is in check"),
            ("1/3/5/7/9/11/11/11/11/1k9/K10 w - 0 1", "not to move is in check"),
        ] {
            match parse(text, &Rules::default()) {
                Ok(_) => assert_eq!(expected, "", "{text}"),
                Err(error) => {
                    let error = error.to_string();
                    assert!(!expected.is_empty() && error.contains(expected), "{text}: {error}");
                }
            }
        }
    }

    #[test]
    fn en_passant_is_written_only_where_it_is_possible() {
        let written = |text| parse(text, &Rules::default()).unwrap().position();
        for (text, kept) in [
            ("k/3/5/7/9/5P4r/4p6/11/11/11/1K9 w e6 0 2", true),
            // No pawn is near, or two pawns would leave the line from the rook to the king at once.
            ("k/3/5/7/9/10r/4p6/11/11/11/1K9 w e6 0 2", false),
            ("k/3/5/7/9/5P4r/4p6/11/11/1K9/11 w e6 0 2", false),
        ] {
            assert_eq!(written(text), if kept { text.to_owned() } else { text.replace("e6", "-") });
        }
    }
}
