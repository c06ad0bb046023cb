//! Opening books in Polyglot's format.
//!
//! A file of entries of 16 bytes, sorted by the position's key: key, move, weight, and four bytes that are not used here.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use alfil_game::Game;
use alfil_game::chess::{Chess, Move};
use rand::RngExt;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{EnPassantMode, Position, Role, Square};

const ENTRY: u64 = 16;

/// No position has more entries than it can have moves.
const MOST_MOVES: u64 = 256;

/// An open book.
pub struct Book {
    file: File,
    entries: u64,
}

impl Book {
    /// Opens a book.
    pub fn open(path: &Path) -> io::Result<Book> {
        let file = File::open(path)?;
        let bytes = file.metadata()?.len();
        if bytes == 0 || bytes % ENTRY != 0 {
            return Err(io::Error::other("it is no Polyglot book: its size is no multiple of 16 bytes"));
        }
        Ok(Book { file, entries: bytes / ENTRY })
    }

    /// A move for the position, drawn by weight, if the book has one that is legal.
    pub fn probe(&mut self, game: &Chess, random: &mut impl RngExt) -> io::Result<Option<Move>> {
        let key = game.shakmaty().zobrist_hash::<Zobrist64>(EnPassantMode::PseudoLegal).0;
        let moves: Vec<(Move, u16)> =
            self.entries(key)?.into_iter().filter_map(|(code, weight)| Some((legal(game, code)?, weight))).collect();
        let total: u32 = moves.iter().map(|(_, weight)| u32::from(*weight)).sum();
        let mut left = if total == 0 { return Ok(None) } else { random.random_range(0..total) };
        for (m, weight) in moves {
            match left.checked_sub(weight.into()) {
                Some(rest) => left = rest,
                None => return Ok(Some(m)),
            }
        }
        Ok(None)
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
    let m = game.shakmaty().legal_moves().into_iter().find(is_meant)?;
    game.parse_move(&m.to_uci(game.shakmaty().castles().mode()).to_string()).ok()
}
