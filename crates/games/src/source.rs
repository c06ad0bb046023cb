//! A file of games, packed or not.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What files packed by gzip and by zstd begin with.
const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// The contents of a file, unpacked. How it is packed is seen by its first bytes, whatever its name.
pub struct Source {
    /// Bytes of the file, as it is packed.
    pub bytes: u64,
    /// How many of them have been read.
    pub read: Arc<AtomicU64>,
    contents: Box<dyn Read>,
}

impl Source {
    pub fn open(path: &Path) -> io::Result<Source> {
        let file = alfil_core::disk::open(path)?;
        let bytes = file.metadata()?.len();
        let read = Arc::new(AtomicU64::new(0));
        let mut file = BufReader::with_capacity(1 << 16, Counted { file, read: Arc::clone(&read) });
        let first = file.fill_buf()?;
        let contents: Box<dyn Read> = if first.starts_with(GZIP) {
            Box::new(flate2::bufread::MultiGzDecoder::new(file))
        } else if first.starts_with(ZSTD) {
            Box::new(zstd::Decoder::with_buffer(file)?)
        } else {
            Box::new(file)
        };
        Ok(Source { bytes, read, contents })
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.contents.read(buffer)
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
