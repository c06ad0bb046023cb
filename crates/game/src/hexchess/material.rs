//! When neither side can win any more.

use super::board::{Board, Role};

/// Whether there is nothing but the kings and at most one knight or bishop.
///
/// Unlike on the square board such a piece can mate: a king in one of the six corners, in 24 ways with a knight and in
/// 60 with a bishop. But that takes the help of the side that is mated: in every other position with the bare king to
/// move it has a move after which no mate follows, as the tests show by going through all of them. With more material
/// the game goes on.
pub(super) fn is_insufficient(board: &Board) -> bool {
    let mating = board.role(Role::Pawn) | board.role(Role::Rook) | board.role(Role::Queen);
    mating.is_empty() && board.occupied().count() <= 3
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::Side;
    use crate::hexchess::Move;
    use crate::hexchess::cell::Cell;
    use crate::hexchess::generate::generate;
    use crate::hexchess::position::Position;

    /// White's king, White's other piece, the bare king.
    type Placed = (Cell, Cell, Cell);

    fn position((king, piece, prey): Placed, role: Role, turn: Side) -> Position {
        let mut board = Board::default();
        board.toggle(Side::First, Role::King, king);
        board.toggle(Side::First, role, piece);
        board.toggle(Side::Second, Role::King, prey);
        Position::new(board, turn, None)
    }

    fn moves(position: &Position) -> Vec<Move> {
        let mut moves = Vec::new();
        generate(position, &mut moves);
        moves
    }

    /// The positions with Black to move that are mate.
    fn mates(role: Role) -> HashSet<Placed> {
        let mut mates = HashSet::new();
        for king in Cell::all() {
            for piece in Cell::all().filter(|piece| *piece != king) {
                for prey in Cell::all().filter(|prey| *prey != king && *prey != piece) {
                    let position = position((king, piece, prey), role, Side::Second);
                    let checks = position.in_check(Side::Second) && !position.in_check(Side::First);
                    if checks && moves(&position).is_empty() {
                        mates.insert((king, piece, prey));
                    }
                }
            }
        }
        mates
    }

    #[test]
    fn one_minor_piece_mates_only_with_the_other_side_s_help() {
        for (role, count) in [(Role::Knight, 24), (Role::Bishop, 60)] {
            let mates = mates(role);
            assert_eq!(mates.len(), count, "{role:?}");
            assert!(
                mates.iter().all(|(_, _, prey)| ["a1", "a6", "f1", "f11", "l1", "l6"].contains(&&*prey.to_string()))
            );

            // Moves of these pieces are reversible: White's moves from a mate lead to positions with mate in one.
            let mut mate_in_one: HashSet<Placed> = HashSet::new();
            for &(king, piece, prey) in &mates {
                for m in moves(&position((king, piece, prey), role, Side::First)) {
                    let before = if m.from() == king { (m.to(), piece, prey) } else { (king, m.to(), prey) };
                    if m.to() != prey && !position(before, role, Side::First).in_check(Side::Second) {
                        mate_in_one.insert(before);
                    }
                }
            }
            assert!(mate_in_one.len() > count);

            // A king that could step into such a position had another move.
            for &(king, piece, prey) in &mate_in_one {
                for from in crate::hexchess::attacks::king(prey).filter(|from| *from != king && *from != piece) {
                    let before = position((king, piece, from), role, Side::Second);
                    let replies = moves(&before);
                    let safe = |m: &Move| m.to() == piece || !mate_in_one.contains(&(king, piece, m.to()));
                    let legal = !before.in_check(Side::First);
                    assert!(!legal || mates.contains(&(king, piece, from)) || replies.iter().any(safe), "{before:?}");
                }
            }
        }
    }
}
