//! How often a position has been on the board.

use arrayvec::ArrayVec;

/// The keys of the earlier positions that can still be repeated, for games that alternate moves and end after `N`
/// reversible plies. If there are more, the latest are kept.
#[derive(Debug, Default)]
pub(crate) struct Repetitions<const N: usize> {
    earlier: ArrayVec<u64, N>,
}

impl<const N: usize> Clone for Repetitions<N> {
    /// At once, where the derived copy goes key by key: searches copy games at every position.
    fn clone(&self) -> Repetitions<N> {
        let mut earlier = ArrayVec::new();
        // As many keys always fit.
        let copied = earlier.try_extend_from_slice(&self.earlier);
        debug_assert!(copied.is_ok());
        Repetitions { earlier }
    }
}

impl<const N: usize> Repetitions<N> {
    /// Remembers the position before a reversible move.
    pub fn remember(&mut self, key: u64) {
        if self.earlier.is_full() {
            self.earlier.remove(0);
        }
        self.earlier.push(key);
    }

    /// Forgets all: after an irreversible move no earlier position can be repeated.
    pub fn forget(&mut self) {
        self.earlier.clear();
    }

    /// How often the position on the board has been there before.
    pub fn of(&self, key: u64) -> u8 {
        // The same side was to move every second ply.
        let same_side = self.earlier.iter().rev().skip(1).step_by(2);
        same_side.filter(|&&earlier| earlier == key).count().min(usize::from(u8::MAX)) as u8
    }

    /// How many plies ago the position was last on the board.
    pub fn last(&self, key: u64) -> Option<u32> {
        let plies = (2..).step_by(2).zip(self.earlier.iter().rev().skip(1).step_by(2));
        plies.into_iter().find_map(|(plies, &earlier)| (earlier == key).then_some(plies))
    }
}
