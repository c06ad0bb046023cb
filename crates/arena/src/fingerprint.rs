//! Numbers that tell files apart.

use std::io::{self, Read};

/// A number for some bytes that tells files apart: FNV-1a, which is the same on every machine and in every version.
#[derive(Clone, Copy)]
pub(crate) struct Fingerprint(u64);

impl Fingerprint {
    pub fn new() -> Fingerprint {
        Fingerprint(0xcbf2_9ce4_8422_2325)
    }

    pub fn add(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    }

    pub fn value(self) -> u64 {
        self.0
    }

    /// That of all bytes of a reader.
    pub fn of(mut reader: impl Read) -> io::Result<u64> {
        let mut print = Fingerprint::new();
        let mut piece = vec![0; 1 << 16];
        loop {
            match reader.read(&mut piece)? {
                0 => return Ok(print.value()),
                read => print.add(&piece[..read]),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_are_those_of_the_reference() {
        let mut print = Fingerprint::new();
        print.add(b"foo");
        print.add(b"bar");
        assert_eq!(print.value(), 0x8594_4171_f739_67e8);
    }
}
