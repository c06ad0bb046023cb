//! The transposition table: results for positions that come up again.

/// What a stored value says about the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    key: u64,
    pub value: i32,
    pub depth: i16,
    pub bound: Bound,
    /// The code of the best move, if one was found.
    pub best: Option<u16>,
}

/// A table of fixed size; newer entries replace older ones.
pub(super) struct TranspositionTable {
    entries: Vec<Option<Entry>>,
}

impl TranspositionTable {
    /// At most `bytes` bytes, at least one entry.
    pub fn new(bytes: usize) -> TranspositionTable {
        let count = (bytes / size_of::<Option<Entry>>()).max(1);
        TranspositionTable { entries: vec![None; count] }
    }

    fn slot(&self, key: u64) -> usize {
        // The high bits of a 128-bit product spread any key over any number of slots.
        ((u128::from(key.wrapping_mul(0x9e37_79b9_7f4a_7c15)) * self.entries.len() as u128) >> 64) as usize
    }

    pub fn get(&self, key: u64) -> Option<Entry> {
        self.entries[self.slot(key)].filter(|entry| entry.key == key)
    }

    pub fn put(&mut self, key: u64, value: i32, depth: i16, bound: Bound, best: Option<u16>) {
        let slot = self.slot(key);
        self.entries[slot] = Some(Entry { key, value, depth, bound, best });
    }
}
