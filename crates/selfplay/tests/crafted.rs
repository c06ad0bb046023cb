//! Files that were made to take much memory take little.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use alfil_core::checksum::{Fnv, checksum};
use alfil_counting_allocator::{CountingAllocator, in_use, peak, reset_peak};
use alfil_game::tictactoe::TicTacToe;
use alfil_selfplay::read_chunk;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// A file with this payload and true checksums.
fn file(version: u32, games: u64, plain: &[u8]) -> Vec<u8> {
    let packed = zstd::encode_all(plain, 9).unwrap();
    let numbers = [games, 0, packed.len() as u64, plain.len() as u64, checksum(&packed)];
    let rest: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let mut hash = Fnv::default();
    if version > 3 {
        hash.feed(&version.to_le_bytes());
    }
    hash.feed(&rest);
    [b"ALFILGAM", &version.to_le_bytes()[..], &hash.finish().to_le_bytes(), &rest, &packed].concat()
}

/// A length in bincode.
fn length(length: u64) -> Vec<u8> {
    [&[253][..], &length.to_le_bytes()].concat()
}

#[test]
fn a_small_file_takes_little_memory() {
    let beginning = |version: u32| match version {
        3 => b"\x09tictactoe".to_vec(),
        _ => b"\x01\x04game\x09tictactoe".to_vec(),
    };
    let path = std::env::temp_dir().join(format!("alfil-selfplay-crafted-{}", std::process::id()));
    for version in [3, 4] {
        // An empty game is as many zeros as it has fields.
        let fields = version as u64 + 2;
        let empty = |games: u64| [beginning(version), length(games), vec![0; (games * fields) as usize]].concat();
        let long_text = [beginning(version), length(1), vec![0], length(1 << 29)].concat();
        let long_list = [beginning(version), length(1 << 40)].concat();
        let payloads =
            [(100_000, empty(100_000)), (10_000_000, empty(10_000_000)), (1, long_text), (1 << 40, long_list)];
        for (case, (games, plain)) in payloads.into_iter().enumerate() {
            let bytes = file(version, games, &plain);
            drop(plain);
            assert!(bytes.len() < 10_000, "{}", bytes.len());
            std::fs::write(&path, bytes).unwrap();
            let before = in_use();
            reset_peak();
            let read = read_chunk::<TicTacToe>(&path);
            let taken = peak() - before;
            assert!(taken < 40 << 20, "version {version}, case {case}: {taken} bytes");
            // The first is valid, and as large as a small file may be.
            assert_eq!(read.is_ok(), case == 0, "version {version}, case {case}: {:?}", read.err());
        }
    }
    std::fs::remove_file(&path).unwrap();
}
