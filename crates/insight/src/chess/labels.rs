//! What a position is like: the 38 labels of A. Rodríguez Montero (Granada 2023), and the rights to castle.
//!
//! The definitions are those of his program, except that passed pawns are counted alike for both sides.

use alfil_game::chess::Chess;
use shakmaty::{Bitboard, Board, CastlingSide, Color, File, Piece, Position, Rank, Role, Square, attacks};

/// Labels that are not about one side.
const COMMON: [&str; 4] = ["space advantage", "open files", "bishops of one colour", "opposite bishops"];

/// Labels of each side.
const OF_SIDE: [&str; 19] = [
    "semi-open files",
    "pawns",
    "knights",
    "bishops",
    "rooks",
    "queens",
    "rook on the seventh",
    "doubled rooks",
    "linked rooks",
    "Alekhine's gun",
    "doubled pawns",
    "isolated pawns",
    "backward pawns",
    "passed pawns",
    "pawn islands",
    "pawn phalanxes",
    "connected pawns",
    "castling short",
    "castling long",
];

/// How many labels a position has.
pub const LABELS: usize = COMMON.len() + 2 * OF_SIDE.len();

/// The names of all labels, in order: the common ones, those of White, those of Black.
pub fn names() -> Vec<String> {
    let sides = ["white", "black"].into_iter().flat_map(|side| OF_SIDE.map(|name| format!("{side}: {name}")));
    COMMON.iter().map(|name| (*name).to_owned()).chain(sides).collect()
}

/// The labels of a position.
pub fn labels(position: &Chess) -> [i8; LABELS] {
    let position = position.shakmaty();
    let board = position.board();
    let mut labels = [0; LABELS];
    let (common, sides) = labels.split_at_mut(COMMON.len());
    common.copy_from_slice(&common_labels(board));
    for (color, part) in [Color::White, Color::Black].into_iter().zip(sides.chunks_exact_mut(OF_SIDE.len())) {
        part.copy_from_slice(&side_labels(position, color));
    }
    labels
}

/// The names of the labels as the side to move sees them, in the same order.
pub fn mover_names() -> Vec<String> {
    names().into_iter().map(|name| name.replace("white:", "own").replace("black:", "their")).collect()
}

/// The labels as the side to move sees them: its own take the place of White's.
pub fn seen_by_mover(position: &Chess) -> [i8; LABELS] {
    let mut seen = labels(position);
    if position.shakmaty().turn().is_white() {
        return seen;
    }
    // Space is the only common label that has a sign.
    seen[0] = -seen[0];
    seen[COMMON.len()..].rotate_left(OF_SIDE.len());
    seen
}

fn common_labels(board: &Board) -> [i8; 4] {
    let space = |color: Color| -> i32 {
        let rear = |file: File| rearmost(pawns(board, color) & Bitboard::from(file), color);
        File::ALL.into_iter().filter_map(rear).map(|square| advanced(square, color)).sum()
    };
    let open = File::ALL.into_iter().filter(|file| (board.pawns() & Bitboard::from(*file)).is_empty()).count();
    let bishop = |color: Color| (board.bishops() & board.by_color(color)).single_square();
    let same = bishop(Color::White).zip(bishop(Color::Black)).map(|(one, other)| one.is_dark() == other.is_dark());
    [
        (space(Color::White) - space(Color::Black)).signum() as i8,
        open as i8,
        i8::from(same == Some(true)),
        i8::from(same == Some(false)),
    ]
}

fn side_labels(position: &shakmaty::Chess, color: Color) -> [i8; 19] {
    let board = position.board();
    let count = |role: Role| board.by_piece(Piece { color, role }).count() as i8;
    let (own, theirs) = (pawns(board, color), pawns(board, !color));
    let on = |pawns: Bitboard, file: File| (pawns & Bitboard::from(file)).count();
    let semi_open = File::ALL.into_iter().filter(|&file| on(own, file) == 0 && on(theirs, file) > 0).count();
    let rooks = board.rooks() & board.by_color(color);
    let seventh = Bitboard::from(if color.is_white() { Rank::Seventh } else { Rank::Second });
    let pair = match rooks.into_iter().collect::<Vec<Square>>()[..] {
        [one, other] if (attacks::between(one, other) & board.occupied()).is_empty() => Some((one, other)),
        _ => None,
    };
    let doubled_rooks = pair.filter(|(one, other)| one.file() == other.file());
    let linked_rooks = pair.filter(|(one, other)| one.rank() == other.rank());
    let castles = position.castles();
    [
        semi_open as i8,
        count(Role::Pawn),
        count(Role::Knight),
        count(Role::Bishop),
        count(Role::Rook),
        count(Role::Queen),
        i8::from(!(rooks & seventh).is_empty()),
        i8::from(doubled_rooks.is_some()),
        i8::from(linked_rooks.is_some()),
        i8::from(doubled_rooks.is_some_and(|rooks| has_queen_behind(board, color, rooks))),
        File::ALL.into_iter().filter(|&file| on(own, file) > 1).count() as i8,
        own.into_iter().filter(|pawn| (own & beside(pawn.file())).is_empty()).count() as i8,
        File::ALL.into_iter().filter(|&file| is_backward(own, file, color)).count() as i8,
        File::ALL.into_iter().filter(|&file| is_passed(own, theirs, file, color)).count() as i8,
        runs(File::ALL.map(|file| on(own, file) > 0), 1),
        Rank::ALL
            .into_iter()
            .map(|rank| runs(File::ALL.map(|file| own.contains(Square::from_coords(file, rank))), 2))
            .sum(),
        groups(own),
        i8::from(castles.has(color, CastlingSide::KingSide)),
        i8::from(castles.has(color, CastlingSide::QueenSide)),
    ]
}

fn pawns(board: &Board, color: Color) -> Bitboard {
    board.pawns() & board.by_color(color)
}

/// Ranks that a square is away from a side's first rank.
fn advanced(square: Square, color: Color) -> i32 {
    let rank = square.rank() as i32;
    if color.is_white() { rank } else { 7 - rank }
}

fn rearmost(pawns: Bitboard, color: Color) -> Option<Square> {
    pawns.into_iter().min_by_key(|pawn| advanced(*pawn, color))
}

/// The files next to a file.
fn beside(file: File) -> Bitboard {
    let near = [file.offset(-1), file.offset(1)].into_iter().flatten();
    near.fold(Bitboard::EMPTY, |files, file| files | Bitboard::from(file))
}

/// Whether the one queen stands behind both rooks, which stand on one file with nothing between them.
fn has_queen_behind(board: &Board, color: Color, (one, other): (Square, Square)) -> bool {
    let Some(queen) = (board.queens() & board.by_color(color)).single_square() else { return false };
    let rear = if advanced(one, color) < advanced(other, color) { one } else { other };
    queen.file() == rear.file()
        && advanced(queen, color) < advanced(rear, color)
        && (attacks::between(queen, rear) & board.occupied()).is_empty()
}

/// Whether the rearmost pawn of a file is behind those of the files beside it that have pawns.
fn is_backward(own: Bitboard, file: File, color: Color) -> bool {
    let Some(pawn) = rearmost(own & Bitboard::from(file), color) else { return false };
    let near: Vec<Square> = [file.offset(-1), file.offset(1)]
        .into_iter()
        .flatten()
        .filter_map(|file| rearmost(own & Bitboard::from(file), color))
        .collect();
    !near.is_empty() && near.iter().all(|other| advanced(pawn, color) < advanced(*other, color))
}

/// Whether no enemy pawn can stop or take the foremost pawn of a file.
fn is_passed(own: Bitboard, theirs: Bitboard, file: File, color: Color) -> bool {
    let pawn = (own & Bitboard::from(file)).into_iter().max_by_key(|pawn| advanced(*pawn, color));
    let path = beside(file) | Bitboard::from(file);
    pawn.is_some_and(|pawn| !(theirs & path).into_iter().any(|other| advanced(other, color) > advanced(pawn, color)))
}

/// How many runs of at least this length there are.
fn runs(places: [bool; 8], least: usize) -> i8 {
    places.split(|is_there| !is_there).filter(|run| run.len() >= least).count() as i8
}

/// Groups of at least two pawns that stand beside or diagonally next to each other.
fn groups(pawns: Bitboard) -> i8 {
    let mut left = pawns;
    let mut groups = 0;
    while let Some(first) = left.first() {
        let mut group = Bitboard::from(first);
        loop {
            let near = |pawn: Square| attacks::king_attacks(pawn) & !Bitboard::from(pawn.file());
            let grown = group.into_iter().fold(group, |grown, pawn| grown | near(pawn) & pawns);
            if grown == group {
                break;
            }
            group = grown;
        }
        groups += i8::from(group.count() > 1);
        left &= !group;
    }
    groups
}

#[cfg(test)]
mod tests {
    use alfil_game::{Examples, Game, Side};

    use super::*;

    /// The value of a label in a position; of White's labels unless the name begins with a side.
    fn label(fen: &str, name: &str) -> i8 {
        let position = Chess::from_position(fen, &Default::default()).unwrap();
        let at = names().iter().position(|other| other == name).unwrap();
        labels(&position)[at]
    }

    #[test]
    fn the_start_position() {
        let start = Chess::new(&Default::default()).position();
        for (name, value) in names().iter().zip(labels(&Chess::new(&Default::default()))) {
            let expected = match name.split(": ").last().unwrap() {
                "pawns" => 8,
                "knights" | "bishops" | "rooks" => 2,
                "queens" | "pawn islands" | "pawn phalanxes" | "connected pawns" => 1,
                "castling short" | "castling long" => 1,
                _ => 0,
            };
            assert_eq!(value, expected, "{name} {start}");
        }
    }

    /// Positions made by hand: a label, its value for White, and for Black.
    #[test]
    fn every_label_has_a_position() {
        let pawns = "4k3/p1p2ppp/8/3pP3/8/P1P5/P5P1/4K3 w - - 0 1";
        for (fen, name, white, black) in [
            (pawns, "semi-open files", 3, 1),
            (pawns, "doubled pawns", 1, 0),
            (pawns, "isolated pawns", 5, 1),
            (pawns, "pawn islands", 4, 3),
            (pawns, "pawn phalanxes", 0, 1),
            (pawns, "connected pawns", 0, 1),
            ("4k3/8/8/3p4/2pP4/2P1P3/8/4K3 w - - 0 1", "backward pawns", 2, 1),
            ("4k3/8/1p6/P7/7p/6P1/8/4K3 w - - 0 1", "passed pawns", 0, 0),
            ("4k3/8/1p6/2P5/7p/8/6P1/4K3 w - - 0 1", "passed pawns", 0, 0),
            ("4k3/8/P7/1p6/8/8/8/4K3 w - - 0 1", "passed pawns", 1, 1),
            ("4k3/R7/8/8/8/8/r7/4K3 w - - 0 1", "rook on the seventh", 1, 1),
            ("3rk3/8/8/3r4/R7/8/R7/Q3K3 w - - 0 1", "doubled rooks", 1, 1),
            ("3rk3/8/8/3r4/R7/8/R7/Q3K3 w - - 0 1", "Alekhine's gun", 1, 0),
            ("r2rk3/8/8/8/8/8/8/R3K2R w - - 0 1", "linked rooks", 0, 1),
            ("r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1", "castling short", 1, 0),
            ("r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1", "castling long", 0, 1),
        ] {
            let found = ["white", "black"].map(|side| label(fen, &format!("{side}: {name}")));
            assert_eq!(found, [white, black], "{name} {fen}");
        }
        for (fen, name, value) in [
            (pawns, "open files", 1),
            ("4k3/8/8/8/3P4/8/8/4K3 w - - 0 1", "space advantage", 1),
            ("4kb2/8/8/8/8/8/8/4KB2 w - - 0 1", "opposite bishops", 1),
            ("4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1", "bishops of one colour", 1),
        ] {
            assert_eq!(label(fen, name), value, "{name} {fen}");
        }
    }

    #[test]
    fn the_sides_are_treated_alike() {
        for fen in Chess::TEST_POSITIONS.iter().filter(|fen| !fen.contains("HEhe") && !fen.contains("HFhf")) {
            let Ok(position) = Chess::from_position(fen, &Default::default()) else { continue };
            let Some(swapped) = position.swapped() else { continue };
            let white = if position.side() == Side::First { &position } else { &swapped };
            assert_eq!(seen_by_mover(&position), labels(white), "{fen}");
            assert_eq!(seen_by_mover(&swapped), labels(white), "{fen}");
        }
    }
}
