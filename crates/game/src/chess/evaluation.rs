//! A handcrafted evaluation of chess positions: the yardstick that learned networks are measured against.
//!
//! Every term has a value for the middlegame and one for the endgame, mixed by the pieces that are left. The weights are
//! our own: round numbers by common chess knowledge, not tuned.

use shakmaty::attacks::{bishop_attacks, king_attacks, knight_attacks, pawn_attacks, queen_attacks, rook_attacks};
use shakmaty::{Bitboard, Board, Color, File, Position, Role, Square};

use super::bare_king::{self, centre_distance};
use super::moves::Move;
use crate::Knowledge;
use crate::tapered::Pair;

const fn material(role: Role) -> Pair {
    match role {
        Role::Pawn => Pair(90, 110),
        Role::Knight => Pair(320, 300),
        Role::Bishop => Pair(330, 320),
        Role::Rook => Pair(480, 520),
        Role::Queen => Pair(950, 950),
        Role::King => Pair(0, 0),
    }
}

/// The usual values, for captures and plain material counts.
pub(super) const fn plain_value(role: Role) -> i32 {
    match role {
        Role::Pawn => 100,
        Role::Knight | Role::Bishop => 300,
        Role::Rook => 500,
        Role::Queen => 900,
        Role::King => 0,
    }
}

/// How much each piece counts towards the middlegame; all of them together are 24.
const fn phase(role: Role) -> i32 {
    match role {
        Role::Knight | Role::Bishop => 1,
        Role::Rook => 2,
        Role::Queen => 4,
        Role::Pawn | Role::King => 0,
    }
}

const FULL_PHASE: i32 = 24;
const BISHOP_PAIR: Pair = Pair(25, 45);
const DOUBLED_PAWN: Pair = Pair(-8, -18);
const ISOLATED_PAWN: Pair = Pair(-12, -14);
/// By rank from the pawn's own side.
const PASSED_PAWN: [Pair; 8] =
    [Pair(0, 0), Pair(5, 12), Pair(8, 18), Pair(14, 32), Pair(28, 58), Pair(55, 100), Pair(90, 160), Pair(0, 0)];
const ROOK_ON_OPEN_FILE: Pair = Pair(22, 10);
const ROOK_ON_HALF_OPEN_FILE: Pair = Pair(11, 6);
/// For each square beside the king that the enemy attacks.
const KING_RING_ATTACKED: Pair = Pair(-9, -2);
const PAWN_SHIELD: Pair = Pair(10, 0);
const TO_MOVE: i32 = 10;

/// The estimate as the side to move sees it.
pub(super) fn evaluate(position: &shakmaty::Chess, knowledge: Knowledge) -> i32 {
    let board = position.board();
    let (us, them) = (position.turn(), !position.turn());
    match knowledge {
        Knowledge::Material => count_material(board, us) - count_material(board, them),
        Knowledge::Full => {
            if let Some(value) = bare_king::evaluate(board, us) {
                return value;
            }
            let left: i32 = Role::ALL.into_iter().map(|role| phase(role) * board.by_role(role).count() as i32).sum();
            let ((ours, our_attacks), (theirs, their_attacks)) = (side(board, us), side(board, them));
            let kings = king(board, us, their_attacks) - king(board, them, our_attacks);
            (ours - theirs + kings).mixed(left, FULL_PHASE) + TO_MOVE
        }
    }
}

/// What a move captures, and what a promotion adds.
pub(super) fn gain(position: &shakmaty::Chess, m: Move) -> i32 {
    let board = position.board();
    let promotion = m.promotion().map_or(0, |role| plain_value(role) - plain_value(Role::Pawn));
    let (from, to) = (m.from(), m.to());
    let captured = if position.them().contains(to) {
        board.role_at(to).map_or(0, plain_value)
    } else if board.pawns().contains(from) && from.file() != to.file() {
        // In passing.
        plain_value(Role::Pawn)
    } else {
        0
    };
    promotion + captured
}

/// Whether passing is informative: not in check, nor with nothing but pawns, where zugzwang is likely.
pub(super) fn may_pass(position: &shakmaty::Chess) -> bool {
    let board = position.board();
    !position.is_check() && (position.us() & !board.pawns()).count() > 1
}

fn count_material(board: &Board, color: Color) -> i32 {
    let count = |role| (board.by_color(color) & board.by_role(role)).count() as i32;
    Role::ALL.into_iter().map(|role| plain_value(role) * count(role)).sum()
}

/// All terms of a side except those of its king, and the squares that it attacks.
fn side(board: &Board, color: Color) -> (Pair, Bitboard) {
    let own = board.by_color(color);
    let own_pawns = own & board.pawns();
    let their_pawns = board.by_color(!color) & board.pawns();
    let guarded = pawn_guard(their_pawns, !color);
    let occupied = board.occupied();
    let mut attacked = pawn_guard(own_pawns, color);
    let mut sum = Pair(0, 0);
    for role in Role::ALL {
        for square in own & board.by_role(role) {
            sum += material(role);
            sum += placement(role, seen_from(color, square));
            let (attacks, weight, usual) = match role {
                Role::Knight => (knight_attacks(square), Pair(4, 4), 4),
                Role::Bishop => (bishop_attacks(square, occupied), Pair(4, 5), 6),
                Role::Rook => (rook_attacks(square, occupied), Pair(2, 4), 7),
                Role::Queen => (queen_attacks(square, occupied), Pair(1, 3), 13),
                Role::King => {
                    attacked |= king_attacks(square);
                    continue;
                }
                Role::Pawn => continue,
            };
            attacked |= attacks;
            let mobility = (attacks & !own & !guarded).count() as i32 - usual;
            sum += mobility * weight;
            if role == Role::Rook {
                let file = Bitboard::from(square.file());
                if (file & own_pawns).is_empty() {
                    sum += if (file & their_pawns).is_empty() { ROOK_ON_OPEN_FILE } else { ROOK_ON_HALF_OPEN_FILE };
                }
            }
        }
    }
    if (own & board.bishops()).count() >= 2 {
        sum += BISHOP_PAIR;
    }
    pawns(own_pawns, their_pawns, color, &mut sum);
    (sum, attacked)
}

fn pawns(own: Bitboard, theirs: Bitboard, color: Color, sum: &mut Pair) {
    for pawn in own {
        let file = Bitboard::from(pawn.file());
        let beside = neighbours(pawn.file());
        let ahead = ahead(pawn, color);
        if !(file & ahead & own).is_empty() {
            *sum += DOUBLED_PAWN;
        }
        if (beside & own).is_empty() {
            *sum += ISOLATED_PAWN;
        }
        if ((file | beside) & ahead & theirs).is_empty() {
            *sum += PASSED_PAWN[usize::from(seen_from(color, pawn).rank())];
        }
    }
}

/// The terms of a side's king. `attacked` are the squares that the other side attacks.
fn king(board: &Board, color: Color, attacked: Bitboard) -> Pair {
    let Some(king) = board.king_of(color) else { return Pair(0, 0) };
    let ring = king_attacks(king);
    let mut sum = (ring & attacked).count() as i32 * KING_RING_ATTACKED;
    let shield = (ring & ahead(king, color) & board.by_color(color) & board.pawns()).count() as i32;
    sum += shield * PAWN_SHIELD;
    sum
}

/// Where a piece stands well, with the square seen from its own side.
fn placement(role: Role, square: Square) -> Pair {
    let (file, rank) = (i32::from(square.file()), i32::from(square.rank()));
    let centre = 6 - centre_distance(square); // 0 in the corners, 6 in the middle
    match role {
        Role::Pawn => {
            let middle_file = i32::from((2..=5).contains(&file));
            Pair(middle_file * (rank - 1) * 5 - i32::from(rank == 1 && (3..=4).contains(&file)) * 12, (rank - 1) * 4)
        }
        Role::Knight => Pair(centre * 6 - 24, centre * 5 - 20),
        Role::Bishop => Pair(centre * 3 - 8 - i32::from(rank == 0) * 8, centre * 2 - 6),
        Role::Rook => Pair(i32::from(rank == 6) * 18, i32::from(rank == 6) * 12),
        Role::Queen => Pair(centre - 3, centre * 4 - 12),
        Role::King => {
            let castled = i32::from(rank == 0 && !(3..=5).contains(&file));
            Pair(castled * 25 - rank * 14, centre * 8 - 24)
        }
    }
}

fn seen_from(color: Color, square: Square) -> Square {
    if color == Color::White { square } else { square.flip_vertical() }
}

/// Ranks in front of a square.
fn ahead(square: Square, color: Color) -> Bitboard {
    let rank = u32::from(square.rank());
    match color {
        Color::White => Bitboard(if rank == 7 { 0 } else { u64::MAX << (8 * (rank + 1)) }),
        Color::Black => Bitboard((1u64 << (8 * rank)) - 1),
    }
}

fn neighbours(file: File) -> Bitboard {
    let beside = |offset| file.offset(offset).map_or(Bitboard::EMPTY, Bitboard::from);
    beside(-1) | beside(1)
}

fn pawn_guard(pawns: Bitboard, color: Color) -> Bitboard {
    pawns.into_iter().fold(Bitboard::EMPTY, |squares, pawn| squares | pawn_attacks(color, pawn))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Chess, Rules};
    use crate::estimates::Estimates;
    use crate::examples::Examples;
    use crate::{Game, play_line};

    fn value(fen: &str, knowledge: Knowledge) -> i32 {
        Chess::from_position(fen, &Rules::default()).unwrap().evaluate(knowledge)
    }

    #[test]
    fn the_start_is_worth_the_move_to_both_sides() {
        let game = Chess::new(&Rules::default());
        assert_eq!(game.evaluate(Knowledge::Material), 0);
        assert_eq!(game.evaluate(Knowledge::Full), TO_MOVE);
    }

    #[test]
    fn exchanging_the_sides_changes_nothing() {
        let mut game = Chess::new(&Rules::default());
        for word in "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Be2 e5 Nb3 Be7 O-O O-O f4 b5 fxe5 dxe5 Qxd8 Rxd8".split(' ') {
            play_line(&mut game, word).unwrap();
            let twin = game.swapped().unwrap();
            for knowledge in [Knowledge::Material, Knowledge::Full] {
                assert_eq!(game.evaluate(knowledge), twin.evaluate(knowledge), "after {word}");
            }
        }
    }

    #[test]
    fn material_is_counted_in_the_usual_values() {
        assert_eq!(value("4k3/8/8/8/8/8/P7/RNBQK3 w - - 0 1", Knowledge::Material), 2_100);
        assert_eq!(value("4k3/8/8/8/8/8/P7/RNBQK3 b - - 0 1", Knowledge::Material), -2_100);
    }

    #[test]
    fn knowledge_points_the_right_way() {
        let full = |fen| value(fen, Knowledge::Full);
        // A passed pawn, a rook on an open file, a driven king, a whole pawn structure: the better one first.
        assert!(full("4k3/8/3P4/8/8/8/8/4K3 w - - 0 1") > full("4k3/8/8/8/3P4/8/8/4K3 w - - 0 1"));
        assert!(full("4k3/p7/8/8/8/8/7P/3RK3 w - - 0 1") > full("4k3/p7/8/8/8/8/7P/4K2R w - - 0 1"));
        assert!(full("k7/8/2K5/8/8/8/8/7R w - - 0 1") > full("8/8/2K1k3/8/8/8/8/7R w - - 0 1"));
        assert!(full("4k3/7p/8/8/8/8/PP6/4K3 w - - 0 1") > full("4k3/7p/8/8/P7/8/P7/4K3 w - - 0 1"));
    }

    #[test]
    fn gains_are_what_is_captured_and_promoted() {
        let game = Chess::from_position("1n2k3/P7/8/3pP3/8/8/8/4K3 w - d6 0 1", &Rules::default()).unwrap();
        let gain = |text| game.gain(game.parse_move(text).unwrap());
        assert_eq!((gain("a7b8q"), gain("a7a8n"), gain("e5d6"), gain("e1e2")), (1_100, 200, 100, 0));
    }
}
