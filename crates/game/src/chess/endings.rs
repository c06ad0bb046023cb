//! Random endings: positions with few pieces, from which games reach a result soon.

use shakmaty::{Bitboard, Board, CastlingMode, Color, Piece, Role, Setup, Square};

use super::{Chess, Rules};
use crate::Game;

/// Endings worth knowing: what the two sides have besides their kings.
const KNOWN: [(&str, &str); 20] = [
    ("q", ""),
    ("r", ""),
    ("p", ""),
    ("bb", ""),
    ("bn", ""),
    ("rr", ""),
    ("pp", ""),
    ("q", "r"),
    ("q", "p"),
    ("q", "b"),
    ("q", "n"),
    ("r", "p"),
    ("r", "b"),
    ("r", "n"),
    ("p", "p"),
    ("pp", "p"),
    ("rp", "r"),
    ("qp", "q"),
    ("rb", "r"),
    ("bp", "n"),
];

/// The most pieces besides the kings, where they are drawn at random.
const MOST: u32 = 4;

/// What they are drawn from: pawns are the most frequent, as on the board.
const MIXTURE: [Role; 8] =
    [Role::Pawn, Role::Pawn, Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Rook, Role::Queen];

/// Draws before giving up. About one in three is a position to play from: this many fail only if the random numbers are
/// broken.
const TRIES: u32 = 1_000;

/// A position with up to six pieces that is legal and not over, either side to move: half of them are well-known
/// endings, half of them mixtures. `below` gives a random number smaller than its argument.
pub(super) fn random(rules: &Rules, below: &mut dyn FnMut(u32) -> u32) -> Option<Chess> {
    (0..TRIES).find_map(|_| draw(rules, below))
}

fn draw(rules: &Rules, below: &mut dyn FnMut(u32) -> u32) -> Option<Chess> {
    let mut board = Board::empty();
    for color in Color::ALL {
        place(&mut board, Role::King.of(color), below);
    }
    for piece in pieces(below) {
        place(&mut board, piece, below);
    }
    let setup = Setup { board, turn: color(below), ..Setup::empty() };
    let game = Chess::from_shakmaty(setup.position(CastlingMode::Standard).ok()?, rules);
    game.outcome().is_none().then_some(game)
}

/// The pieces besides the kings.
fn pieces(below: &mut dyn FnMut(u32) -> u32) -> Vec<Piece> {
    if below(2) == 0 {
        let (strong, weak) = KNOWN[below(KNOWN.len() as u32) as usize];
        let strong_color = color(below);
        let side =
            |roles: &'static str, color| roles.chars().filter_map(Role::from_char).map(move |role| role.of(color));
        side(strong, strong_color).chain(side(weak, !strong_color)).collect()
    } else {
        let count = 1 + below(MOST);
        (0..count).map(|_| MIXTURE[below(MIXTURE.len() as u32) as usize].of(color(below))).collect()
    }
}

fn color(below: &mut dyn FnMut(u32) -> u32) -> Color {
    Color::from_white(below(2) == 0)
}

/// Puts a piece on a random free square that it can stand on.
fn place(board: &mut Board, piece: Piece, below: &mut dyn FnMut(u32) -> u32) {
    let room = if piece.role == Role::Pawn { !Bitboard::BACKRANKS } else { Bitboard::FULL };
    let free: Vec<Square> = (room & !board.occupied()).into_iter().collect();
    if let Some(square) = free.get(below(free.len() as u32) as usize) {
        board.set_piece_at(*square, piece);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use shakmaty::Position;

    use super::*;
    use crate::Side;

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
            // The FEN reader is strict: what it takes is a possible position.
            assert_eq!(Chess::from_position(&text, &rules).unwrap().position(), text);
            assert!(game.outcome().is_none(), "{text}");
            let board = game.shakmaty().board();
            assert!((3..=6).contains(&board.occupied().count()), "{text}");
            firsts += u32::from(game.side() == Side::First);
            let mut material: Vec<char> =
                text.split(' ').next().unwrap().chars().filter(char::is_ascii_alphabetic).collect();
            material.sort_unstable();
            *materials.entry(material.into_iter().collect()).or_default() += 1;
            positions.insert(text);
        }
        assert!(positions.len() > 1_990 && materials.len() > 200, "{} {}", positions.len(), materials.len());
        assert!((900..1_100).contains(&firsts), "{firsts}");
        for known in ["KQk", "Kkq", "KRk", "KPk", "BKNk", "KQkr", "KPRkr", "KRkpr"] {
            assert!(materials.contains_key(known), "{known}: {materials:?}");
        }
    }

    #[test]
    fn broken_random_numbers_give_no_ending() {
        assert!(random(&Rules::default(), &mut |_| 0).is_none());
    }
}
