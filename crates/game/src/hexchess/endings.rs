//! Random endings: positions with few pieces, from which games reach a result soon.

use super::attacks::pawn_can_stand;
use super::board::{Board, Role};
use super::cell::Cell;
use super::game::HexChess;
use super::position::Position;
use super::rules::Rules;
use crate::{Game, Side};

/// Endings worth knowing: what the two sides have besides their kings.
const KNOWN: [(&str, &str); 20] = [
    ("q", ""),
    ("r", ""),
    ("p", ""),
    ("nn", ""),
    ("rr", ""),
    ("qr", ""),
    ("rb", ""),
    ("rn", ""),
    ("pp", ""),
    ("bbb", ""),
    ("nnb", ""),
    ("q", "n"),
    ("q", "b"),
    ("q", "p"),
    ("r", "n"),
    ("r", "b"),
    ("r", "p"),
    ("p", "p"),
    ("pp", "p"),
    ("rp", "r"),
];

/// The most pieces besides the kings, where they are drawn at random.
const MOST: u32 = 4;

/// What they are drawn from: pawns are the most frequent, as on the board.
const MIXTURE: [Role; 9] =
    [Role::Pawn, Role::Pawn, Role::Pawn, Role::Knight, Role::Knight, Role::Bishop, Role::Rook, Role::Rook, Role::Queen];

/// Draws before giving up. More than one in three is a position to play from: this many fail only if the random numbers
/// are broken.
const TRIES: u32 = 1_000;

/// A position with up to six pieces that is legal and not over, either side to move: half of them are well-known
/// endings, half of them mixtures. `below` gives a random number smaller than its argument.
pub(super) fn random(rules: &Rules, below: &mut dyn FnMut(u32) -> u32) -> Option<HexChess> {
    (0..TRIES).find_map(|_| draw(rules, below))
}

fn draw(rules: &Rules, below: &mut dyn FnMut(u32) -> u32) -> Option<HexChess> {
    let mut board = Board::default();
    let kings = [(Side::First, Role::King), (Side::Second, Role::King)];
    for (side, role) in kings.into_iter().chain(pieces(below)) {
        place(&mut board, side, role, below)?;
    }
    let position = Position::new(board, either(below), None);
    if position.in_check(!position.turn()) {
        return None;
    }
    let game = HexChess::from_parts(position, 0, 1, rules);
    game.outcome().is_none().then_some(game)
}

/// The pieces besides the kings.
fn pieces(below: &mut dyn FnMut(u32) -> u32) -> Vec<(Side, Role)> {
    if below(2) == 0 {
        let (strong, weak) = KNOWN[below(KNOWN.len() as u32) as usize];
        let winner = either(below);
        let roles =
            |letters: &'static str, side| letters.chars().filter_map(Role::called).map(move |role| (side, role));
        roles(strong, winner).chain(roles(weak, !winner)).collect()
    } else {
        let count = 1 + below(MOST);
        (0..count).map(|_| (either(below), MIXTURE[below(MIXTURE.len() as u32) as usize])).collect()
    }
}

fn either(below: &mut dyn FnMut(u32) -> u32) -> Side {
    if below(2) == 0 { Side::First } else { Side::Second }
}

/// Puts a piece on a random free cell that it can stand on, if there is one. Of a side's bishops, each gets a colour of its own.
fn place(board: &mut Board, side: Side, role: Role, below: &mut dyn FnMut(u32) -> u32) -> Option<()> {
    let bishops = board.pieces(side, Role::Bishop);
    let suits = |cell: &Cell| match role {
        Role::Pawn => pawn_can_stand(side, *cell),
        Role::Bishop => bishops.into_iter().all(|bishop| bishop.colour() != cell.colour()),
        _ => true,
    };
    let free: Vec<Cell> = (!board.occupied()).filter(suits).collect();
    if free.is_empty() {
        return None;
    }
    board.toggle(side, role, *free.get(below(free.len() as u32) as usize)?);
    Some(())
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    #[test]
    fn endings_are_legal_varied_not_over_and_for_both_sides() {
        let mut state = 1u64;
        let mut below = |limit: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % u64::from(limit)) as u32
        };
        let rules = Rules::default();
        let mut positions = HashSet::new();
        let mut materials: HashMap<String, u32> = HashMap::new();
        let mut firsts = 0;
        for _ in 0..2_000 {
            let game = random(&rules, &mut below).unwrap();
            let text = game.position();
            // The reader is strict: what it takes is a possible position.
            assert_eq!(HexChess::from_position(&text, &rules).unwrap().position(), text);
            assert!(game.outcome().is_none(), "{text}");
            assert!((3..=6).contains(&game.current().board().occupied().count()), "{text}");
            firsts += u32::from(game.side() == Side::First);
            let mut material: Vec<char> =
                text.split(' ').next().unwrap().chars().filter(char::is_ascii_alphabetic).collect();
            material.sort_unstable();
            *materials.entry(material.into_iter().collect()).or_default() += 1;
            positions.insert(text);
        }
        assert!(positions.len() > 1_990 && materials.len() > 200, "{} {}", positions.len(), materials.len());
        assert!((900..1_100).contains(&firsts), "{firsts}");
        for known in ["KQk", "Kkq", "KRk", "KPk", "KNNk", "BBBKk", "KPRkr", "KRkpr"] {
            assert!(materials.contains_key(known), "{known}: {materials:?}");
        }
    }

    #[test]
    fn broken_random_numbers_give_no_ending() {
        assert!(random(&Rules::default(), &mut |_| 0).is_none());
    }
}
