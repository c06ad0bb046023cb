//! The transposition table: results for positions that come up again, shared by all threads of a search.
//!
//! Buckets of four entries fill a cache line. An entry is two words: what is known, and the position's key mixed with it, so that
//! a word that another thread has overwritten meanwhile belongs to no position (Hyatt and Mann 2002).

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU8, AtomicU64};

/// What a stored value says about the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub value: i32,
    pub depth: u8,
    pub bound: Bound,
    /// The code of the best move, if one was found.
    pub best: Option<u16>,
}

/// Searches are counted up to here, then from 0 again.
const AGES: u8 = 64;

/// An entry of the last search is worth as much as one of this search that is so many plies shallower.
const AGE_PLIES: i32 = 4;

/// The value's bits, of both signs; then the depth's, the bound's, those of the age, and whether there is a move, then its code.
const VALUE_BITS: u32 = 23;
const DEPTH_AT: u32 = VALUE_BITS;
const BOUND_AT: u32 = DEPTH_AT + 8;
const AGE_AT: u32 = BOUND_AT + 2;
const HAS_MOVE_AT: u32 = AGE_AT + 6;
const MOVE_AT: u32 = HAS_MOVE_AT + 1;
const _: () = assert!(MOVE_AT + 16 <= 64 && super::node::INFINITE < 1 << (VALUE_BITS - 1));

impl Entry {
    fn pack(self, age: u8) -> u64 {
        let value = u64::from(self.value as u32) & ((1 << VALUE_BITS) - 1);
        // 0 stands for an empty entry.
        let bound = 1 + self.bound as u64;
        let (has_move, code) = (u64::from(self.best.is_some()), u64::from(self.best.unwrap_or(0)));
        value
            | u64::from(self.depth) << DEPTH_AT
            | bound << BOUND_AT
            | u64::from(age) << AGE_AT
            | has_move << HAS_MOVE_AT
            | code << MOVE_AT
    }

    fn unpack(packed: u64) -> Option<Entry> {
        let bound = match packed >> BOUND_AT & 3 {
            1 => Bound::Exact,
            2 => Bound::AtLeast,
            3 => Bound::AtMost,
            _ => return None,
        };
        // The sign is the highest of the value's bits.
        let value = ((packed as u32) << (32 - VALUE_BITS)) as i32 >> (32 - VALUE_BITS);
        let best = (packed >> HAS_MOVE_AT & 1 == 1).then_some((packed >> MOVE_AT) as u16);
        Some(Entry { value, depth: (packed >> DEPTH_AT) as u8, bound, best })
    }
}

fn age_of(packed: u64) -> u8 {
    (packed >> AGE_AT) as u8 & (AGES - 1)
}

#[derive(Default)]
struct Slot {
    /// The key, mixed with what is known.
    mixed: AtomicU64,
    packed: AtomicU64,
}

#[derive(Default)]
#[repr(align(64))]
struct Bucket([Slot; 4]);

const _: () = assert!(size_of::<Bucket>() == 64);

/// A table of fixed size.
pub struct TranspositionTable {
    buckets: Vec<Bucket>,
    age: AtomicU8,
}

impl TranspositionTable {
    /// At most `bytes` bytes, at least one bucket.
    pub fn new(bytes: usize) -> TranspositionTable {
        TranspositionTable::try_new(bytes)
            .unwrap_or(TranspositionTable { buckets: vec![Bucket::default()], age: AtomicU8::new(0) })
    }

    /// The same, if there is enough memory.
    pub fn try_new(bytes: usize) -> Option<TranspositionTable> {
        let count = (bytes / size_of::<Bucket>()).max(1);
        let mut buckets = Vec::new();
        buckets.try_reserve_exact(count).ok()?;
        buckets.resize_with(count, Bucket::default);
        Some(TranspositionTable { buckets, age: AtomicU8::new(0) })
    }

    /// Forgets everything.
    pub fn clear(&self) {
        for slot in self.buckets.iter().flat_map(|bucket| &bucket.0) {
            slot.packed.store(0, Relaxed);
            slot.mixed.store(0, Relaxed);
        }
    }

    /// Begins a search: what earlier ones have left makes room first.
    pub(super) fn begin(&self) {
        self.age.store((self.age.load(Relaxed) + 1) % AGES, Relaxed);
    }

    /// The share of the entries that this search has written, by a sample.
    pub fn fill(&self) -> f32 {
        let age = self.age.load(Relaxed);
        let sample = self.buckets.iter().take(250).flat_map(|bucket| &bucket.0);
        let packed = sample.map(|slot| slot.packed.load(Relaxed));
        let (all, used) = packed.fold((0u32, 0u32), |(all, used), packed| {
            (all + 1, used + u32::from(Entry::unpack(packed).is_some() && age_of(packed) == age))
        });
        used as f32 / all.max(1) as f32
    }

    fn bucket(&self, key: u64) -> &Bucket {
        // The high bits of a 128-bit product spread any key over any number of buckets.
        let spread = u128::from(key.wrapping_mul(0x9e37_79b9_7f4a_7c15)) * self.buckets.len() as u128;
        &self.buckets[(spread >> 64) as usize]
    }

    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        self.bucket(key).0.iter().find_map(|slot| {
            let packed = slot.packed.load(Relaxed);
            if slot.mixed.load(Relaxed) ^ packed == key { Entry::unpack(packed) } else { None }
        })
    }

    /// Has the entry of a key brought near, which will be asked for soon.
    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        prefetch(self.bucket(key));
    }

    /// Remembers an entry in place of the same position's, or of the one that is worth least: shallow, or of an earlier search. What
    /// this search has found out at a larger depth stays, unless it is only a bound and the value is known now.
    pub(super) fn put(&self, key: u64, entry: Entry) {
        let age = self.age.load(Relaxed);
        let stays = |slot: &Slot| {
            let packed = slot.packed.load(Relaxed);
            let same = slot.mixed.load(Relaxed) ^ packed == key && age_of(packed) == age;
            let known = Entry::unpack(packed).filter(|known| same && known.depth > entry.depth);
            known.is_some_and(|known| entry.bound != Bound::Exact || known.bound == Bound::Exact)
        };
        if self.bucket(key).0.iter().any(stays) {
            return;
        }
        let worth = |slot: &Slot| {
            let packed = slot.packed.load(Relaxed);
            match Entry::unpack(packed) {
                _ if slot.mixed.load(Relaxed) ^ packed == key => i32::MIN,
                None => i32::MIN + 1,
                Some(known) => {
                    let old = i32::from(age.wrapping_sub(age_of(packed)) & (AGES - 1));
                    i32::from(known.depth) - AGE_PLIES * old
                }
            }
        };
        let Some(slot) = self.bucket(key).0.iter().min_by_key(|slot| worth(slot)) else { return };
        let packed = entry.pack(age);
        slot.mixed.store(key ^ packed, Relaxed);
        slot.packed.store(packed, Relaxed);
    }
}

/// Asks the processor for a cache line, where it can be asked.
#[inline]
fn prefetch(bucket: &Bucket) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is only a hint: it changes nothing that a program can see, and the reference is to valid memory.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(std::ptr::from_ref(bucket).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bucket;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::node::INFINITE;
    use super::*;

    fn entry(value: i32, depth: u8) -> Entry {
        Entry { value, depth, bound: Bound::Exact, best: Some(7) }
    }

    proptest! {
        #[test]
        fn entries_keep_what_they_are_given(value in -INFINITE..=INFINITE, depth: u8, bound in 0..3u8, best: Option<u16>, age in 0..AGES) {
            let bound = [Bound::Exact, Bound::AtLeast, Bound::AtMost][usize::from(bound)];
            let entry = Entry { value, depth, bound, best };
            let packed = entry.pack(age);
            prop_assert_eq!((Entry::unpack(packed), age_of(packed)), (Some(entry), age));
        }

        /// Whatever is put there, a table never says of one key what is known of another.
        #[test]
        fn nothing_is_found_under_another_key(keys in proptest::collection::vec(1..50u64, 1..100)) {
            let table = TranspositionTable::new(256);
            for key in &keys {
                table.put(*key, entry(*key as i32, (*key % 9) as u8));
            }
            for key in 1..50 {
                prop_assert!(table.get(key).is_none_or(|found| found.value == key as i32 && keys.contains(&key)));
            }
        }
    }

    #[test]
    fn shallow_entries_and_those_of_earlier_searches_make_room() {
        // One bucket of four.
        let table = TranspositionTable::new(1);
        for (key, depth) in [(1, 9), (2, 1), (3, 8), (4, 7), (5, 6)] {
            table.put(key, entry(0, depth));
        }
        assert_eq!([1, 2, 3, 4, 5].map(|key| table.get(key).is_some()), [true, false, true, true, true]);
        assert_eq!(table.fill(), 1.0);
        table.begin();
        assert_eq!(table.fill(), 0.0);
        table.put(6, entry(0, 5));
        table.put(7, entry(0, 5));
        // 5 and 4 are as old as 3 and 1, and shallower.
        assert_eq!([1, 3, 4, 5, 6, 7].map(|key| table.get(key).is_some()), [true, true, false, false, true, true]);
        table.put(1, entry(5, 2));
        assert_eq!(table.get(1), Some(entry(5, 2)), "what is newer replaces an earlier search's of the same position");
        table.clear();
        assert_eq!(table.get(1), None);
    }

    #[test]
    fn a_shallower_entry_leaves_the_same_positions_deeper_one() {
        let table = TranspositionTable::new(1);
        let bound = |value, depth| Entry { bound: Bound::AtLeast, ..entry(value, depth) };
        for (put, expected) in [
            (bound(1, 5), bound(1, 5)),
            (bound(2, 4), bound(1, 5)),
            (bound(3, 5), bound(3, 5)),
            // The value itself is worth more than a bound.
            (entry(4, 3), entry(4, 3)),
            (entry(5, 2), entry(4, 3)),
            (bound(6, 6), bound(6, 6)),
        ] {
            table.put(1, put);
            assert_eq!(table.get(1), Some(expected));
        }
    }

    #[test]
    fn words_that_do_not_belong_together_are_no_entry() {
        let table = TranspositionTable::new(1);
        table.put(1, entry(5, 2));
        table.buckets[0].0[0].packed.store(entry(6, 2).pack(0), Relaxed);
        assert_eq!(table.get(1), None);
    }
}
