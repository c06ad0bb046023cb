//! Files of games.
//!
//! ```text
//! magic (8)  version (4)  checksum of the rest of the header (8)
//! games (8)  positions (8)  length of the payload (8), and when unpacked (8)  checksum of the payload (8)
//! payload, packed by zstd
//! ```
//!
//! Numbers are little-endian. The payload is the game's name and the records, in bincode. The header has a checksum of
//! its own, so that what it says can be trusted before the payload is read.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use alfil_core::checksum::checksum;
use alfil_game::Game;
use serde::{Deserialize, Serialize};

use crate::GameRecord;

const MAGIC: &[u8; 8] = b"ALFILGAM";
const VERSION: u32 = 3;
const HEADER: usize = 60;

/// The extension of the files' names.
pub(crate) const ENDING: &str = "games";

/// Games in a full chunk.
pub(crate) const CHUNK_GAMES: usize = 256;

/// Neither a file nor what it unpacks to may be larger.
const LARGEST: u64 = 1 << 30;

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
    #[error("it has version {0}, and this program knows {VERSION}")]
    Version(u32),
    #[error("they are games of {found}, not of {expected}")]
    Game { found: String, expected: &'static str },
    #[error("they cannot be packed: {0}")]
    Pack(String),
}

/// How much a file of games holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkHeader {
    /// Games.
    pub games: u64,
    /// Their positions.
    pub positions: u64,
}

/// The header of a file.
struct Header {
    counts: ChunkHeader,
    /// Bytes of the payload, packed and unpacked.
    packed: u64,
    plain: u64,
    checksum: u64,
}

#[derive(Serialize, Deserialize)]
struct Payload {
    game: String,
    records: Vec<GameRecord>,
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
    let bytes = pack::<G>(records).map_err(failed)?;
    alfil_core::disk::write_whole(path, &bytes).map_err(|error| failed(error.into()))
}

/// Bytes that these games take in a file.
pub fn packed_size<G: Game>(records: &[GameRecord]) -> Result<u64, ChunkError> {
    let failed = |why| ChunkError { action: "pack", path: PathBuf::new(), why };
    Ok(pack::<G>(records).map_err(failed)?.len() as u64)
}

/// Reads a file of games of `G`.
pub fn read_chunk<G: Game>(path: &Path) -> Result<Vec<GameRecord>, ChunkError> {
    read::<G>(path).map_err(|why| ChunkError { action: "read", path: path.to_owned(), why })
}

/// Reads only the header of a file of games, and checks the file's length.
pub fn read_header(path: &Path) -> Result<ChunkHeader, ChunkError> {
    let read = || -> Result<ChunkHeader, Why> {
        let file = std::fs::File::open(path)?;
        let length = file.metadata()?.len();
        let mut bytes = Vec::with_capacity(HEADER);
        file.take(HEADER as u64).read_to_end(&mut bytes)?;
        match Header::parse(&bytes, length) {
            Ok(header) => Ok(header.counts),
            Err(Why::Version(version)) => Err(wrong_version(&read_bytes(path)?, version)),
            Err(why) => Err(why),
        }
    };
    read().map_err(|why| ChunkError { action: "read", path: path.to_owned(), why })
}

fn pack<G: Game>(records: &[GameRecord]) -> Result<Vec<u8>, Why> {
    let payload = Payload { game: G::NAME.to_owned(), records: records.to_vec() };
    let plain = bincode::serde::encode_to_vec(payload, bincode::config::standard())
        .map_err(|error| Why::Pack(error.to_string()))?;
    let packed = zstd::encode_all(plain.as_slice(), LEVEL)?;
    let header = Header {
        counts: count(records),
        packed: packed.len() as u64,
        plain: plain.len() as u64,
        checksum: checksum(&packed),
    };
    Ok([&header.bytes()[..], &packed].concat())
}

fn read<G: Game>(path: &Path) -> Result<Vec<GameRecord>, Why> {
    let bytes = read_bytes(path)?;
    let Payload { game, records } = unpack(&bytes).map_err(|why| match why {
        Why::Version(version) => wrong_version(&bytes, version),
        why => why,
    })?;
    if game != G::NAME {
        return Err(Why::Game { found: game.chars().take(40).collect(), expected: G::NAME });
    }
    Ok(records)
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, Why> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(LARGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What is wrong with a file of another version: if everything else is valid for this version, only the number is
/// damaged.
fn wrong_version(bytes: &[u8], version: u32) -> Why {
    let rest = bytes.get(MAGIC.len() + 4..).unwrap_or_default();
    match unpack(&[&MAGIC[..], &VERSION.to_le_bytes(), rest].concat()) {
        Ok(_) => Why::Damaged("its version is not that of its contents"),
        Err(_) => Why::Version(version),
    }
}

fn unpack(bytes: &[u8]) -> Result<Payload, Why> {
    let header = Header::parse(bytes, bytes.len() as u64)?;
    let packed = &bytes[HEADER..];
    if checksum(packed) != header.checksum {
        return Err(Why::Damaged("its checksum does not match"));
    }
    let mut plain = Vec::with_capacity(header.plain as usize);
    zstd::Decoder::new(packed)?.take(header.plain + 1).read_to_end(&mut plain)?;
    let config = bincode::config::standard().with_limit::<{ LARGEST as usize }>();
    match bincode::serde::decode_from_slice::<Payload, _>(&plain, config) {
        Ok((payload, used))
            if used == plain.len() && used as u64 == header.plain && count(&payload.records) == header.counts =>
        {
            Ok(payload)
        }
        _ => Err(Why::Damaged("its contents are invalid")),
    }
}

fn count(records: &[GameRecord]) -> ChunkHeader {
    let positions = records.iter().map(|record| record.plies.len() as u64).sum();
    ChunkHeader { games: records.len() as u64, positions }
}

impl Header {
    fn bytes(&self) -> Vec<u8> {
        let Header { counts: ChunkHeader { games, positions }, packed, plain, checksum: payload } = *self;
        let rest: Vec<u8> = [games, positions, packed, plain, payload].iter().flat_map(|n| n.to_le_bytes()).collect();
        [&MAGIC[..], &VERSION.to_le_bytes(), &checksum(&rest).to_le_bytes(), &rest].concat()
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
        if version != VERSION {
            return Err(Why::Version(version));
        }
        if checksum(&header[20..]) != number(12) {
            return Err(Why::Damaged("the checksum of its header does not match"));
        }
        let counts = ChunkHeader { games: number(20), positions: number(28) };
        let header = Header { counts, packed: number(36), plain: number(44), checksum: number(52) };
        if length.checked_sub(HEADER as u64) != Some(header.packed) {
            return Err(Why::Damaged("its length is wrong"));
        }
        if length > LARGEST || header.plain > LARGEST {
            return Err(Why::Damaged("it is too large"));
        }
        Ok(header)
    }
}
