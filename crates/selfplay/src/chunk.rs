//! Files of games.
//!
//! ```text
//! magic (8)  version (4)  checksum of the version and the rest of the header (8)
//! games (8)  positions (8)  length of the payload (8), and when unpacked (8)  checksum of the payload (8)
//! payload, packed by zstd
//! ```
//!
//! Numbers are little-endian. The payload is a map of texts, of which `game` is the game's name and others are ignored, and
//! the records, in bincode. The header has a checksum of its own, so that what it says can be trusted before the payload is
//! read. In version 3 that checksum leaves out the version, the payload has the game's name in place of the map, and records
//! have no tags and name the moves of a policy by their numbers.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use alfil_core::checksum::{Fnv, checksum};
use alfil_core::wording::shorten;
use alfil_game::Game;
use serde::Deserialize;

use crate::GameRecord;
use crate::record::Version3;

const MAGIC: &[u8; 8] = b"ALFILGAM";
const HEADER: usize = 60;

/// What is written.
const VERSION: u32 = CHUNK_VERSION;

/// The version of the format that is written.
pub const CHUNK_VERSION: u32 = 4;

/// What is read.
const READABLE: [u32; 2] = [3, VERSION];

/// The entry of the metadata that names the game.
const GAME: &str = "game";

/// The extension of the files' names.
pub(crate) const ENDING: &str = "games";

/// Games in a full chunk.
pub(crate) const CHUNK_GAMES: usize = 256;

/// Neither a file nor what it unpacks to may be larger.
const LARGEST: u64 = 1 << 30;

/// A file unpacks to at most this many times its size, so that a small file cannot fill the memory: games of chess to three
/// times, those of tic-tac-toe to ten. Files of equal games, which would be smaller, are filled up.
const MOST_RATIO: u64 = 64;

/// What any file may unpack to, however small it is.
const FREE: u64 = 1 << 20;

/// What begins a part of a zstd stream that says nothing; its length follows, in four bytes.
const SKIPPABLE: [u8; 4] = 0x184d_2a50_u32.to_le_bytes();

/// zstd's level: files are much smaller than at its default, and packing is still far faster than playing.
const LEVEL: i32 = 9;

/// Why files of games cannot be listed, read or written.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} the games in {path}: {why}")]
pub struct ChunkError {
    action: &'static str,
    path: PathBuf,
    why: Why,
}

impl ChunkError {
    /// Whether the file is damaged. Otherwise the system could not read or write it, or it belongs to another game or
    /// version of the program: trying again later, or elsewhere, may help.
    pub fn is_damage(&self) -> bool {
        matches!(self.why, Why::Damaged(_))
    }
}

#[derive(Debug, thiserror::Error)]
enum Why {
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error("it is not a file of games, or it is damaged ({0})")]
    Damaged(&'static str),
    #[error("it was written by a newer alfil, in version {0} of the format, and this one knows {VERSION}: update it")]
    Newer(u32),
    #[error("it has version {0} of the format, which is too old for this alfil")]
    Older(u32),
    #[error("they are games of {found}, not of {expected}")]
    Game { found: String, expected: &'static str },
    #[error("they cannot be packed: {0}")]
    Pack(String),
}

/// What the header of a file of games says of its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkHeader {
    /// Games.
    pub games: u64,
    /// Their positions.
    pub positions: u64,
    /// The checksum of the games, as they are packed.
    pub checksum: u64,
}

/// The header of a file.
struct Header {
    version: u32,
    contents: ChunkHeader,
    /// Bytes of the payload, packed and unpacked.
    packed: u64,
    plain: u64,
}

/// The files of games in a folder, the oldest first. There are none if the folder does not exist.
pub fn chunks(folder: &Path) -> Result<Vec<PathBuf>, ChunkError> {
    let mut paths = match alfil_core::disk::list(folder) {
        Err(why) if why.kind() == ErrorKind::NotFound => Vec::new(),
        paths => paths.map_err(|why| ChunkError { action: "list", path: folder.to_owned(), why: why.into() })?,
    };
    paths.retain(|path| path.extension().is_some_and(|ending| ending == ENDING));
    Ok(paths)
}

/// Writes a file of games of `G`. It appears whole or not at all.
pub fn write_chunk<G: Game>(path: &Path, records: &[GameRecord]) -> Result<(), ChunkError> {
    let failed = |why| ChunkError { action: "write", path: path.to_owned(), why };
    let bytes = pack(metadata::<G>(), records).map_err(failed)?;
    alfil_core::disk::write_whole(path, &bytes).map_err(|error| failed(error.into()))
}

/// The bytes of a file of games of `G`.
pub fn pack_chunk<G: Game>(records: &[GameRecord]) -> Result<Vec<u8>, ChunkError> {
    pack(metadata::<G>(), records).map_err(|why| ChunkError { action: "pack", path: PathBuf::new(), why })
}

/// Reads the bytes of a file of games of `G`. The error completes the sentence "these are not such bytes: …".
pub fn unpack_chunk<G: Game>(bytes: &[u8]) -> Result<Vec<GameRecord>, String> {
    records_of::<G>(bytes).map_err(|why| why.to_string())
}

/// Bytes that these games take in a file.
pub fn packed_size<G: Game>(records: &[GameRecord]) -> Result<u64, ChunkError> {
    Ok(pack_chunk::<G>(records)?.len() as u64)
}

/// Reads a file of games of `G`.
pub fn read_chunk<G: Game>(path: &Path) -> Result<Vec<GameRecord>, ChunkError> {
    read::<G>(path).map_err(|why| ChunkError { action: "read", path: path.to_owned(), why })
}

/// Reads only the header of a file of games, and checks the file's length.
pub fn read_header(path: &Path) -> Result<ChunkHeader, ChunkError> {
    let read = || -> Result<ChunkHeader, Why> {
        let file = alfil_core::disk::open(path)?;
        let length = file.metadata()?.len();
        let mut bytes = Vec::with_capacity(HEADER);
        file.take(HEADER as u64).read_to_end(&mut bytes)?;
        match Header::parse(&bytes, length) {
            Ok(header) => Ok(header.contents),
            Err(why) => Err(why.examined(&read_bytes(path)?)),
        }
    };
    read().map_err(|why| ChunkError { action: "read", path: path.to_owned(), why })
}

/// What a file of games of `G` says of all of them.
fn metadata<G: Game>() -> BTreeMap<&'static str, &'static str> {
    BTreeMap::from([(GAME, G::NAME)])
}

fn pack(metadata: BTreeMap<&str, &str>, records: &[GameRecord]) -> Result<Vec<u8>, Why> {
    if !records.iter().all(GameRecord::is_resolved) {
        return Err(Why::Pack("they are of version 3, and their moves have not been resolved".to_owned()));
    }
    let plain = bincode::serde::encode_to_vec((metadata, records), bincode::config::standard())
        .map_err(|error| Why::Pack(error.to_string()))?;
    let mut packed = zstd::encode_all(plain.as_slice(), LEVEL)?;
    let plain = plain.len() as u64;
    if plain > most_plain(packed.len() as u64) {
        let missing = (plain / MOST_RATIO) as usize + 1 - packed.len();
        packed.extend([SKIPPABLE, (missing as u32).to_le_bytes()].concat());
        packed.resize(packed.len() + missing, 0);
    }
    let (games, positions) = count(records);
    let contents = ChunkHeader { games, positions, checksum: checksum(&packed) };
    let header = Header { version: VERSION, contents, packed: packed.len() as u64, plain };
    Ok([&header.bytes()[..], &packed].concat())
}

/// The most that a payload of this many bytes may unpack to.
fn most_plain(packed: u64) -> u64 {
    packed.saturating_mul(MOST_RATIO).clamp(FREE, LARGEST)
}

fn read<G: Game>(path: &Path) -> Result<Vec<GameRecord>, Why> {
    records_of::<G>(&read_bytes(path)?)
}

fn records_of<G: Game>(bytes: &[u8]) -> Result<Vec<GameRecord>, Why> {
    let (game, records) = unpack(bytes).map_err(|why| why.examined(bytes))?;
    if game != G::NAME {
        return Err(Why::Game { found: shorten(&game), expected: G::NAME });
    }
    Ok(records)
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, Why> {
    Ok(alfil_core::disk::read(path, LARGEST)?)
}

impl Why {
    /// What is wrong with a file of another version: if everything else is valid for a version that is known, only the
    /// number is damaged.
    fn examined(self, bytes: &[u8]) -> Why {
        let (Why::Newer(_) | Why::Older(_)) = self else { return self };
        let rest = bytes.get(MAGIC.len() + 4..).unwrap_or_default();
        match READABLE.iter().any(|version| unpack(&[&MAGIC[..], &version.to_le_bytes(), rest].concat()).is_ok()) {
            true => Why::Damaged("its version is not that of its contents"),
            false => self,
        }
    }
}

/// The game's name and the records of a file.
fn unpack(bytes: &[u8]) -> Result<(String, Vec<GameRecord>), Why> {
    let header = Header::parse(bytes, bytes.len() as u64)?;
    let packed = &bytes[HEADER..];
    let ChunkHeader { games, positions, checksum: sum } = header.contents;
    if checksum(packed) != sum {
        return Err(Why::Damaged("its checksum does not match"));
    }
    let mut plain = Vec::with_capacity(header.plain as usize);
    let unpacked = zstd::Decoder::new(packed).and_then(|packed| packed.take(header.plain + 1).read_to_end(&mut plain));
    unpacked.map_err(|_| Why::Damaged("it cannot be unpacked"))?;
    let invalid = Why::Damaged("its contents are invalid");
    if plain.len() as u64 != header.plain {
        return Err(invalid);
    }
    match decode(header.version, &plain) {
        Some((game, records)) if count(&records) == (games, positions) && records.iter().all(GameRecord::is_sound) => {
            Ok((game.to_owned(), records))
        }
        _ => Err(invalid),
    }
}

/// The game's name and the records of a payload.
fn decode(version: u32, plain: &[u8]) -> Option<(&str, Vec<GameRecord>)> {
    match version {
        3 => {
            let (game, records): (&str, Vec<Version3>) = decode_whole(plain)?;
            Some((game, records.into_iter().map(GameRecord::from).collect()))
        }
        _ => {
            let (metadata, records): (BTreeMap<&str, &str>, _) = decode_whole(plain)?;
            Some((*metadata.get(GAME)?, records))
        }
    }
}

/// Decodes a value that takes all of these bytes. Lengths that are not true cost no memory: texts are borrowed, and serde
/// sets aside at most a megabyte for a list before its elements are there.
fn decode_whole<'a, T: Deserialize<'a>>(plain: &'a [u8]) -> Option<T> {
    let (value, used) = bincode::serde::borrow_decode_from_slice(plain, bincode::config::standard()).ok()?;
    (used == plain.len()).then_some(value)
}

/// Games and their positions.
fn count(records: &[GameRecord]) -> (u64, u64) {
    (records.len() as u64, records.iter().map(|record| record.plies.len() as u64).sum())
}

impl Header {
    fn bytes(&self) -> Vec<u8> {
        let Header { version, contents: ChunkHeader { games, positions, checksum }, packed, plain } = *self;
        let rest: Vec<u8> = [games, positions, packed, plain, checksum].iter().flat_map(|n| n.to_le_bytes()).collect();
        [&MAGIC[..], &version.to_le_bytes(), &header_checksum(version, &rest).to_le_bytes(), &rest].concat()
    }

    /// Reads the header at the beginning of a file that is `length` bytes long.
    fn parse(bytes: &[u8], length: u64) -> Result<Header, Why> {
        if !bytes.starts_with(MAGIC) {
            return Err(Why::Damaged("its first bytes are wrong"));
        }
        let Some(header) = bytes.get(..HEADER) else { return Err(Why::Damaged("it is too short")) };
        let number =
            |at: usize| header[at..at + 8].iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
        let version = number(8) as u32;
        if !READABLE.contains(&version) {
            return Err(if version > VERSION { Why::Newer(version) } else { Why::Older(version) });
        }
        if header_checksum(version, &header[20..]) != number(12) {
            return Err(Why::Damaged("the checksum of its header does not match"));
        }
        let contents = ChunkHeader { games: number(20), positions: number(28), checksum: number(52) };
        let header = Header { version, contents, packed: number(36), plain: number(44) };
        if length.checked_sub(HEADER as u64) != Some(header.packed) {
            return Err(Why::Damaged("its length is wrong"));
        }
        if length > LARGEST || header.plain > most_plain(header.packed) {
            return Err(Why::Damaged("it is too large"));
        }
        Ok(header)
    }
}

/// The checksum of a header: of its version, except in version 3, and of what follows the checksum.
fn header_checksum(version: u32, rest: &[u8]) -> u64 {
    let mut hash = Fnv::default();
    if version > 3 {
        hash.feed(&version.to_le_bytes());
    }
    hash.feed(rest);
    hash.finish()
}

#[cfg(test)]
mod tests {
    use alfil_game::tictactoe::TicTacToe;
    use alfil_game::{First, Mover, Score, Wdl};

    use super::*;
    use crate::{End, Ply};

    fn record(plies: usize) -> GameRecord {
        let plies = vec![Ply::new(7, [(7, 0.5), (300, 0.5)], Mover(Wdl::DRAW)); plies];
        let mut record = GameRecord::new(1, "somewhere".to_owned(), plies, First(Score::DRAW), End::Resigned);
        record.tags.push(("White".to_owned(), "Somebody".to_owned()));
        record
    }

    #[test]
    fn tags_are_kept_and_unknown_metadata_is_ignored() {
        let mut metadata = metadata::<TicTacToe>();
        metadata.extend([("author", "x"), ("zeal", "y")]);
        let (game, records) = unpack(&pack(metadata, &[record(2), record(3)]).unwrap()).unwrap();
        assert_eq!((game.as_str(), records), ("tictactoe", vec![record(2), record(3)]));
        assert!(unpack(&pack(BTreeMap::new(), &[]).unwrap()).is_err(), "games of nothing");
    }

    #[test]
    fn games_that_are_too_alike_for_the_limit_can_be_read() {
        let records = [record(200_000)];
        let bytes = pack(metadata::<TicTacToe>(), &records).unwrap();
        let plain = Header::parse(&bytes, bytes.len() as u64).unwrap().plain;
        assert!(plain > FREE && zstd::encode_all(&vec![0; plain as usize][..], LEVEL).unwrap().len() < 1000);
        assert!((20_000..60_000).contains(&bytes.len()), "{} bytes", bytes.len());
        assert!(unpack(&bytes).unwrap().1 == records);
    }
}
