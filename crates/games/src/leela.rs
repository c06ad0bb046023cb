//! Leela's training data, versions 6 and 7: a record for each position that was searched.

use std::io::{self, Read};

use alfil_game::chess::{Chess, Lc0, Rules};
use alfil_game::{Encoding, First, Game, Mover, Score, Side, Wdl};
use alfil_selfplay::{End, GameRecord, Ply};

use crate::finished::FinishedGame;

/// Bytes of a record of version 6.
const RECORD: usize = 8_356;

/// Bytes that version 7 adds at the end of a record.
const ADDED: usize = 40;

/// The form of the planes that is read: the mover's side, castling as four flags. Others say which side moves elsewhere.
const CLASSICAL: u32 = 1;

/// Positions of a game at most.
const MOST_PLIES: usize = 20_000;

/// Where fields are in a record.
mod at {
    pub const VERSION: usize = 0;
    pub const INPUT_FORMAT: usize = 4;
    pub const POLICY: usize = 8;
    pub const PLANES: usize = 7_440;
    pub const CASTLING: usize = 8_272;
    pub const SIDE: usize = 8_276;
    pub const CLOCK: usize = 8_277;
    pub const BEST_Q: usize = 8_284;
    pub const BEST_D: usize = 8_292;
    pub const RESULT_Q: usize = 8_308;
    pub const PLAYED: usize = 8_344;
}

/// One position with what a search found.
struct Searched<'a>(&'a [u8]);

/// Whether a file, unpacked, begins like one of these.
pub fn is_leela(beginning: &[u8]) -> bool {
    matches!(beginning, [6 | 7, 0, 0, 0, ..])
}

/// Reads the game of one file. Positions may be missing in it: each part without gaps is a game of its own. The inner error says
/// what is wrong with the data.
pub fn read(mut file: impl Read) -> io::Result<Result<Vec<FinishedGame>, String>> {
    let mut bytes = Vec::new();
    file.by_ref().take((MOST_PLIES * (RECORD + ADDED)) as u64).read_to_end(&mut bytes)?;
    Ok(games(&bytes))
}

fn games(bytes: &[u8]) -> Result<Vec<FinishedGame>, String> {
    let size = match bytes.first_chunk() {
        Some(&version) if u32::from_le_bytes(version) == 6 => RECORD,
        Some(&version) if u32::from_le_bytes(version) == 7 => RECORD + ADDED,
        _ => return Err("its version is neither 6 nor 7".to_owned()),
    };
    if !bytes.len().is_multiple_of(size) {
        return Err("it ends in the middle of a position".to_owned());
    }
    let mut games = Vec::new();
    let mut part: Option<Part> = None;
    for searched in bytes.chunks_exact(size).map(Searched) {
        searched.check(bytes)?;
        let board = searched.board()?;
        let follows = part.as_ref().is_some_and(|part| placement(&part.now) == board);
        if !follows {
            games.extend(part.take().and_then(Part::finish));
            part = Some(Part::begin(&searched, &board)?);
        }
        if let Some(part) = &mut part {
            part.add(&searched)?;
        }
    }
    games.extend(part.and_then(Part::finish));
    Ok(games)
}

/// A game, or a part of it, as it is read.
struct Part {
    start: String,
    now: Chess,
    plies: Vec<Ply>,
    sides: Vec<Side>,
    score: First<Score>,
}

impl Part {
    fn begin(searched: &Searched<'_>, board: &str) -> Result<Part, String> {
        let usual = Chess::new(&Rules::default());
        let is_usual = placement(&usual) == board && searched.side() == Side::First;
        let start = if is_usual { String::new() } else { searched.position(board) };
        let now = match is_usual {
            true => usual,
            false => Chess::from_position(&start, &Rules::default()).map_err(|why| why.to_string())?,
        };
        Ok(Part { start, now, plies: Vec::new(), sides: Vec::new(), score: searched.score() })
    }

    /// Adds a position and plays its move.
    fn add(&mut self, searched: &Searched<'_>) -> Result<(), String> {
        let mut moves = Vec::new();
        self.now.generate(&mut moves);
        let shares: Vec<(u16, f32)> = moves
            .iter()
            .map(|&m| (m.into(), searched.number(at::POLICY + 4 * Lc0::index(&self.now, m))))
            .filter(|(_, share)| share.is_finite() && *share > 0.0)
            .collect();
        let sum: f32 = shares.iter().map(|(_, share)| share).sum();
        let policy = shares.into_iter().map(|(code, share)| (code, share / sum));
        let played = usize::from(u16::from_le_bytes(searched.bytes(at::PLAYED)));
        let played = moves.iter().copied().find(|&m| Lc0::index(&self.now, m) == played);
        let played = played.ok_or_else(|| format!("the move of its position {} is not legal", self.plies.len() + 1))?;
        self.plies.push(Ply::new(played.into(), policy, searched.wdl()?));
        self.sides.push(self.now.side());
        self.now.play(played);
        Ok(())
    }

    fn finish(self) -> Option<FinishedGame> {
        if self.plies.is_empty() {
            return None;
        }
        let end = match self.now.legal_moves(&mut Vec::new()) {
            Some(outcome) if outcome.score == self.score => End::Rules,
            _ => End::Adjudicated,
        };
        let result = match self.score.0 {
            Score::WIN => "1-0",
            Score::LOSS => "0-1",
            _ => "1/2-1/2",
        };
        let record = GameRecord::new(0, self.start, self.plies, self.score, end);
        Some(FinishedGame { record, sides: self.sides, tags: Vec::new(), result })
    }
}

impl Searched<'_> {
    /// All records must be of the version of the first.
    fn check(&self, first: &[u8]) -> Result<(), String> {
        if self.0[at::VERSION..4] != first[..4] {
            return Err("its positions are of different versions".to_owned());
        }
        match u32::from_le_bytes(self.bytes(at::INPUT_FORMAT)) {
            CLASSICAL => Ok(()),
            other => Err(format!("its planes have format {other}, and only {CLASSICAL} can be read")),
        }
    }

    fn bytes<const N: usize>(&self, at: usize) -> [u8; N] {
        std::array::from_fn(|byte| self.0[at + byte])
    }

    fn number(&self, at: usize) -> f32 {
        f32::from_le_bytes(self.bytes(at))
    }

    fn side(&self) -> Side {
        if self.0[at::SIDE] == 0 { Side::First } else { Side::Second }
    }

    /// The result, for the first player.
    fn score(&self) -> First<Score> {
        let points = ((self.number(at::RESULT_Q) + 1.0) / 2.0).clamp(0.0, 1.0);
        // A number that is not one counts as a draw.
        let points = if points.is_nan() { 0.5 } else { points };
        First(Score::new(if self.side() == Side::First { points } else { 1.0 - points }))
    }

    /// What the search expects of its best move.
    fn wdl(&self) -> Result<Mover<Wdl>, String> {
        let (q, draw) = (self.number(at::BEST_Q), self.number(at::BEST_D));
        if !q.is_finite() || !draw.is_finite() {
            return Err("the value of a position is not a number".to_owned());
        }
        let (q, draw) = (q.clamp(-1.0, 1.0), draw.clamp(0.0, 1.0));
        let draw = draw.min(1.0 - q.abs());
        Ok(Mover(Wdl { win: (1.0 + q - draw) / 2.0, draw, loss: (1.0 - q - draw) / 2.0 }))
    }

    /// The pieces as the first field of a FEN.
    fn board(&self) -> Result<String, String> {
        let mut squares = [None; 64];
        for (plane, piece) in "PNBRQKpnbrqk".chars().enumerate() {
            // Bits of a byte go from the h file to the a file.
            let rows = self.bytes::<8>(at::PLANES + 8 * plane).map(u8::reverse_bits);
            for square in (0..64).filter(|square| rows[square / 8] >> (square % 8) & 1 == 1) {
                let is_first = self.side() == Side::First;
                let (square, piece) = if is_first { (square, piece) } else { (square ^ 56, swapped(piece)) };
                if squares[square].replace(piece).is_some() {
                    return Err("two pieces stand on one square".to_owned());
                }
            }
        }
        let row = |row: usize| {
            let mut text = String::new();
            let mut free = 0;
            for piece in &squares[8 * row..8 * row + 8] {
                match piece {
                    None => free += 1,
                    Some(piece) => {
                        text.extend((free > 0).then(|| free.to_string()));
                        text.push(*piece);
                        free = 0;
                    }
                }
            }
            text.extend((free > 0).then(|| free.to_string()));
            text
        };
        Ok((0..8).rev().map(row).collect::<Vec<_>>().join("/"))
    }

    /// The position in chess's notation. It has no square of a pawn that can be captured in passing: the planes do not say.
    fn position(&self, board: &str) -> String {
        let rights: [u8; 4] = self.bytes(at::CASTLING);
        // Ours long and short, then theirs.
        let (first, second) = match self.side() {
            Side::First => ([rights[1], rights[0]], [rights[3], rights[2]]),
            Side::Second => ([rights[3], rights[2]], [rights[1], rights[0]]),
        };
        let rights = first.into_iter().chain(second).zip("KQkq".chars());
        let rights: String = rights.filter(|(right, _)| *right != 0).map(|(_, letter)| letter).collect();
        let rights = if rights.is_empty() { "-" } else { &rights };
        let side = if self.side() == Side::First { 'w' } else { 'b' };
        format!("{board} {side} {rights} - {} 1", self.0[at::CLOCK])
    }
}

fn swapped(piece: char) -> char {
    if piece.is_ascii_uppercase() { piece.to_ascii_lowercase() } else { piece.to_ascii_uppercase() }
}

/// The pieces of a position as the first field of its FEN.
fn placement(game: &Chess) -> String {
    game.position().split(' ').next().unwrap_or_default().to_owned()
}
