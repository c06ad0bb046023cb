//! Samples of a dataset, epoch by epoch.

use std::sync::Arc;

use alfil_core::seed::derive;
use alfil_game::Encoding;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use super::draw::{POOL, is_held_out, random_symmetry};
use super::{Dataset, DrawSettings, Sample, Sampling, SharedRecord};
use crate::{ChunkError, GameRecord, read_chunk};

/// A chunk is visited this many times in an epoch, and each time gives another part of its positions: so the pool holds positions of
/// this many times more games. Each visit unpacks the whole chunk, which takes a fraction of the time that a network learns from
/// the part.
const PARTS: usize = 8;

/// The order in which all positions of a dataset are learnt from: epoch after epoch, each position once in every epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Epochs {
    /// What the order of every epoch follows from.
    pub seed: u64,
    /// How many there are; 0 is no end.
    pub count: u64,
}

/// A place in that order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    /// Epochs before this place.
    pub epoch: u64,
    /// Visits of this epoch before it.
    pub visit: u64,
    /// Positions of this visit before it.
    pub position: u64,
}

impl Cursor {
    /// Whether it is the beginning of the first epoch.
    pub fn is_start(&self) -> bool {
        *self == Cursor::default()
    }
}

/// Draws the samples that follow a place in the order of a dataset's epochs. A pool mixes them further: the first samples that are
/// drawn need not be the first of the order, but a draw gives all of them when it has come to its end. The same dataset, settings
/// and place always give the same samples.
pub struct EpochDraw<'a> {
    dataset: &'a Dataset,
    epochs: Epochs,
    settings: DrawSettings,
    /// Where the samples end that have been put into the pool.
    cursor: Cursor,
    /// The chunks and parts of this epoch, in the order in which they are visited.
    visits: Vec<(usize, usize)>,
    /// Samples that are still to be put into the pool.
    missing: u64,
    pool: Vec<Sample>,
    random: Xoshiro256PlusPlus,
}

impl Epochs {
    /// The chunks and parts of an epoch in the order in which they are visited.
    fn visits(&self, dataset: &Dataset, epoch: u64) -> Vec<(usize, usize)> {
        let chunks = 0..dataset.chunks.len();
        let mut visits: Vec<_> = chunks.flat_map(|chunk| (0..PARTS).map(move |part| (chunk, part))).collect();
        visits.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(derive(self.seed, &[epoch])));
        visits
    }
}

impl<'a> EpochDraw<'a> {
    /// Begins to draw at a place.
    pub fn new(dataset: &'a Dataset, epochs: Epochs, cursor: Cursor, settings: DrawSettings) -> EpochDraw<'a> {
        EpochDraw {
            visits: epochs.visits(dataset, cursor.epoch),
            missing: settings.samples,
            pool: Vec::new(),
            random: Xoshiro256PlusPlus::seed_from_u64(settings.seed),
            dataset,
            epochs,
            settings,
            cursor,
        }
    }

    /// The next samples, or fewer at the end.
    pub fn next<E: Encoding>(&mut self, samples: usize) -> Result<Vec<Sample>, ChunkError> {
        let mut drawn = Vec::with_capacity(samples);
        while drawn.len() < samples {
            self.fill::<E>()?;
            if self.pool.is_empty() {
                break;
            }
            let at = self.random.random_range(0..self.pool.len());
            drawn.push(self.pool.swap_remove(at));
        }
        Ok(drawn)
    }

    /// Where the samples of this draw end, as soon as all of them have been drawn: the next draw begins there.
    pub fn end<E: Encoding>(&mut self) -> Result<Cursor, ChunkError> {
        // An epoch is over when nothing is left of it.
        self.positions_here::<E>()?;
        Ok(self.cursor)
    }

    /// How many epochs lie before a place; the fraction is that of the epoch under way.
    pub fn progress(dataset: &Dataset, cursor: Cursor) -> f64 {
        cursor.epoch as f64 + cursor.visit as f64 / (dataset.chunks.len() * PARTS).max(1) as f64
    }

    fn fill<E: Encoding>(&mut self) -> Result<(), ChunkError> {
        let DrawSettings { sampling: Sampling { symmetries, .. }, target, .. } = self.settings;
        while self.pool.len() < POOL && self.missing > 0 {
            let positions = self.positions_here::<E>()?;
            if positions.is_empty() {
                self.missing = 0;
                break;
            }
            let taken = (positions.len() as u64).min(self.missing);
            self.missing -= taken;
            self.cursor.position += taken;
            if taken == positions.len() as u64 {
                self.next_visit();
            }
            for (record, ply) in positions.into_iter().take(taken as usize) {
                let symmetry = if symmetries { random_symmetry::<E>(&mut self.random) } else { None };
                self.pool.push(Sample { record, ply, symmetry, target });
            }
        }
        Ok(())
    }

    /// The positions from the cursor to the end of its visit, or of the next one that has any. None if there are no more.
    fn positions_here<E: Encoding>(&mut self) -> Result<Vec<(Arc<SharedRecord>, u32)>, ChunkError> {
        // If there are none in a whole epoch, there are none at all.
        for _ in 0..=self.visits.len() {
            if self.epochs.count > 0 && self.cursor.epoch >= self.epochs.count {
                break;
            }
            let Some(&(chunk, part)) = self.visits.get(self.cursor.visit as usize) else { break };
            let records = read_chunk::<E::Game>(&self.dataset.chunks[chunk].path)?;
            let positions = self.part(records, chunk, part);
            if !positions.is_empty() {
                return Ok(positions);
            }
            self.next_visit();
        }
        Ok(Vec::new())
    }

    fn next_visit(&mut self) {
        (self.cursor.visit, self.cursor.position) = (self.cursor.visit + 1, 0);
        if self.cursor.visit as usize >= self.visits.len() {
            self.cursor = Cursor { epoch: self.cursor.epoch + 1, ..Cursor::default() };
            self.visits = self.epochs.visits(self.dataset, self.cursor.epoch);
        }
    }

    /// The positions of a part of a chunk from the cursor on.
    fn part(&self, records: Vec<GameRecord>, chunk: usize, part: usize) -> Vec<(Arc<SharedRecord>, u32)> {
        let DrawSettings { sampling: Sampling { held_out, .. }, from_held_out, .. } = self.settings;
        let mut positions: Vec<(u32, u32)> = Vec::new();
        for (game, record) in (0..).zip(&records) {
            if is_held_out(record.number, held_out) == from_held_out {
                let plies = (0..).zip(&record.plies);
                positions.extend(plies.flat_map(|(ply, known)| (0..known.copies).map(move |_| (game, ply))));
            }
        }
        // The same order at every visit of the epoch, so that its parts make up the whole chunk.
        let seed = derive(self.epochs.seed, &[self.cursor.epoch, chunk as u64]);
        positions.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
        let border = |part: usize| part * positions.len() / PARTS;
        let chosen = &positions[border(part)..border(part + 1)];
        let chosen = chosen.get(self.cursor.position as usize..).unwrap_or_default();
        let mut is_chosen = vec![false; records.len()];
        chosen.iter().for_each(|(game, _)| is_chosen[*game as usize] = true);
        let shared = records.into_iter().zip(is_chosen);
        let shared: Vec<Option<Arc<SharedRecord>>> =
            shared.map(|(record, is_chosen)| is_chosen.then(|| Arc::new(SharedRecord::new(record)))).collect();
        chosen.iter().filter_map(|(game, ply)| Some((shared[*game as usize].clone()?, *ply))).collect()
    }
}
