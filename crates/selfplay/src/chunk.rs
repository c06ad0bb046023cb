//! Files of games.
//!
//! ```text
//! magic (8)  version (4)  checksum of the rest (8)  length of the payload when unpacked (8)  payload, packed by zstd
//! ```
//!
//! Numbers stand with their lowest byte first. The payload is the game's name and the records, in bincode.

use std::io::Read;
use std::path::{Path, PathBuf};

use alfil_game::Game;
use serde::{Deserialize, Serialize};

use crate::GameRecord;

const MAGIC: &[u8; 8] = b"ALFILGAM";
const VERSION: u32 = 1;
const HEADER: usize = 28;

/// Neither a file nor what it unpacks to may be larger.
const LARGEST: u64 = 1 << 30;

/// A good deal smaller than zstd's default for the time it takes; the games are written far more slowly than this packs.
const LEVEL: i32 = 9;

/// Why a file of games cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} the games in {path}: {why}")]
pub struct ChunkError {
    action: &'static str,
    path: PathBuf,
    why: Why,
}

#[derive(Debug, thiserror::Error)]
enum Why {
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error("it is no file of games, or damaged ({0})")]
    Damaged(&'static str),
    #[error("it has version {0}, and this program knows {VERSION}")]
    Version(u32),
    #[error("they are games of {found}, not of {expected}")]
    Game { found: String, expected: &'static str },
    #[error("they cannot be packed: {0}")]
    Pack(String),
}

#[derive(Serialize, Deserialize)]
struct Payload {
    game: String,
    records: Vec<GameRecord>,
}

/// Writes a file of games of `G`. It appears whole or not at all.
pub fn write_chunk<G: Game>(path: &Path, records: &[GameRecord]) -> Result<(), ChunkError> {
    let failed = |why| ChunkError { action: "write", path: path.to_owned(), why };
    let bytes = pack::<G>(records).map_err(failed)?;
    alfil_nn::write_whole(path, &bytes).map_err(|error| failed(error.into()))
}

/// Reads a file of games of `G`.
pub fn read_chunk<G: Game>(path: &Path) -> Result<Vec<GameRecord>, ChunkError> {
    read::<G>(path).map_err(|why| ChunkError { action: "read", path: path.to_owned(), why })
}

fn pack<G: Game>(records: &[GameRecord]) -> Result<Vec<u8>, Why> {
    let payload = Payload { game: G::NAME.to_owned(), records: records.to_vec() };
    let plain = bincode::serde::encode_to_vec(payload, bincode::config::standard())
        .map_err(|error| Why::Pack(error.to_string()))?;
    let packed = zstd::encode_all(plain.as_slice(), LEVEL)?;
    let mut rest = (plain.len() as u64).to_le_bytes().to_vec();
    rest.extend_from_slice(&packed);
    Ok([&MAGIC[..], &VERSION.to_le_bytes(), &checksum(&rest).to_le_bytes(), &rest].concat())
}

fn read<G: Game>(path: &Path) -> Result<Vec<GameRecord>, Why> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(LARGEST).read_to_end(&mut bytes)?;
    let Payload { game, records } = unpack(&bytes)?;
    if game != G::NAME {
        return Err(Why::Game { found: game.chars().take(40).collect(), expected: G::NAME });
    }
    Ok(records)
}

fn unpack(bytes: &[u8]) -> Result<Payload, Why> {
    let (Some(header), true) = (bytes.get(..HEADER), bytes.starts_with(MAGIC)) else {
        return Err(Why::Damaged("it begins differently"));
    };
    let number = |at: usize| header[at..at + 8].iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    let version = number(8) as u32;
    if version != VERSION {
        return Err(Why::Version(version));
    }
    if checksum(&bytes[20..]) != number(12) {
        return Err(Why::Damaged("its checksum does not match"));
    }
    let length = number(20);
    if length > LARGEST {
        return Err(Why::Damaged("it is too large"));
    }
    let mut plain = Vec::with_capacity(length as usize);
    zstd::Decoder::new(&bytes[HEADER..])?.take(length + 1).read_to_end(&mut plain)?;
    let config = bincode::config::standard().with_limit::<{ LARGEST as usize }>();
    match bincode::serde::decode_from_slice(&plain, config) {
        Ok((payload, used)) if used == plain.len() && used as u64 == length => Ok(payload),
        _ => Err(Why::Damaged("its contents make no sense")),
    }
}

/// FNV-1a.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
