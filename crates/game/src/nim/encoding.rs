//! How networks see Nim.

use super::game::{LONGEST, Nim, START, Take};
use crate::Encoding;

/// `nim/heaps`: a row for each heap, its sticks from the left. A move has the index of the leftmost stick that it takes.
pub struct Heaps;

impl Encoding for Heaps {
    type Game = Nim;

    const NAME: &'static str = "nim/heaps";
    const VERSION: u32 = 1;
    const PLANES: usize = 1;
    const HEIGHT: usize = START.len();
    const WIDTH: usize = LONGEST;
    const POLICY_PLANES: usize = 1;
    const POLICY_SIZE: usize = START.len() * LONGEST;

    fn planes(game: &Nim, planes: &mut [f32]) {
        for (row, sticks) in planes.chunks_exact_mut(LONGEST).zip(game.heaps()) {
            for (place, value) in row.iter_mut().enumerate() {
                *value = if place < usize::from(sticks) { 1.0 } else { 0.0 };
            }
        }
    }

    fn index(game: &Nim, m: Take) -> usize {
        let left = game.heaps()[usize::from(m.heap)] - m.count;
        usize::from(m.heap) * LONGEST + usize::from(left)
    }

    fn move_at(game: &Nim, index: usize) -> Option<Take> {
        let (heap, left) = (index / LONGEST, index % LONGEST);
        let sticks = usize::from(*game.heaps().get(heap)?);
        (left < sticks).then(|| Take { heap: heap as u8, count: (sticks - left) as u8 })
    }
}
