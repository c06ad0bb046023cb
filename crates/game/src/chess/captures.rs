//! The moves that win something at once, without the others: what a quiescence search asks for.

use shakmaty::attacks::{
    aligned, between, bishop_attacks, king_attacks, knight_attacks, pawn_attacks, queen_attacks, rook_attacks,
};
use shakmaty::{Bitboard, Position, Role, Square};

use super::moves::Move;

/// Puts all legal captures and promotions into `moves`. The mover must not be in check.
pub(super) fn generate(position: &shakmaty::Chess, moves: &mut Vec<Move>) {
    moves.clear();
    let board = position.board();
    let (us, own, theirs, occupied) = (position.turn(), position.us(), position.them(), board.occupied());
    let Some(king) = board.king_of(us) else { return };
    let pinned = pinned(position, king);
    let is_safe = |from: Square, to: Square| !pinned.contains(from) || aligned(from, to, king);
    for pawn in own & board.pawns() {
        let ahead =
            pawn.offset(us.fold_wb(8, -8)).filter(|to| Bitboard::BACKRANKS.contains(*to) && !occupied.contains(*to));
        for to in (pawn_attacks(us, pawn) & theirs).into_iter().chain(ahead).filter(|to| is_safe(pawn, *to)) {
            if Bitboard::BACKRANKS.contains(to) {
                let roles = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
                moves.extend(roles.map(|role| Move::new(pawn, to, Some(role))));
            } else {
                moves.push(Move::new(pawn, to, None));
            }
        }
    }
    let mut capture = |from: Square, attacks: Bitboard| {
        moves
            .extend((attacks & theirs).into_iter().filter(|to| is_safe(from, *to)).map(|to| Move::new(from, to, None)));
    };
    for from in own & board.knights() {
        capture(from, knight_attacks(from));
    }
    for from in own & board.bishops() {
        capture(from, bishop_attacks(from, occupied));
    }
    for from in own & board.rooks() {
        capture(from, rook_attacks(from, occupied));
    }
    for from in own & board.queens() {
        capture(from, queen_attacks(from, occupied));
    }
    for to in king_attacks(king) & theirs {
        if board.attacks_to(to, !us, occupied).is_empty() {
            moves.push(Move::new(king, to, None));
        }
    }
    // Rare, and the only ones that take two pieces off a line at once.
    if position.maybe_ep_square().is_some() {
        moves.extend(position.en_passant_moves().iter().map(|&m| Move::from_shakmaty(m)));
    }
}

/// The mover's pieces that alone stand between the king and a piece that would give check.
fn pinned(position: &shakmaty::Chess, king: Square) -> Bitboard {
    let board = position.board();
    let straight = rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens();
    let diagonal = bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens();
    let mut pinned = Bitboard::EMPTY;
    for attacker in (straight | diagonal) & position.them() {
        let blockers = between(king, attacker) & board.occupied();
        if !blockers.more_than_one() {
            pinned |= blockers & position.us();
        }
    }
    pinned
}

#[cfg(test)]
mod tests {
    use crate::chess::Chess;
    use crate::{Estimates, Examples, Game};

    /// Against the moves of the rules, in games that begin at positions with pins, promotions and captures in passing.
    #[test]
    fn they_are_the_legal_moves_that_gain_something() {
        let mut state = 7u64;
        let mut below = |limit: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % limit
        };
        let (mut legal, mut gains, mut compared) = (Vec::new(), Vec::new(), 0);
        for text in Chess::TEST_POSITIONS {
            for _ in 0..60 {
                let mut game = Chess::from_position(text, &Default::default()).unwrap();
                for _ in 0..60 {
                    if game.legal_moves(&mut legal).is_some() {
                        break;
                    }
                    if !game.is_in_check() {
                        game.generate_gains(&mut gains);
                        gains.sort();
                        let mut expected: Vec<_> = legal.iter().copied().filter(|m| game.gain(*m) > 0).collect();
                        expected.sort();
                        assert_eq!(gains, expected, "{}", game.position());
                        compared += gains.len();
                    }
                    game.play(legal[below(legal.len())]);
                }
            }
        }
        assert!(compared > 10_000, "{compared}");
    }
}
