//! Exchanges on a square, counted without a search.

use shakmaty::{Bitboard, Board, Color, Role, Square, attacks};

/// What a piece is worth in pawns.
pub fn worth(role: Role) -> i32 {
    match role {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 9,
        Role::King => 100,
    }
}

/// What `side` has more than the other, in pawns, without kings.
pub fn balance(board: &Board, side: Color) -> i32 {
    let of = |color: Color| -> i32 {
        let pieces = board.by_color(color) & !board.kings();
        pieces.into_iter().filter_map(|square| board.role_at(square)).map(worth).sum()
    };
    of(side) - of(!side)
}

/// What `side` wins by taking on a square, if both sides take back with their cheapest pieces as long as that pays. The first piece
/// to take is `first`, or the cheapest. Pieces that are pinned to their king do not take. 0 if nothing can take.
pub fn exchange(board: &Board, on: Square, side: Color, first: Option<Square>) -> i32 {
    let mut board = board.clone();
    let mut gains = Vec::new();
    let mut taken = board.role_at(on).map_or(0, worth);
    let (mut side, mut taker) = (side, first);
    while let Some(from) = taker.take().or_else(|| cheapest(&board, on, side)) {
        let Some(piece) = board.remove_piece_at(from) else { break };
        gains.push(taken);
        taken = worth(piece.role);
        board.set_piece_at(on, piece);
        side = !side;
    }
    // From the end: nobody has to go on.
    let Some((first, later)) = gains.split_first() else { return 0 };
    first - later.iter().rev().fold(0, |rest, gain| (gain - rest).max(0))
}

/// The cheapest piece that can take on a square.
fn cheapest(board: &Board, on: Square, side: Color) -> Option<Square> {
    let attackers = |color: Color| board.attacks_to(on, color, board.occupied());
    let can = |from: &Square| board.king_of(side).is_none_or(|king| !is_pinned(board, *from, on, king, side));
    let from = attackers(side).into_iter().filter(can).min_by_key(|from| board.role_at(*from).map_or(0, worth))?;
    let is_king = board.role_at(from) == Some(Role::King);
    (!is_king || attackers(!side).is_empty()).then_some(from)
}

/// Whether a piece would leave its king to a slider by going to a square.
fn is_pinned(board: &Board, from: Square, to: Square, king: Square, side: Color) -> bool {
    if from == king {
        return false;
    }
    let without = board.occupied() & !Bitboard::from(from) | Bitboard::from(to);
    let straight = board.rooks() | board.queens();
    let diagonal = board.bishops() | board.queens();
    let sliders = attacks::rook_attacks(king, without) & straight | attacks::bishop_attacks(king, without) & diagonal;
    let seen = sliders & board.by_color(!side) & !Bitboard::from(to);
    // One that sees the king already gives check, and pins nothing.
    seen.into_iter().any(|slider| attacks::between(slider, king).contains(from))
}

#[cfg(test)]
mod tests {
    use shakmaty::fen::Fen;

    use super::*;

    fn on(fen: &str, square: Square, side: Color) -> i32 {
        let fen: Fen = fen.parse().unwrap();
        exchange(&fen.as_setup().board, square, side, None)
    }

    #[test]
    fn exchanges_go_on_as_long_as_they_pay() {
        for (fen, square, side, gain) in [
            ("4k3/8/8/3n4/8/8/8/3RK3 w - - 0 1", Square::D5, Color::White, 3),
            ("4k3/8/4p3/3n4/8/8/8/3RK3 w - - 0 1", Square::D5, Color::White, -2),
            ("4k3/8/4p3/3r4/4P3/8/8/4K3 w - - 0 1", Square::D5, Color::White, 4),
            ("3rk3/8/8/3n4/8/8/3R4/3RK3 w - - 0 1", Square::D5, Color::White, 3),
            ("3rk3/3r4/8/3n4/8/8/3R4/3RK3 w - - 0 1", Square::D5, Color::White, -2),
            ("4k3/8/8/3n4/8/8/8/4K3 w - - 0 1", Square::D5, Color::White, 0),
            // The pawn that guards is pinned to its king.
            ("4k3/4p3/3n4/8/8/8/8/3RR1K1 w - - 0 1", Square::D6, Color::White, 3),
            // A king takes only what nothing guards.
            ("8/8/4k3/3N4/2P5/8/8/4K3 b - - 0 1", Square::D5, Color::Black, 0),
            ("8/8/4k3/3N4/8/8/8/4K3 b - - 0 1", Square::D5, Color::Black, 3),
        ] {
            assert_eq!(on(fen, square, side), gain, "{fen}");
        }
    }

    #[test]
    fn the_balance_counts_pieces() {
        let fen: Fen = "4k3/p7/8/8/8/8/8/Q3K3 w - - 0 1".parse().unwrap();
        let board = &fen.as_setup().board;
        assert_eq!((balance(board, Color::White), balance(board, Color::Black)), (8, -8));
    }
}
