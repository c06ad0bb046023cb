//! Opening books made from games: how often each move was played from a position, and how the games ended.
//!
//! Works for every game, by its [keys](Game::key) and the codes of its moves. A file has a header with the game's name, then entries of
//! 22 bytes sorted by key and move, then a checksum; `docs/formats.md` describes it.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use alfil_core::checksum::checksum;

use crate::{Book, BookMove, First, Game, ReferenceError, Score};

/// What books of this format are called.
pub const NAME: &str = "Alfil";

/// What a file begins with.
const MAGIC: &[u8; 8] = b"ALFILBK1";

/// Bytes of an entry.
const ENTRY: usize = 22;

/// Larger files are not read: 40 million entries.
const LARGEST: u64 = 1 << 30;

/// Moves of positions that are counted at the same time: about a gigabyte.
const MOST_COUNTED: usize = 12_000_000;

/// How games went on after a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Games in which it was played.
    pub games: u32,
    /// Of these, those that its side won.
    pub won: u32,
    /// Those that its side lost. All others are drawn, or shared in another way.
    pub lost: u32,
}

impl Counts {
    /// How often the move should be played: Polyglot's rule, two for each win and one for each draw.
    pub fn weight(self) -> u32 {
        let others = self.games.saturating_sub(self.won).saturating_sub(self.lost);
        self.won.saturating_mul(2).saturating_add(others)
    }

    fn add(&mut self, score: Score) {
        self.games = self.games.saturating_add(1);
        let count = match score {
            Score::WIN => &mut self.won,
            Score::LOSS => &mut self.lost,
            _ => return,
        };
        *count = count.saturating_add(1);
    }
}

/// One move from one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    key: u64,
    code: u16,
    counts: Counts,
}

/// A book in memory.
#[derive(Debug)]
pub struct CountedBook {
    entries: Vec<Entry>,
}

impl CountedBook {
    /// Reads a book of `G`.
    pub fn open<G: Game>(path: &Path) -> Result<CountedBook, ReferenceError> {
        CountedBook::read::<G>(&read_book(path)?)
    }

    /// Whether bytes are the beginning of such a book.
    pub fn is_one(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    /// The name of the game that a book is for, if the bytes begin such a book.
    pub fn game(bytes: &[u8]) -> Option<&str> {
        let rest = bytes.strip_prefix(MAGIC)?;
        let (length, rest) = rest.split_first()?;
        std::str::from_utf8(rest.get(..usize::from(*length))?).ok()
    }

    /// Reads the bytes of a file.
    pub fn read<G: Game>(bytes: &[u8]) -> Result<CountedBook, ReferenceError> {
        let wrong = |why| ReferenceError::Malformed { kind: NAME, why };
        let name = CountedBook::game(bytes).ok_or_else(|| wrong("it does not begin like one"))?;
        if name != G::NAME {
            return Err(ReferenceError::OtherGame { game: alfil_core::wording::shorten(name), wanted: G::NAME });
        }
        let (body, sum) = bytes.split_last_chunk::<8>().ok_or_else(|| wrong("it is cut off"))?;
        if checksum(body) != u64::from_le_bytes(*sum) {
            return Err(wrong("it is damaged"));
        }
        let header = MAGIC.len() + 1 + name.len();
        let (start, entries) =
            body.get(header..).and_then(|rest| rest.split_first_chunk::<8>()).ok_or_else(|| wrong("it is cut off"))?;
        if u64::from_le_bytes(*start) != start_key::<G>() {
            return Err(wrong(
                "it was made by a version of the program that numbers positions differently: make it again",
            ));
        }
        let (entries, rest) = entries.as_chunks::<ENTRY>();
        let entries: Vec<Entry> = entries.iter().map(Entry::read).collect();
        let sorted = entries.is_sorted_by(|one, other| (one.key, one.code) < (other.key, other.code));
        match rest.is_empty() && sorted {
            true => Ok(CountedBook { entries }),
            false => Err(wrong("its entries are not in order")),
        }
    }

    /// How many entries there are: moves of positions.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// The bytes of a book of any format.
pub fn read_book(path: &Path) -> Result<Vec<u8>, ReferenceError> {
    let unreadable = |why| ReferenceError::Read { path: path.display().to_string(), why };
    alfil_core::disk::read(path, LARGEST).map_err(unreadable)
}

/// Tells versions of the program apart that hash positions differently.
fn start_key<G: Game>() -> u64 {
    G::new(&G::Rules::default()).key()
}

impl Entry {
    fn read(bytes: &[u8; ENTRY]) -> Entry {
        let [k0, k1, k2, k3, k4, k5, k6, k7, c0, c1, g0, g1, g2, g3, w0, w1, w2, w3, l0, l1, l2, l3] = *bytes;
        let counts = Counts {
            games: u32::from_le_bytes([g0, g1, g2, g3]),
            won: u32::from_le_bytes([w0, w1, w2, w3]),
            lost: u32::from_le_bytes([l0, l1, l2, l3]),
        };
        let key = u64::from_le_bytes([k0, k1, k2, k3, k4, k5, k6, k7]);
        Entry { key, code: u16::from_le_bytes([c0, c1]), counts }
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.key.to_le_bytes());
        bytes.extend(self.code.to_le_bytes());
        for count in [self.counts.games, self.counts.won, self.counts.lost] {
            bytes.extend(count.to_le_bytes());
        }
    }
}

impl<G: Game> Book<G> for CountedBook {
    fn moves(&self, game: &G) -> io::Result<Vec<BookMove<G::Move>>> {
        let key = game.key();
        let first = self.entries.partition_point(|entry| entry.key < key);
        let mut legal = Vec::new();
        game.legal_moves(&mut legal);
        let entries = self.entries[first..].iter().take_while(|entry| entry.key == key);
        // Another position may have the same key.
        let known =
            entries.filter_map(|entry| Some((entry, legal.iter().copied().find(|m| (*m).into() == entry.code)?)));
        Ok(known.map(|(entry, m)| BookMove { m, weight: entry.counts.weight(), counts: Some(entry.counts) }).collect())
    }
}

/// Counts the moves of games.
#[derive(Debug)]
pub struct BookMaker {
    counted: BTreeMap<(u64, u16), Counts>,
    plies: usize,
}

/// Too many positions for the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("these games have more than {MOST_COUNTED} different moves: count fewer plies of each")]
pub struct TooMany;

impl BookMaker {
    /// Counts the first `plies` moves of each game.
    pub fn new(plies: usize) -> BookMaker {
        BookMaker { counted: BTreeMap::new(), plies }
    }

    /// Counts a game. `name` gives the key and the code by which a format knows a move.
    pub fn add<G: Game>(
        &mut self,
        start: &G,
        moves: impl IntoIterator<Item = G::Move>,
        score: First<Score>,
        name: impl Fn(&G, G::Move) -> (u64, u16),
    ) -> Result<(), TooMany> {
        let mut now = start.clone();
        for m in moves.into_iter().take(self.plies) {
            let side = now.side();
            self.counted.entry(name(&now, m)).or_default().add(score.to_mover(side).0);
            now.play(m);
        }
        if self.counted.len() > MOST_COUNTED { Err(TooMany) } else { Ok(()) }
    }

    /// The moves that at least `games` games have, in order of their keys: (key, code, counts).
    pub fn entries(&self, games: u32) -> impl Iterator<Item = (u64, u16, Counts)> {
        let entries = self.counted.iter().map(|((key, code), counts)| (*key, *code, *counts));
        entries.filter(move |(_, _, counts)| counts.games >= games)
    }

    /// A file of the moves that at least `games` games have.
    pub fn finish<G: Game>(&self, games: u32) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        // Names of games are short.
        bytes.push(G::NAME.len() as u8);
        bytes.extend(G::NAME.as_bytes());
        bytes.extend(start_key::<G>().to_le_bytes());
        for (key, code, counts) in self.entries(games) {
            Entry { key, code, counts }.write(&mut bytes);
        }
        let sum = checksum(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connect4::Connect4;
    use crate::nim::Nim;
    use crate::tictactoe::TicTacToe;
    use crate::{Side, play_line};

    fn maker<G: crate::Notation>(plies: usize, games: &[(&str, First<Score>)]) -> BookMaker {
        let mut maker = BookMaker::new(plies);
        for (moves, score) in games {
            let start = G::new(&G::Rules::default());
            let moves = play_line(&mut start.clone(), moves).unwrap();
            maker.add(&start, moves, *score, |game, m| (game.key(), m.into())).unwrap();
        }
        maker
    }

    const GAMES: [(&str, First<Score>); 4] = [
        ("44444", First(Score::WIN)),
        ("4433", First(Score::DRAW)),
        ("44", First(Score::LOSS)),
        ("34", First(Score::LOSS)),
    ];

    fn counts(book: &CountedBook, moves: &str) -> Vec<(String, [u32; 3], u32)> {
        let mut game = Connect4::new(&Default::default());
        play_line(&mut game, moves).unwrap();
        let tell = |found: BookMove<_>| {
            let counts = found.counts.unwrap();
            (game.move_text(found.m), [counts.games, counts.won, counts.lost], found.weight)
        };
        book.moves(&game).unwrap().into_iter().map(tell).collect()
    }

    #[test]
    fn moves_are_counted_for_the_side_that_made_them() {
        let book = CountedBook::read::<Connect4>(&maker::<Connect4>(4, &GAMES).finish::<Connect4>(1)).unwrap();
        assert_eq!(counts(&book, ""), [("3".to_owned(), [1, 0, 1], 0), ("4".to_owned(), [3, 1, 1], 3)]);
        assert_eq!(counts(&book, "4"), [("4".to_owned(), [3, 1, 1], 3)]);
        assert_eq!(counts(&book, "44"), [("3".to_owned(), [1, 0, 0], 1), ("4".to_owned(), [1, 1, 0], 2)]);
        // The fifth ply is not counted.
        assert!(counts(&book, "4444").is_empty());
        let often = CountedBook::read::<Connect4>(&maker::<Connect4>(4, &GAMES).finish::<Connect4>(2)).unwrap();
        assert_eq!((often.len(), counts(&often, "")), (2, vec![("4".to_owned(), [3, 1, 1], 3)]));
    }

    #[test]
    fn moves_are_drawn_by_weight() {
        let book = CountedBook::read::<Connect4>(&maker::<Connect4>(9, &GAMES).finish::<Connect4>(1)).unwrap();
        let mut game = Connect4::new(&Default::default());
        play_line(&mut game, "44").unwrap();
        let drawn = |number| game.move_text(book.probe(&game, &mut |_| number).unwrap().unwrap());
        assert_eq!([0, 1, 2].map(drawn), ["3", "4", "4"]);
        // A move that only lost is not played.
        assert_eq!(
            book.probe(&Connect4::new(&Default::default()), &mut |limit| limit - 1).unwrap().map(|m| game.move_text(m)),
            Some("4".to_owned())
        );
        play_line(&mut game, "44").unwrap();
        assert!(book.probe(&game, &mut |_| 0).unwrap().is_some());
    }

    #[test]
    fn damaged_files_and_those_of_other_games_are_refused() {
        let whole = maker::<Connect4>(9, &GAMES).finish::<Connect4>(1);
        let complaint = |bytes: &[u8]| CountedBook::read::<Connect4>(bytes).unwrap_err().to_string();
        for length in 0..whole.len() {
            CountedBook::read::<Connect4>(&whole[..length]).unwrap_err();
        }
        for place in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[place] ^= 1;
            CountedBook::read::<Connect4>(&damaged).unwrap_err();
        }
        assert!(complaint(b"x").contains("does not begin like one"));
        let other = CountedBook::read::<Nim>(&whole).unwrap_err().to_string();
        assert_eq!(other, "it is a book of connect4, and the game is nim");
        assert_eq!(CountedBook::game(&whole), Some("connect4"));
    }

    #[test]
    fn a_score_that_is_no_win_draw_or_loss_counts_as_shared() {
        let book = maker::<TicTacToe>(9, &[("5", First(Score::new(0.75)))]).finish::<TicTacToe>(1);
        let book = CountedBook::read::<TicTacToe>(&book).unwrap();
        let game = TicTacToe::new(&Default::default());
        assert_eq!(game.side(), Side::First);
        let found = book.moves(&game).unwrap();
        assert_eq!((found[0].counts.unwrap(), found[0].weight), (Counts { games: 1, won: 0, lost: 0 }, 1));
    }
}
