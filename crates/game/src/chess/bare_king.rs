//! Endings against a bare king, where only progress towards mate counts.
//!
//! The values lie in the range where a search still distinguishes better from good: a rook up is about 300, a mate in
//! reach about 500. Exact results are left to the search.

use shakmaty::attacks::king_attacks;
use shakmaty::{Bitboard, Board, Color, Rank, Role, Square};

/// The estimate as the side to move sees it, if one side has nothing but its king and the other one more.
pub(super) fn evaluate(board: &Board, turn: Color) -> Option<i32> {
    let bare = |color| board.by_color(color).count() == 1;
    let strong = match (bare(Color::White), bare(Color::Black)) {
        (false, true) => Color::White,
        (true, false) => Color::Black,
        _ => return None,
    };
    let (king, prey) = (board.king_of(strong)?, board.king_of(!strong)?);
    let own = board.by_color(strong);
    let progress = match own & board.pawns() {
        pawns if own.count() == 2 && pawns.any() => lone_pawn(pawns.first()?, king, prey, strong, turn),
        pawns => {
            let advanced = pawns.into_iter().map(|pawn| rank_of(pawn, strong)).max().unwrap_or(0);
            force(board, own) + drive(board, strong, king, prey) + 10 * advanced
        }
    };
    Some(if turn == strong { progress } else { -progress })
}

/// The value of the material to mate with.
fn force(board: &Board, own: Bitboard) -> i32 {
    let count = |role| (own & board.by_role(role)).count() as i32;
    let minors = count(Role::Knight) + count(Role::Bishop);
    let surplus = 20 * (own.count() as i32 - 2);
    surplus.min(80)
        + match (count(Role::Queen), count(Role::Rook)) {
            (1.., _) => 300,
            (0, 1..) => 200,
            _ if minors >= 2 && count(Role::Bishop) > 0 => 150,
            _ if count(Role::Pawn) >= 2 => 150,
            _ => 50,
        }
}

/// How far the bare king has been driven: few squares to go to, near the edge, our king close.
fn drive(board: &Board, strong: Color, king: Square, prey: Square) -> i32 {
    let own = board.by_color(strong);
    let only_knight_and_bishop =
        own.count() == 3 && (own & board.bishops()).count() == 1 && (own & board.knights()).any();
    let edge = if only_knight_and_bishop {
        let light = (own & board.bishops() & Bitboard::LIGHT_SQUARES).any();
        let corners = if light { [Square::A8, Square::H1] } else { [Square::A1, Square::H8] };
        7 - corners.map(|corner| corner.distance(prey) as i32).into_iter().min().unwrap_or(0)
    } else {
        centre_distance(prey)
    };
    2 * (64 - room(board, strong, prey)) + 15 * edge + 15 * (7 - king.distance(prey) as i32)
}

/// The squares that the bare king could ever walk to if nothing else moved.
fn room(board: &Board, strong: Color, prey: Square) -> i32 {
    // A line of attack goes on behind the king that stands in it.
    let occupied = board.occupied() ^ Bitboard::from(prey);
    let own = board.by_color(strong);
    let guarded = own.into_iter().fold(Bitboard::EMPTY, |squares, square| {
        squares
            | board
                .piece_at(square)
                .map_or(Bitboard::EMPTY, |piece| shakmaty::attacks::attacks(square, piece, occupied))
    });
    let mut reached = Bitboard::from(prey);
    loop {
        let next = reached.into_iter().fold(reached, |squares, square| squares | king_attacks(square) & !guarded);
        if next == reached {
            return reached.count() as i32;
        }
        reached = next;
    }
}

/// King and pawn: whether the pawn outruns the bare king, or its own king can escort it.
fn lone_pawn(pawn: Square, king: Square, prey: Square, strong: Color, turn: Color) -> i32 {
    let rank = rank_of(pawn, strong);
    let goal = Square::from_coords(pawn.file(), if strong == Color::White { Rank::Eighth } else { Rank::First });
    // The double step counts as one.
    let steps = (7 - rank - i32::from(rank == 1)).max(0);
    let late = i32::from(turn != strong);
    let in_the_way = pawn.file() == king.file() && rank_of(king, strong) > rank;
    let runs = goal.distance(prey) as i32 > steps + late && !in_the_way;
    let path = Bitboard::from(pawn.file()).into_iter().filter(|square| rank_of(*square, strong) > rank);
    let escorted = path.into_iter().all(|square| king.distance(square) == 1 && square != prey);
    if runs || escorted {
        return 230 + 8 * rank;
    }
    let rook_pawn = matches!(i32::from(pawn.file()), 0 | 7);
    let ahead = rank_of(king, strong) - rank;
    let beside = (i32::from(king.file()) - i32::from(pawn.file())).abs();
    let leads = if rook_pawn {
        // The king must keep the other one out of the corner.
        let gate = if i32::from(pawn.file()) == 0 { 1 } else { 6 };
        i32::from(king.file()) == gate && rank_of(king, strong) >= 6 && goal.distance(prey) > 1
    } else {
        beside <= 1 && if rank >= 4 { (1..=2).contains(&ahead) } else { ahead == 2 }
    };
    if leads {
        return 180 + 10 * rank;
    }
    let value = 60 + 10 * rank + 12 * ahead.clamp(-2, 3) - 8 * (king.distance(pawn) as i32)
        + 6 * (goal.distance(prey) as i32).min(prey.distance(pawn) as i32);
    if rook_pawn { value / 3 } else { value }
}

/// The rank, from 0 on the side's own first one.
fn rank_of(square: Square, color: Color) -> i32 {
    let rank = i32::from(square.rank());
    if color == Color::White { rank } else { 7 - rank }
}

/// Steps to the middle of the board, 0 to 6.
pub(super) fn centre_distance(square: Square) -> i32 {
    let axis = |at: i32| if at < 4 { 3 - at } else { at - 4 };
    axis(square.file().into()) + axis(square.rank().into())
}
