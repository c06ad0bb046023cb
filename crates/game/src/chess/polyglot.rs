//! Opening books in Polyglot's format.
//!
//! A file of entries of 16 bytes, sorted by the position's key: key, move, weight, and four bytes that are not used here.

use std::io;

use shakmaty::zobrist::Zobrist64;
use shakmaty::{EnPassantMode, Position, Role, Square};

use super::{Chess, Move};
use crate::{Book, BookMove, ReferenceError};

pub(super) const NAME: &str = "Polyglot";

const ENTRY: usize = 16;

/// A book in memory.
pub(super) struct Polyglot {
    /// (key, code, weight)
    entries: Vec<(u64, u16, u16)>,
}

impl Polyglot {
    /// Reads the bytes of a file.
    pub(super) fn read(bytes: &[u8]) -> Result<Polyglot, ReferenceError> {
        let (entries, rest) = bytes.as_chunks::<ENTRY>();
        if entries.is_empty() || !rest.is_empty() {
            return Err(ReferenceError::Malformed { kind: NAME, why: "its size is not a multiple of 16 bytes" });
        }
        let entry = |[k0, k1, k2, k3, k4, k5, k6, k7, m0, m1, w0, w1, ..]: &[u8; ENTRY]| {
            let key = u64::from_be_bytes([*k0, *k1, *k2, *k3, *k4, *k5, *k6, *k7]);
            (key, u16::from_be_bytes([*m0, *m1]), u16::from_be_bytes([*w0, *w1]))
        };
        Ok(Polyglot { entries: entries.iter().map(entry).collect() })
    }
}

impl Book<Chess> for Polyglot {
    fn moves(&self, game: &Chess) -> io::Result<Vec<BookMove<Move>>> {
        let key = key(game);
        let first = self.entries.partition_point(|(of, ..)| *of < key);
        let entries = self.entries[first..].iter().take_while(|(of, ..)| *of == key);
        let known = entries.filter_map(|(_, code, weight)| Some((legal(game, *code)?, *weight)));
        Ok(known.map(|(m, weight)| BookMove { m, weight: weight.into(), counts: None }).collect())
    }
}

/// The key of a position and the code of a legal move of it.
pub(super) fn entry(game: &Chess, m: Move) -> (u64, u16) {
    let promotion = match m.promotion() {
        Some(Role::Knight) => 1,
        Some(Role::Bishop) => 2,
        Some(Role::Rook) => 3,
        Some(Role::Queen) => 4,
        _ => 0,
    };
    (key(game), m.to() as u16 | (m.from() as u16) << 6 | promotion << 12)
}

fn key(game: &Chess) -> u64 {
    game.shakmaty().zobrist_hash::<Zobrist64>(EnPassantMode::PseudoLegal).0
}

/// A file of entries in order: (key, code, weight). Weights are made smaller in proportion where one of the same position is too
/// large for the format; none that was more than 0 becomes 0.
pub fn write_polyglot(entries: &[(u64, u16, u32)]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(entries.len() * ENTRY);
    for position in entries.chunk_by(|(one, ..), (other, ..)| one == other) {
        let largest = position.iter().map(|(.., weight)| *weight).max().unwrap_or(0);
        let most = u32::from(u16::MAX);
        for (key, code, weight) in position {
            let scaled = match largest > most {
                true => (u64::from(*weight) * u64::from(most) / u64::from(largest)).max(u64::from(*weight > 0)) as u16,
                false => *weight as u16,
            };
            bytes.extend(key.to_be_bytes());
            bytes.extend(code.to_be_bytes());
            bytes.extend(scaled.to_be_bytes());
            bytes.extend([0; 4]);
        }
    }
    bytes
}

/// The legal move that a book's code stands for: squares of six bits each, a promotion above them, castling as king takes rook.
fn legal(game: &Chess, code: u16) -> Option<Move> {
    let square = |bits: u16| Square::try_from(u32::from(bits & 63)).ok();
    let (to, from) = (square(code)?, square(code >> 6)?);
    let promotion = match code >> 12 & 7 {
        0 => None,
        1 => Some(Role::Knight),
        2 => Some(Role::Bishop),
        3 => Some(Role::Rook),
        4 => Some(Role::Queen),
        _ => return None,
    };
    let is_meant = |m: &shakmaty::Move| m.from() == Some(from) && m.to() == to && m.promotion() == promotion;
    game.shakmaty().legal_moves().into_iter().find(is_meant).map(Move::from_shakmaty)
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::chess::Rules;
    use crate::{Examples, Game, play_line};

    /// An entry as books store it.
    fn entry(key: u64, from: &str, to: &str, weight: u16) -> Vec<u8> {
        let square = |name: &str| u16::from(name.parse::<Square>().unwrap() as u8);
        let code = square(from) << 6 | square(to);
        [&key.to_be_bytes()[..], &code.to_be_bytes(), &weight.to_be_bytes(), &[0; 4]].concat()
    }

    #[test]
    fn published_keys_are_found_and_only_legal_moves_are_played() {
        // The keys of the start and of the position after 1. e4, from the format's description.
        let (start, after_e4) = (0x463b_9618_1691_fc9c, 0x823c_9b50_fd11_4196);
        let entries = [
            entry(5, "a1", "a2", 1),
            entry(start, "e2", "e4", 3),
            entry(start, "d2", "d4", 1),
            entry(start, "e2", "e5", 900),
            entry(after_e4, "d7", "d5", 0),
        ];
        let book = Polyglot::read(&entries.concat()).unwrap();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut below = |limit| random.random_range(0..limit);
        let mut game = Chess::new(&Rules::default());
        let mut count = [0, 0];
        for _ in 0..400 {
            match game.move_text(book.probe(&game, &mut below).unwrap().unwrap()).as_str() {
                "e2e4" => count[0] += 1,
                "d2d4" => count[1] += 1,
                other => panic!("{other}"),
            }
        }
        assert!((270..=330).contains(&count[0]), "{count:?}");
        play_line(&mut game, "e4").unwrap();
        assert_eq!(book.probe(&game, &mut below).unwrap(), None, "weight 0 means never");
        assert!(Polyglot::read(b"not a book").is_err() && Polyglot::read(b"").is_err());
    }

    /// The entry of Polyglot for every move of several positions is that of the book's own reader.
    #[test]
    fn written_books_are_read_back() {
        for position in Chess::TEST_POSITIONS {
            let game = Chess::from_position(position, &Rules::default()).unwrap();
            let mut moves = Vec::new();
            game.generate(&mut moves);
            let mut entries: Vec<(u64, u16, u32)> = (1u32..)
                .zip(&moves)
                .map(|(number, m)| {
                    let (key, code) = super::entry(&game, *m);
                    (key, code, 10_000 * number)
                })
                .collect();
            entries.sort_unstable();
            let found = Polyglot::read(&write_polyglot(&entries)).unwrap().moves(&game).unwrap();
            assert_eq!(found.len(), moves.len());
            let largest = 10_000 * moves.len() as u32;
            for BookMove { m, weight, .. } in found {
                let place = 1 + moves.iter().position(|other| *other == m).unwrap() as u32;
                let scaled = if largest > 65_535 {
                    (u64::from(10_000 * place) * 65_535 / u64::from(largest)) as u32
                } else {
                    10_000 * place
                };
                assert_eq!(weight, scaled);
            }
        }
        let tiny = write_polyglot(&[(1, 1, 1), (1, 2, 1_000_000)]);
        assert_eq!(Polyglot::read(&tiny).unwrap().entries, [(1, 1, 1), (1, 2, 65_535)]);
    }

    #[test]
    fn castling_is_king_takes_rook() {
        let game = Chess::from_position("4k3/8/8/8/8/8/8/4K2R w K - 0 1", &Rules::default()).unwrap();
        let code = (Square::E1 as u16) << 6 | Square::H1 as u16;
        assert_eq!(game.move_text(legal(&game, code).unwrap()), "e1g1");
        assert!(legal(&game, u16::MAX).is_none());
    }
}
