//! Random numbers whose exclusive sum is the key of a position.

use super::board::Role;
use super::cell::{COUNT, Cell};
use crate::Side;

static PIECES: [[[u64; COUNT]; 6]; 2] = pieces();
static EN_PASSANT: [u64; COUNT] = numbers(12);

/// Part of the key when Black is to move.
pub(super) const BLACK_TO_MOVE: u64 = mixed((13 * COUNT) as u64);

pub(super) fn piece(side: Side, role: Role, cell: Cell) -> u64 {
    PIECES[side as usize][role as usize][cell.number()]
}

pub(super) fn en_passant(cell: Cell) -> u64 {
    EN_PASSANT[cell.number()]
}

const fn pieces() -> [[[u64; COUNT]; 6]; 2] {
    let mut pieces = [[[0; COUNT]; 6]; 2];
    let mut i = 0;
    while i < 12 {
        pieces[i / 6][i % 6] = numbers(i);
        i += 1;
    }
    pieces
}

const fn numbers(table: usize) -> [u64; COUNT] {
    let mut numbers = [0; COUNT];
    let mut i = 0;
    while i < COUNT {
        numbers[i] = mixed((table * COUNT + i) as u64);
        i += 1;
    }
    numbers
}

/// The output function of SplitMix64 (Steele, Lea and Flood, 2014).
const fn mixed(number: u64) -> u64 {
    let mut x = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}
