//! What goes into a network and what comes out: many positions at once, in memory that is reused.

use alfil_game::{Encoding, Game, Mover, Symmetry, Wdl};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::architecture::Architecture;

/// Positions to evaluate, with their legal moves.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    cells: usize,
    plane_size: usize,
    planes: Vec<f32>,
    /// Policy indices of the legal moves of all positions, one position after the other.
    indices: Vec<u32>,
    /// Where each position's indices end.
    ends: Vec<usize>,
    /// A plane that is being turned.
    turned: Vec<f32>,
}

impl Batch {
    /// An empty batch for networks of this architecture.
    pub fn new(architecture: &Architecture) -> Batch {
        let cells = architecture.cells();
        Batch { cells, plane_size: architecture.planes * cells, ..Batch::default() }
    }

    /// Positions of random games, to compare or time evaluators with.
    pub fn random<E: Encoding>(architecture: &Architecture, positions: usize, seed: u64) -> Batch {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut batch = Batch::new(architecture);
        let mut moves = Vec::new();
        let mut game = E::Game::new(&Default::default());
        while batch.len() < positions {
            if game.legal_moves(&mut moves).is_some() {
                game = E::Game::new(&Default::default());
                continue;
            }
            // Not every position, so that neighbours differ.
            if random.random_range(0..3) == 0 {
                batch.push::<E>(&game, &moves);
            }
            game.play(moves[random.random_range(0..moves.len())]);
        }
        batch
    }

    /// Forgets the positions, keeps the memory.
    pub fn clear(&mut self) {
        self.planes.clear();
        self.indices.clear();
        self.ends.clear();
    }

    /// Adds a position with the moves whose priors are wanted.
    pub fn push<E: Encoding>(&mut self, game: &E::Game, moves: &[<E::Game as Game>::Move]) {
        debug_assert_eq!(self.plane_size, E::PLANES * E::CELLS);
        let start = self.planes.len();
        self.planes.resize(start + self.plane_size, 0.0);
        E::planes(game, &mut self.planes[start..]);
        self.indices.extend(moves.iter().map(|&m| E::index(game, m) as u32));
        self.ends.push(self.indices.len());
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The planes of all positions, `[position][plane][cell]`.
    pub fn planes(&self) -> &[f32] {
        &self.planes
    }

    /// The planes of one position.
    pub fn planes_of(&self, position: usize) -> &[f32] {
        &self.planes[position * self.plane_size..][..self.plane_size]
    }

    /// The policy indices of one position's moves.
    pub fn indices(&self, position: usize) -> &[u32] {
        &self.indices[self.span(position)]
    }

    /// Where a position's moves are among those of all positions.
    pub(crate) fn span(&self, position: usize) -> std::ops::Range<usize> {
        span(&self.ends, position)
    }

    /// Turns the board of the position that was added last.
    pub(crate) fn turn_last(&mut self, symmetry: &Symmetry) {
        let Some(last) = self.len().checked_sub(1) else { return };
        let span = self.span(last);
        for index in &mut self.indices[span] {
            *index = (symmetry.index)(*index as usize) as u32;
        }
        let start = last * self.plane_size;
        for plane in self.planes[start..].chunks_exact_mut(self.cells) {
            self.turned.clear();
            self.turned.extend_from_slice(plane);
            for (cell, value) in self.turned.iter().enumerate() {
                plane[(symmetry.cell)(cell)] = *value;
            }
        }
    }

    /// Adds the positions of another batch.
    pub(crate) fn append(&mut self, other: &Batch) {
        self.planes.extend_from_slice(&other.planes);
        let before = self.indices.len();
        self.indices.extend_from_slice(&other.indices);
        self.ends.extend(other.ends.iter().map(|end| before + end));
    }
}

fn span(ends: &[usize], position: usize) -> std::ops::Range<usize> {
    let start = position.checked_sub(1).map_or(0, |before| ends[before]);
    start..ends[position]
}

/// What a network says about a batch.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    /// The expected result as the mover sees it, from -1 to 1, one per position.
    pub values: Vec<f32>,
    /// Probabilities that the mover wins, draws and loses, if the network gives them.
    pub wdl: Vec<Mover<Wdl>>,
    /// Expected plies to the end, if the network gives them.
    pub moves_left: Vec<f32>,
    priors: Vec<f32>,
    ends: Vec<usize>,
}

impl Outputs {
    /// The priors of a position's moves, in the order they were pushed. They add up to 1.
    pub fn priors(&self, position: usize) -> &[f32] {
        &self.priors[span(&self.ends, position)]
    }

    /// Whether all of them are numbers: the weights of a network can be so large that they are not.
    pub fn is_finite(&self) -> bool {
        let wdl = self.wdl.iter().flat_map(|wdl| <[f32; 3]>::from(wdl.0));
        let others = [&self.values, &self.moves_left, &self.priors].into_iter().flatten().copied();
        others.chain(wdl).all(f32::is_finite)
    }

    /// Makes room for the outputs of `batch`, forgetting the previous ones.
    pub fn prepare(&mut self, batch: &Batch, wdl: bool, moves_left: bool) {
        let positions = batch.len();
        self.values.clear();
        self.values.resize(positions, 0.0);
        self.wdl.clear();
        self.wdl.resize(if wdl { positions } else { 0 }, Mover(Wdl::DRAW));
        self.moves_left.clear();
        self.moves_left.resize(if moves_left { positions } else { 0 }, 0.0);
        self.priors.clear();
        self.priors.resize(batch.indices.len(), 0.0);
        self.ends.clear();
        self.ends.extend_from_slice(&batch.ends);
    }

    /// Sets the value of a position from the raw numbers of a value head: three logits, or one number before its tanh.
    pub fn set_value(&mut self, position: usize, raw: &[f32]) {
        if let [win, draw, loss] = *raw {
            let mut wdl = [win, draw, loss];
            softmax(&mut wdl);
            let wdl = Wdl::from(wdl);
            self.wdl[position] = Mover(wdl);
            self.values[position] = wdl.value();
        } else if let [value] = *raw {
            self.values[position] = value.tanh();
        }
    }

    /// Sets the priors of a position from the logits of its moves, which `logit` gives by their place.
    pub fn set_priors(&mut self, position: usize, logit: impl Fn(usize) -> f32) {
        let priors = &mut self.priors[span(&self.ends, position)];
        for (at, prior) in priors.iter_mut().enumerate() {
            *prior = logit(at);
        }
        softmax(priors);
    }
}

fn softmax(logits: &mut [f32]) {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for logit in logits.iter_mut() {
        *logit = (*logit - largest).exp();
        sum += *logit;
    }
    for logit in logits {
        *logit /= sum;
    }
}
