//! Samples in random order.

use std::sync::Arc;

use alfil_core::settings;
use alfil_core::settings::Findings;
use alfil_game::{Encoding, Game};
use alfil_nn::Architecture;
use alfil_nn::learning::Samples;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

use super::folder::Chunk;
use super::{Damage, Replay, ReplayError, Sample, SharedRecord, ValueTarget, Window};
use crate::GameRecord;

/// Samples that wait to be drawn: chunks are read until there are this many, so that a batch holds positions of many
/// games.
pub(super) const POOL: usize = 1 << 16;

/// The approximate memory of these: nearly every one keeps a game of its own, mostly its policies.
pub const POOL_BYTES: u64 = 256 << 20;

/// At least one in this many positions of a chunk is drawn when it is read, or reading would cost more than learning.
/// The other chunks have their turn in another draw.
const LEAST_PART: u64 = 8;

/// Batches are built in parallel, in parts of this many samples.
const PART: usize = 32;

settings! {
    /// What may be drawn from a window, and how.
    #[derive(Copy)]
    pub struct Sampling {
        /// The share of games that are never learnt from, to see how well the network does on those. A run cannot change it.
        // With a larger share, games that have been learnt from would count as held out.
        pub held_out: f64 = 0.03, in 0.0..=0.5, fixed = true;
        /// Applies a random symmetry of the game to each position.
        pub symmetries: bool = true;
    }
    check Sampling::check;
}

impl Sampling {
    fn check(&self, found: &mut Findings) {
        if self.held_out == 0.0 {
            found.warning("held_out", "is 0: nothing will show whether the network memorises its games");
        }
    }
}

/// A draw of samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawSettings {
    /// How many samples.
    pub samples: u64,
    /// Which games, and how their positions are turned.
    pub sampling: Sampling,
    /// Draws from the games that are held out, instead of from the others.
    pub from_held_out: bool,
    /// What the value learns.
    pub target: ValueTarget,
    /// The seed of all random choices.
    pub seed: u64,
}

/// Draws samples from a window: nearly uniformly, and none twice before all have been drawn once.
///
/// The chunks are visited in random order. Of each, as many positions as its share of the window are put into a pool, from
/// which samples are drawn at random. The same window, settings and number of samples drawn always give the same samples.
pub struct Draw {
    settings: DrawSettings,
    /// Chunks still to be read, the next one last, and how many samples are drawn from each.
    visits: Vec<(Chunk, u64)>,
    /// Samples that the chunks read so far could not give, and the next one has to.
    missing: u64,
    pool: Vec<Sample>,
    random: Xoshiro256PlusPlus,
    damages: Vec<Damage>,
}

impl Draw {
    /// Begins to draw from a window.
    pub fn new(window: &Window, settings: DrawSettings) -> Draw {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(settings.seed);
        let mut chunks = window.chunks.clone();
        chunks.shuffle(&mut random);
        let positions = window.positions().max(1);
        let DrawSettings { sampling: Sampling { held_out, .. }, from_held_out, .. } = settings;
        let eligible = if from_held_out { held_out } else { 1.0 - held_out };
        let per_chunk = (positions as f64 * eligible / chunks.len().max(1) as f64).ceil().max(1.0) as u64;
        let most_visits = settings.samples.div_ceil(per_chunk.div_ceil(LEAST_PART)).max(1);
        chunks.truncate(usize::try_from(most_visits).unwrap_or(usize::MAX));
        let chosen: u64 = chunks.iter().map(|chunk| chunk.positions).sum();
        // Rounded so that the shares add up to all samples.
        let (mut before, mut given) = (0, 0);
        let mut share = |chunk: Chunk| {
            before += chunk.positions;
            let until = (settings.samples as u128 * before as u128 / chosen.max(1) as u128) as u64;
            let share = until - given;
            given = until;
            (chunk, share)
        };
        let visits = chunks.into_iter().map(&mut share).collect();
        Draw { settings, visits, missing: 0, pool: Vec::new(), random, damages: Vec::new() }
    }

    /// The next samples, or fewer at the end.
    pub fn next<E: Encoding>(&mut self, replay: &mut Replay, samples: usize) -> Result<Vec<Sample>, ReplayError> {
        let mut drawn = Vec::with_capacity(samples);
        while drawn.len() < samples {
            self.fill::<E>(replay)?;
            if self.pool.is_empty() {
                break;
            }
            let at = self.random.random_range(0..self.pool.len());
            drawn.push(self.pool.swap_remove(at));
        }
        Ok(drawn)
    }

    /// Chunks that turned out to be damaged since the last call.
    pub fn damages(&mut self) -> Vec<Damage> {
        std::mem::take(&mut self.damages)
    }

    fn fill<E: Encoding>(&mut self, replay: &mut Replay) -> Result<(), ReplayError> {
        while self.pool.len() < POOL
            && let Some((chunk, samples)) = self.visits.pop()
        {
            let wanted = samples + self.missing;
            // Another draw from the window may have found it damaged.
            if !replay.has(&chunk.path) {
                self.missing = wanted;
                continue;
            }
            self.missing = match replay.read::<E::Game>(&chunk.path)? {
                Ok(records) => wanted - self.take::<E>(records, wanted),
                Err(damage) => {
                    self.damages.push(damage);
                    wanted
                }
            };
        }
        Ok(())
    }

    /// Puts samples of a chunk into the pool and returns how many: all, or none if the chunk has no game to draw from.
    fn take<E: Encoding>(&mut self, records: Vec<GameRecord>, samples: u64) -> u64 {
        let DrawSettings { sampling: Sampling { held_out, symmetries }, from_held_out, target, .. } = self.settings;
        let mut positions: Vec<(Arc<SharedRecord>, u32)> = Vec::new();
        for record in records.into_iter().filter(|record| is_held_out(record.number, held_out) == from_held_out) {
            let record = Arc::new(SharedRecord::new(record));
            for (ply, number) in record.plies.iter().zip(0..) {
                positions.extend((0..ply.copies).map(|_| (Arc::clone(&record), number)));
            }
        }
        let mut left = samples as usize;
        while left > 0 && !positions.is_empty() {
            let count = left.min(positions.len());
            let (chosen, _) = positions.partial_shuffle(&mut self.random, count);
            for (record, ply) in chosen.iter().cloned() {
                let symmetry = if symmetries { random_symmetry::<E>(&mut self.random) } else { None };
                self.pool.push(Sample { record, ply, symmetry, target });
            }
            left -= count;
        }
        samples - left as u64
    }
}

/// One of the symmetries of the encoding; none is the identity, which counts as one of them.
pub(super) fn random_symmetry<E: Encoding>(random: &mut Xoshiro256PlusPlus) -> Option<usize> {
    random.random_range(0..=E::SYMMETRIES.len()).checked_sub(1)
}

/// Whether the game with this number is among the share that is held out: always the same ones, spread evenly.
pub fn is_held_out(number: u64, share: f64) -> bool {
    let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed >> 11) as f64 / (1u64 << 53) as f64) < share
}

/// Makes the planes and targets of samples of games by these rules, on all threads of rayon's pool. Records that are
/// not games of the encoding are left out.
pub fn build<E: Encoding>(
    architecture: &Architecture,
    rules: &<E::Game as Game>::Rules,
    samples: &[Sample],
) -> Samples {
    let part = |samples: &[Sample]| {
        let mut part = Samples::new(architecture);
        for sample in samples {
            // `None` is a record that is invalid despite its checksum: it is skipped.
            let _ = sample.push::<E>(rules, &mut part);
        }
        part
    };
    let parts: Vec<Samples> = samples.par_chunks(PART).map(part).collect();
    let mut all = Samples::new(architecture);
    parts.iter().for_each(|part| all.append(part));
    all
}
