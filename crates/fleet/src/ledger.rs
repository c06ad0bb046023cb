//! Which numbers are still to be played, and under which leases.

use std::collections::{BTreeMap, BTreeSet};

/// The numbers of an order that have not come back yet. Every number leaves it once.
///
/// A lease is known by its place in the work queue, which forgets a lease when a worker has sent its results. So when the queue has
/// forgotten a lease and no result is on its way, whatever numbers it still has here are lost, and are leased again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// The numbers with the places of their leases; 0 is none, since places begin at 1.
    open: BTreeMap<u64, u64>,
    /// Those that have no lease.
    waiting: BTreeSet<u64>,
}

impl Ledger {
    /// Adds a number that is to be played.
    pub fn add(&mut self, number: u64) {
        if self.open.insert(number, 0).is_none() {
            self.waiting.insert(number);
        }
    }

    /// Numbers that have not come back.
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Whether all have come back.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// The numbers of the next lease, which has at most this many of them; fewer or none if there are no more.
    pub fn next_lease(&self, most: usize) -> Vec<u64> {
        self.waiting.iter().copied().take(most.max(1)).collect()
    }

    /// Notes that these numbers are leased now, at this place in the queue.
    pub fn leased(&mut self, numbers: &[u64], place: u64) {
        for number in numbers {
            if let Some(known) = self.open.get_mut(number) {
                *known = place;
                self.waiting.remove(number);
            }
        }
    }

    /// Whether a number is to be played and has not come back.
    pub fn is_open(&self, number: u64) -> bool {
        self.open.contains_key(&number)
    }

    /// Takes a number that has come back. False if it had come back before, or was never asked for.
    pub fn take(&mut self, number: u64) -> bool {
        self.waiting.remove(&number);
        self.open.remove(&number).is_some()
    }

    /// Lets a number that has come back be played again.
    pub fn again(&mut self, number: u64) {
        self.open.insert(number, 0);
        self.waiting.insert(number);
    }

    /// Notes that the queue has no leases.
    pub fn lose_leases(&mut self) {
        self.open.values_mut().for_each(|place| *place = 0);
        self.waiting.extend(self.open.keys());
    }

    /// The places of the leases that have numbers here.
    pub fn places(&self) -> BTreeSet<u64> {
        self.open.values().copied().filter(|place| *place != 0).collect()
    }

    /// Notes that the leases at these places are lost: their numbers need other ones. Returns how many those are.
    pub fn lose(&mut self, places: &BTreeSet<u64>) -> usize {
        let lost = |(number, place): (&u64, &mut u64)| {
            let is_lost = *place != 0 && places.contains(place);
            is_lost.then(|| {
                *place = 0;
                *number
            })
        };
        let lost: Vec<u64> = self.open.iter_mut().filter_map(lost).collect();
        self.waiting.extend(&lost);
        lost.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Debug)]
    enum Step {
        Lease(usize),
        /// A worker plays the lease at this place of the queue, and its results come back this often.
        Play {
            lease: usize,
            times: usize,
        },
        /// A result is not what was asked for.
        Refuse {
            lease: usize,
        },
        /// The queue loses a lease.
        Lose {
            lease: usize,
        },
        Reconcile,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (1usize..5).prop_map(Step::Lease),
            (0usize..20, 0usize..3).prop_map(|(lease, times)| Step::Play { lease, times }),
            (0usize..20).prop_map(|lease| Step::Refuse { lease }),
            (0usize..20).prop_map(|lease| Step::Lose { lease }),
            Just(Step::Reconcile),
        ]
    }

    proptest! {
        /// Whatever is lost, doubled or refused: every number is counted once, and none is forgotten.
        #[test]
        fn every_number_counts_once(steps in prop::collection::vec(step(), 0..60)) {
            let mut ledger = Ledger::default();
            (0..20).for_each(|number| ledger.add(number));
            let mut counted: Vec<u64> = Vec::new();
            // The queue, by place.
            let mut queue: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
            let mut next = 1;
            let reconcile = |ledger: &mut Ledger, queue: &BTreeMap<u64, Vec<u64>>| {
                let gone = ledger.places().into_iter().filter(|place| !queue.contains_key(place)).collect();
                ledger.lose(&gone);
            };
            let chosen = |queue: &BTreeMap<u64, Vec<u64>>, at: usize| queue.keys().nth(at % queue.len().max(1)).copied();
            for step in steps {
                match step {
                    Step::Lease(most) => {
                        let numbers = ledger.next_lease(most);
                        if !numbers.is_empty() {
                            ledger.leased(&numbers, next);
                            queue.insert(next, numbers);
                            next += 1;
                        }
                    }
                    Step::Play { lease, times } => if let Some(place) = chosen(&queue, lease) {
                        let numbers = queue.remove(&place).unwrap();
                        for number in numbers.repeat(times) {
                            if ledger.take(number) {
                                counted.push(number);
                            }
                        }
                    },
                    Step::Refuse { lease } => if let Some(place) = chosen(&queue, lease) {
                        queue.remove(&place);
                    },
                    Step::Lose { lease } => if let Some(place) = chosen(&queue, lease) {
                        queue.remove(&place);
                    },
                    Step::Reconcile => reconcile(&mut ledger, &queue),
                }
                prop_assert_eq!(ledger.len() + counted.len(), 20);
            }
            // From now on everything works.
            for _ in 0..50 {
                for (_, numbers) in std::mem::take(&mut queue) {
                    counted.extend(numbers.into_iter().filter(|number| ledger.take(*number)));
                }
                reconcile(&mut ledger, &queue);
                while let numbers = ledger.next_lease(3) && !numbers.is_empty() {
                    ledger.leased(&numbers, next);
                    queue.insert(next, numbers);
                    next += 1;
                }
            }
            counted.sort_unstable();
            prop_assert_eq!(counted, (0..20).collect::<Vec<u64>>());
            prop_assert!(ledger.is_empty());
        }
    }
}
