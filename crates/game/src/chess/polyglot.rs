//! Opening books in Polyglot's format.
//!
//! A file of entries of 16 bytes, sorted by the position's key: key, move, weight, and four bytes that are not used here.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use shakmaty::zobrist::Zobrist64;
use shakmaty::{EnPassantMode, Position, Role, Square};

use super::{Chess, Move};
use crate::{Book, ReferenceError};

pub(super) const NAME: &str = "Polyglot";

const ENTRY: u64 = 16;

/// No position has more entries than it can have moves.
const MOST_MOVES: u64 = 256;

/// An open book.
pub(super) struct Polyglot {
    file: File,
    entries: u64,
}

impl Polyglot {
    /// Opens a book.
    pub(super) fn open(path: &Path) -> Result<Polyglot, ReferenceError> {
        let unreadable = |why: io::Error| ReferenceError::Read { path: path.display().to_string(), why };
        let file = alfil_core::disk::open(path).map_err(unreadable)?;
        let bytes = file.metadata().map_err(unreadable)?.len();
        if bytes == 0 || bytes % ENTRY != 0 {
            return Err(ReferenceError::Malformed { kind: NAME, why: "its size is not a multiple of 16 bytes" });
        }
        Ok(Polyglot { file, entries: bytes / ENTRY })
    }

    /// Moves and weights of a key.
    fn entries(&mut self, key: u64) -> io::Result<Vec<(u16, u16)>> {
        let (mut low, mut high) = (0, self.entries);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.read(middle)?.0 < key { low = middle + 1 } else { high = middle }
        }
        let mut found = Vec::new();
        for at in low..self.entries.min(low + MOST_MOVES) {
            let (of, code, weight) = self.read(at)?;
            if of != key {
                break;
            }
            found.push((code, weight));
        }
        Ok(found)
    }

    fn read(&mut self, at: u64) -> io::Result<(u64, u16, u16)> {
        let mut bytes = [0; ENTRY as usize];
        self.file.seek(SeekFrom::Start(at * ENTRY))?;
        self.file.read_exact(&mut bytes)?;
        let [k0, k1, k2, k3, k4, k5, k6, k7, m0, m1, w0, w1, ..] = bytes;
        let key = u64::from_be_bytes([k0, k1, k2, k3, k4, k5, k6, k7]);
        Ok((key, u16::from_be_bytes([m0, m1]), u16::from_be_bytes([w0, w1])))
    }
}

impl Book<Chess> for Polyglot {
    fn probe(&mut self, game: &Chess, below: &mut dyn FnMut(u32) -> u32) -> io::Result<Option<Move>> {
        let key = game.shakmaty().zobrist_hash::<Zobrist64>(EnPassantMode::PseudoLegal).0;
        let moves: Vec<(Move, u16)> =
            self.entries(key)?.into_iter().filter_map(|(code, weight)| Some((legal(game, code)?, weight))).collect();
        let total: u32 = moves.iter().map(|(_, weight)| u32::from(*weight)).sum();
        let mut left = if total == 0 { return Ok(None) } else { below(total) };
        for (m, weight) in moves {
            match left.checked_sub(weight.into()) {
                Some(rest) => left = rest,
                None => return Ok(Some(m)),
            }
        }
        Ok(None)
    }
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
    use crate::{Game, play_line};

    /// An entry as books store it.
    fn entry(key: u64, from: &str, to: &str, weight: u16) -> Vec<u8> {
        let square = |name: &str| u16::from(name.parse::<Square>().unwrap() as u8);
        let code = square(from) << 6 | square(to);
        [&key.to_be_bytes()[..], &code.to_be_bytes(), &weight.to_be_bytes(), &[0; 4]].concat()
    }

    #[test]
    fn published_keys_are_found_and_only_legal_moves_are_played() {
        let path = std::env::temp_dir().join(format!("alfil-book-{}.bin", std::process::id()));
        // The keys of the start and of the position after 1. e4, from the format's description.
        let (start, after_e4) = (0x463b_9618_1691_fc9c, 0x823c_9b50_fd11_4196);
        let entries = [
            entry(5, "a1", "a2", 1),
            entry(start, "e2", "e4", 3),
            entry(start, "d2", "d4", 1),
            entry(start, "e2", "e5", 900),
            entry(after_e4, "d7", "d5", 0),
        ];
        std::fs::write(&path, entries.concat()).unwrap();
        let mut book = Polyglot::open(&path).unwrap();
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
        std::fs::write(&path, b"not a book").unwrap();
        assert!(Polyglot::open(&path).is_err());
        std::fs::remove_file(&path).unwrap();
        assert!(Polyglot::open(&path).is_err());
    }

    #[test]
    fn castling_is_king_takes_rook() {
        let game = Chess::from_position("4k3/8/8/8/8/8/8/4K2R w K - 0 1", &Rules::default()).unwrap();
        let code = (Square::E1 as u16) << 6 | Square::H1 as u16;
        assert_eq!(game.move_text(legal(&game, code).unwrap()), "e1g1");
        assert!(legal(&game, u16::MAX).is_none());
    }
}
