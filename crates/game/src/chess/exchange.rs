//! Static exchange evaluation: what a capture wins after all recaptures on its square.

use shakmaty::attacks::{bishop_attacks, rook_attacks};
use shakmaty::{Bitboard, Board, Color, Position, Role};

use super::evaluation::plain_value;
use super::moves::Move;

/// The king captures last, and nobody may capture after it: it is worth more than all other pieces.
const KING: i32 = 20_000;

/// More pieces than can ever attack a square.
const MOST: usize = 32;

fn value(role: Role) -> i32 {
    if role == Role::King { KING } else { plain_value(role) }
}

/// Each side captures with its cheapest piece, or stops. Pins are not seen; promotions count for the first move only.
pub(super) fn exchange(position: &shakmaty::Chess, m: Move) -> i32 {
    let board = position.board();
    let Some(m) = m.to_shakmaty(position) else { return 0 };
    let (Some(from), target) = (m.from(), m.to()) else { return 0 };
    if m.is_castle() {
        return 0;
    }
    let (mut occupied, mut side) = (board.occupied(), position.turn());
    occupied.discard(from);
    if let shakmaty::Move::EnPassant { from, to } = m {
        // The captured pawn stands beside the one that captures.
        occupied.discard(shakmaty::Square::from_coords(to.file(), from.rank()));
        occupied.add(to);
    }
    let promotion = m.promotion().map_or(0, |role| value(role) - value(Role::Pawn));
    let mut on_target = m.promotion().map_or(value(m.role()), value);
    // What each capture has won so far for its side, if the exchange ends there.
    let mut won = [0; MOST];
    won[0] = m.capture().map_or(0, value) + promotion;
    let mut count = 1;
    side = !side;
    while let Some((attacker, role)) = cheapest(board, target, side, occupied) {
        if count == MOST {
            break;
        }
        won[count] = on_target - won[count - 1];
        on_target = value(role);
        occupied.discard(attacker);
        side = !side;
        count += 1;
        if role == Role::King && cheapest(board, target, side, occupied).is_some() {
            // The king may not capture what is guarded.
            count -= 1;
            break;
        }
    }
    // From the end: whoever would lose by capturing stops before.
    for last in (1..count).rev() {
        won[last - 1] = -won[last].max(-won[last - 1]);
    }
    won[0]
}

/// The cheapest piece of a side that attacks a square through what is still there.
fn cheapest(
    board: &Board,
    target: shakmaty::Square,
    side: Color,
    occupied: Bitboard,
) -> Option<(shakmaty::Square, Role)> {
    let attackers = attackers(board, target, side, occupied);
    Role::ALL.into_iter().find_map(|role| Some(((attackers & board.by_role(role)).first()?, role)))
}

fn attackers(board: &Board, target: shakmaty::Square, side: Color, occupied: Bitboard) -> Bitboard {
    let direct = board.attacks_to(target, side, occupied);
    // Sliders behind pieces that have captured already.
    let rooks = rook_attacks(target, occupied) & (board.rooks() | board.queens());
    let bishops = bishop_attacks(target, occupied) & (board.bishops() | board.queens());
    (direct | (rooks | bishops) & board.by_color(side)) & occupied
}

#[cfg(test)]
mod tests {
    use crate::chess::Chess;
    use crate::{Estimates, Game};

    fn exchange(fen: &str, m: &str) -> i32 {
        let game = Chess::from_position(fen, &Default::default()).unwrap();
        game.exchange(game.parse_move(m).unwrap())
    }

    /// Positions of the Chess Programming Wiki's page on the swap algorithm, and hand-made ones.
    #[test]
    fn exchanges_are_counted_to_their_end() {
        assert_eq!(exchange("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "Rxe5"), 100);
        assert_eq!(exchange("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "Nxe5"), -200);
        // A pawn takes a guarded knight: 300 for 100.
        assert_eq!(exchange("4k3/2p5/3n4/4P3/8/8/8/4K3 w - - 0 1", "exd6"), 200);
        // A queen takes a guarded pawn.
        assert_eq!(exchange("4k3/2p5/3p4/8/8/8/8/3QK3 w - - 0 1", "Qxd6"), 100 - 900);
        // Two rooks in a row against one guard.
        assert_eq!(exchange("3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "Rxd5"), 100);
        // The king may capture only what is not guarded.
        assert_eq!(exchange("8/8/3k4/4p3/8/8/4R3/4R1K1 w - - 0 1", "Rxe5"), 100);
        assert_eq!(exchange("8/8/3k4/4p3/8/8/4R3/6K1 w - - 0 1", "Rxe5"), 100 - 500);
        assert_eq!(exchange("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "axb8=Q"), 300 + 800);
        assert_eq!(exchange("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6"), 100);
        // A quiet move to a square that a pawn guards.
        assert_eq!(exchange("4k3/8/3p4/8/8/5N2/8/4K3 w - - 0 1", "Ne5"), -300);
    }
}
