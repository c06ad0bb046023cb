//! A handcrafted evaluation: the yardstick that learned networks are measured against, and what the classical player
//! uses.
//!
//! Every term has a value for the middlegame and one for the endgame, mixed by the pieces that are left. The weights are
//! our own round numbers, not tuned.

use super::attacks::{self, CellTable, PAWN_LINE, mirrored};
use super::board::{Board, Role};
use super::cell::{COUNT, Cell, FILES};
use super::cells::Cells;
use super::moves::Move;
use super::position::Position;
use crate::tapered::Pair;
use crate::{Knowledge, Side};

/// Reasoned from the moves that pieces have on average. With three cells in ten taken, a bishop has 1.09 times as many as a
/// knight, a rook 1.57 and a queen 2.66 times: nearly the shares of the square board, where they are worth 3, 3, 5 and 9
/// pawns. A knight has half as many again as on the square board and a pawn no more than there, so that pieces gain on
/// pawns; half of that gain is counted. The bishop, which sees a third of the board, is rated equal to the knight.
const fn value(role: Role) -> i32 {
    match role {
        Role::Pawn => 100,
        Role::Knight | Role::Bishop => 375,
        Role::Rook => 575,
        Role::Queen => 1_000,
        Role::King => 0,
    }
}

/// How much each piece counts towards the middlegame; all of them together are 26.
const fn phase(role: Role) -> i32 {
    match role {
        Role::Knight | Role::Bishop => 1,
        Role::Rook => 2,
        Role::Queen => 4,
        Role::Pawn | Role::King => 0,
    }
}

const FULL_PHASE: i32 = 26;
/// Bishops on all three colours reach every cell.
const THREE_BISHOPS: Pair = Pair(30, 50);
const DOUBLED_PAWN: Pair = Pair(-8, -18);
const ISOLATED_PAWN: Pair = Pair(-10, -14);
/// For each step that a pawn has gone; most have six to go.
const ADVANCED_PAWN: Pair = Pair(4, 8);
/// By steps gone.
const PASSED_PAWN: [Pair; 6] = [Pair(5, 15), Pair(8, 22), Pair(14, 36), Pair(28, 62), Pair(55, 105), Pair(95, 170)];
const PAWN_SHELTER: Pair = Pair(10, 0);
/// For each cell around the enemy king that a piece attacks.
const KING_ATTACKED: Pair = Pair(5, 1);
const TO_MOVE: i32 = 10;

/// The cells in front of a pawn of each side, on its own file and the ones beside: an enemy pawn there can stop it.
static FRONT: [CellTable; 2] = [front(), mirrored(&front())];

const fn front() -> CellTable {
    let mut front = [Cells::NONE; COUNT];
    let mut number = 0;
    while let Some(pawn) = Cell::new(number) {
        let mut other = 0;
        while let Some(cell) = Cell::new(other) {
            if pawn.file().abs_diff(cell.file()) <= 1 && height(cell) > height(pawn) {
                front[number] = front[number].with(cell);
            }
            other += 1;
        }
        number += 1;
    }
    front
}

/// How high on the board a cell lies, in halves of a cell.
const fn height(cell: Cell) -> i8 {
    let (q, r) = cell.axial();
    2 * r + q
}

/// The estimate as the side to move sees it.
pub(super) fn evaluate(position: &Position, knowledge: Knowledge) -> i32 {
    let board = position.board();
    let (us, them) = (position.turn(), !position.turn());
    match knowledge {
        Knowledge::Material => material(board, us) - material(board, them),
        Knowledge::Full => {
            let left: i32 = Role::ALL.into_iter().map(|role| phase(role) * board.role(role).count() as i32).sum();
            (side(board, us) - side(board, them)).mixed(left, FULL_PHASE) + TO_MOVE
        }
    }
}

/// What a move captures, and what a promotion adds.
pub(super) fn gain(position: &Position, m: Move) -> i32 {
    let captured = position.capture(m).and_then(|cell| position.board().role_at(cell));
    captured.map_or(0, value) + position.promotion(m).map_or(0, |role| value(role) - value(Role::Pawn))
}

/// Whether passing is informative: not in check, nor with nothing but pawns, where zugzwang is likely.
pub(super) fn may_pass(position: &Position) -> bool {
    let (board, us) = (position.board(), position.turn());
    !position.in_check(us) && (board.side(us) & !board.role(Role::Pawn)).count() > 1
}

fn material(board: &Board, side: Side) -> i32 {
    Role::ALL.into_iter().map(|role| value(role) * board.pieces(side, role).count() as i32).sum()
}

fn side(board: &Board, side: Side) -> Pair {
    let own = board.side(side);
    let guarded = board.pieces(!side, Role::Pawn).fold(Cells::NONE, |cells, pawn| cells | attacks::pawn(!side, pawn));
    let enemy_king = board.king(!side).map_or(Cells::NONE, attacks::king);
    let mut sum = Pair(0, 0);
    for role in Role::ALL {
        for cell in board.pieces(side, role) {
            sum += Pair(value(role), value(role));
            sum += centre(cell) * centre_weight(role);
            // Cells to go to, relative to the usual number in the middle of a game.
            let (weight, usual) = match role {
                Role::Knight => (Pair(4, 4), 7),
                Role::Bishop => (Pair(4, 4), 7),
                Role::Rook => (Pair(2, 4), 10),
                Role::Queen => (Pair(1, 3), 17),
                Role::Pawn | Role::King => continue,
            };
            let attacked = board.attacked_by(side, role, cell);
            sum += ((attacked & !own & !guarded).count() as i32 - usual) * weight;
            sum += (attacked & enemy_king).count() as i32 * KING_ATTACKED;
        }
    }
    let bishops = board.pieces(side, Role::Bishop);
    if (0..3).all(|colour| bishops.into_iter().any(|bishop| bishop.colour() == colour)) {
        sum += THREE_BISHOPS;
    }
    pawns(board, side, &mut sum);
    king(board, side, &mut sum);
    sum
}

/// 0 at the edge, 5 in the middle of the board.
fn centre(cell: Cell) -> i32 {
    Cell::at(0, 0).map_or(0, |middle| 5 - cell.distance(middle))
}

/// What a step towards the middle is worth. The king belongs there only when few pieces are left.
const fn centre_weight(role: Role) -> Pair {
    match role {
        Role::Pawn => Pair(3, 0),
        Role::Knight => Pair(6, 5),
        Role::Bishop => Pair(4, 3),
        Role::Rook => Pair(1, 1),
        Role::Queen => Pair(1, 3),
        Role::King => Pair(-8, 10),
    }
}

fn pawns(board: &Board, side: Side, sum: &mut Pair) {
    let (own, theirs) = (board.pieces(side, Role::Pawn), board.pieces(!side, Role::Pawn));
    let files = own.fold([0; FILES], |mut files, pawn| {
        files[pawn.file()] += 1;
        files
    });
    for pawn in own {
        let seen = pawn.seen_by(side);
        let file = seen.file();
        let gone = seen.rank().saturating_sub(PAWN_LINE[file]);
        let front = FRONT[side as usize][pawn.number()];
        *sum += gone as i32 * ADVANCED_PAWN;
        if (front & theirs).is_empty() {
            *sum += PASSED_PAWN[gone.min(PASSED_PAWN.len() - 1)];
        }
        if (front & own).any(|other| other.file() == file) {
            *sum += DOUBLED_PAWN;
        }
        let beside = |other: Option<usize>| other.and_then(|file| files.get(file)).is_some_and(|pawns| *pawns > 0);
        if !beside(file.checked_sub(1)) && !beside(Some(file + 1)) {
            *sum += ISOLATED_PAWN;
        }
    }
}

fn king(board: &Board, side: Side, sum: &mut Pair) {
    let (Some(king), Some(prey)) = (board.king(side), board.king(!side)) else { return };
    let shelter = attacks::king(king) & board.pieces(side, Role::Pawn);
    *sum += shelter.count() as i32 * PAWN_SHELTER;
    // A bare king is mated at the edge, with the help of the other king.
    if board.side(!side).count() == 1 {
        *sum += (5 - centre(prey)) * Pair(0, 15);
        *sum += (10 - king.distance(prey)) * Pair(0, 10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimates::Estimates;
    use crate::examples::Examples;
    use crate::hexchess::HexChess;
    use crate::{Game, play_line};

    fn value_of(text: &str, knowledge: Knowledge) -> i32 {
        HexChess::from_position(text, &Default::default()).unwrap().evaluate(knowledge)
    }

    #[test]
    fn the_start_is_worth_the_move_to_both_sides() {
        let game = HexChess::new(&Default::default());
        assert_eq!(game.evaluate(Knowledge::Material), 0);
        assert_eq!(game.evaluate(Knowledge::Full), TO_MOVE);
        let sides = [Side::First, Side::Second];
        let officers = |role| sides.map(|side| game.current().board().pieces(side, role).count() as i32 * phase(role));
        assert_eq!(Role::ALL.into_iter().flat_map(officers).sum::<i32>(), FULL_PHASE);
    }

    #[test]
    fn exchanging_the_sides_changes_nothing() {
        let mut state = 3u64;
        let mut game = HexChess::new(&Default::default());
        let mut moves = Vec::new();
        while game.legal_moves(&mut moves).is_none() {
            let twin = game.swapped().unwrap();
            for knowledge in [Knowledge::Material, Knowledge::Full] {
                assert_eq!(game.evaluate(knowledge), twin.evaluate(knowledge), "{}", game.position());
            }
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            game.play(moves[(state >> 33) as usize % moves.len()]);
        }
        assert!(game.ply() > 10);
    }

    #[test]
    fn knowledge_points_the_right_way() {
        let full = |text| value_of(text, Knowledge::Full);
        assert_eq!(value_of("k/3/5/7/9/11/11/11/11/P10/KQ9 w - 0 1", Knowledge::Material), 1_100);
        assert_eq!(value_of("k/3/5/7/9/11/11/11/11/P10/KQ9 b - 0 1", Knowledge::Material), -1_100);
        // An advanced pawn, a passed pawn, two that are not doubled, a king driven to the edge: the better one first.
        assert!(full("k/3/5/7/4P4/11/11/11/11/11/K10 w - 0 1") > full("k/3/5/7/9/11/5P5/11/11/11/K10 w - 0 1"));
        assert!(full("k/3/5/7/p8/5P5/11/11/11/11/K10 w - 0 1") > full("k/3/5/7/3p5/5P5/11/11/11/11/K10 w - 0 1"));
        assert!(full("k/3/5/7/9/11/5PP4/11/11/11/K10 w - 0 1") > full("k/3/5/7/9/5P5/5P5/11/11/11/K10 w - 0 1"));
        assert!(full("k/3/2K2/7/9/11/11/11/11/11/R10 w - 0 1") > full("1/3/2K2/7/4k4/11/11/11/11/11/R10 w - 0 1"));
    }

    #[test]
    fn gains_are_what_is_captured_and_promoted() {
        let mut game = HexChess::new(&Default::default());
        play_line(&mut game, "f6 b6 b2 e5").unwrap();
        assert_eq!(game.gain(game.parse_move("fxe6").unwrap()), 100);
        let promoting =
            HexChess::from_position("1/1Pr/5/7/9/11/11/11/1k9/11/5K5 w - 0 1", &Default::default()).unwrap();
        let gain = |text| promoting.gain(promoting.parse_move(text).unwrap());
        assert_eq!((gain("f10g10q"), gain("f10f11n"), gain("f1f2")), (575 + 900, 275, 0));
    }

    #[test]
    fn passing_needs_pieces_and_no_check() {
        let game = HexChess::new(&Default::default());
        let passed = game.passed().unwrap();
        assert!(passed.side() == Side::Second && passed.ply() == 1);
        let may_pass = |text| HexChess::from_position(text, &Default::default()).unwrap().passed().is_some();
        assert!(!may_pass("k/3/5/7/9/11/5P5/11/11/11/K10 w - 0 1"));
        assert!(!may_pass("k/3/r4/7/9/11/11/11/11/Q10/3K7 w - 0 1"));
        assert!(may_pass("k/3/r4/7/9/11/11/11/11/Q10/4K6 w - 0 1"));
    }
}
