//! A file of games, packed or not.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::leela::is_leela;

/// What files packed by gzip and by zstd begin with.
const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// What a tar archive has at this place.
const TAR: (usize, &[u8]) = (257, b"ustar");

/// What a file has in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Games in PGN, or anything else.
    Text,
    /// A game of Leela's training data.
    Leela,
    /// A tar archive.
    Archive,
}

/// The contents of a file, unpacked. How it is packed is seen by its first bytes, whatever its name.
pub struct Source {
    /// Bytes of the file, as it is packed.
    pub bytes: u64,
    /// How many of them have been read.
    pub read: Arc<AtomicU64>,
    /// What is in it, by its first bytes.
    pub contents: Contents,
    unpacked: Box<dyn BufRead>,
}

impl Source {
    pub fn open(path: &Path) -> io::Result<Source> {
        let file = alfil_core::disk::open(path)?;
        let bytes = file.metadata()?.len();
        let read = Arc::new(AtomicU64::new(0));
        let mut unpacked = unpack(BufReader::with_capacity(BUFFER, Counted { file, read: Arc::clone(&read) }))?;
        let contents = match unpacked.fill_buf()? {
            first if is_leela(first) => Contents::Leela,
            first if first.get(TAR.0..).is_some_and(|rest| rest.starts_with(TAR.1)) => Contents::Archive,
            _ => Contents::Text,
        };
        Ok(Source { bytes, read, contents, unpacked })
    }
}

/// Bytes that are read at once.
const BUFFER: usize = 1 << 16;

/// What is in a stream that may be packed.
pub fn unpack<'a>(mut stream: impl BufRead + 'a) -> io::Result<Box<dyn BufRead + 'a>> {
    let first = stream.fill_buf()?;
    Ok(if first.starts_with(GZIP) {
        Box::new(BufReader::with_capacity(BUFFER, flate2::bufread::MultiGzDecoder::new(stream)))
    } else if first.starts_with(ZSTD) {
        Box::new(BufReader::with_capacity(BUFFER, zstd::Decoder::with_buffer(stream)?))
    } else {
        Box::new(stream)
    })
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.unpacked.read(buffer)
    }
}

/// Counts the bytes that are read of a file.
struct Counted {
    file: File,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.read.fetch_add(count as u64, Relaxed);
        Ok(count)
    }
}
