//! Squeeze-excitation.

use bytemuck::{cast_slice, cast_slice_mut};
use pulp::{Simd, WithSimd};

use super::aligned::Aligned;
use super::matrix::Matrix;
use super::winograd::{Context, Geometry};
use crate::architecture::Activation;
use crate::network::Squeeze;

/// The two dense layers of a squeeze-excitation.
pub(super) struct Excitation {
    reduce: Matrix,
    reduce_biases: Vec<f32>,
    expand: Matrix,
    /// Gates of all channels, then offsets, padding included.
    expand_biases: Vec<f32>,
    channels: usize,
}

/// Memory of an [`Excitation`].
pub(super) struct SqueezeWorkspace {
    /// Sums of each channel over the board, `[position][channel]`.
    pub sums: Aligned,
    reduced: Aligned,
    expanded: Aligned,
}

impl SqueezeWorkspace {
    pub fn new(positions: usize, excitations: &[&Excitation]) -> SqueezeWorkspace {
        let most = |size: fn(&Excitation) -> usize| excitations.iter().map(|e| size(e)).max().unwrap_or(0);
        SqueezeWorkspace {
            sums: Aligned::zeros(positions * most(|e| e.channels)),
            reduced: Aligned::zeros(positions * most(|e| e.reduce.outputs())),
            expanded: Aligned::zeros(positions * most(|e| e.expand.outputs())),
        }
    }
}

impl Excitation {
    /// `channels` is the number of `filters` with padding.
    pub fn new(squeeze: &Squeeze, cells: usize, filters: usize, channels: usize, lanes: usize) -> Excitation {
        let hidden = squeeze.reduce.biases.len();
        // The mean over the board is the sum times this.
        let share = 1.0 / cells as f32;
        let reduce = Matrix::pack(channels, hidden, lanes, |input, output| {
            if input < filters { squeeze.reduce.weights[output * filters + input] * share } else { 0.0 }
        });
        let source = |output: usize| {
            let (half, channel) = (output / channels, output % channels);
            (channel < filters).then_some(half * filters + channel)
        };
        let expand = Matrix::pack(reduce.outputs(), 2 * channels, lanes, |input, output| match source(output) {
            Some(output) if input < hidden => squeeze.expand.weights[output * hidden + input],
            _ => 0.0,
        });
        let mut reduce_biases = squeeze.reduce.biases.clone();
        reduce_biases.resize(reduce.outputs(), 0.0);
        let expand_biases = (0..2 * channels).map(|o| source(o).map_or(0.0, |o| squeeze.expand.biases[o])).collect();
        Excitation { reduce, reduce_biases, expand, expand_biases, channels }
    }

    /// Gates and shifts `fresh` boards by what their sums say, adds the `skip` boards and stores the activation there.
    pub fn run(
        &self,
        context: &Context,
        activation: Activation,
        fresh: &[f32],
        skip: &mut [f32],
        workspace: &mut SqueezeWorkspace,
    ) {
        let Context { instructions, geometry, positions, .. } = *context;
        let SqueezeWorkspace { sums, reduced, expanded } = workspace;
        self.reduce.multiply(instructions, positions, sums, |position| position * self.channels, reduced);
        for row in reduced[..positions * self.reduce.outputs()].chunks_exact_mut(self.reduce.outputs()) {
            for (x, bias) in row.iter_mut().zip(&self.reduce_biases) {
                *x = activation.apply(*x + bias);
            }
        }
        self.expand.multiply(instructions, positions, reduced, |position| position * self.reduce.outputs(), expanded);
        for row in expanded[..positions * 2 * self.channels].chunks_exact_mut(2 * self.channels) {
            for (x, bias) in row.iter_mut().zip(&self.expand_biases) {
                *x += bias;
            }
            for gate in &mut row[..self.channels] {
                *gate = 1.0 / (1.0 + (-*gate).exp());
            }
        }
        let gates = &expanded[..positions * 2 * self.channels];
        let boards = positions * geometry.bordered() * self.channels;
        let (fresh, skip) = (&fresh[..boards], &mut skip[..boards]);
        instructions.run(Apply { geometry, channels: self.channels, activation, fresh, skip, gates });
    }
}

struct Apply<'a> {
    geometry: &'a Geometry,
    channels: usize,
    activation: Activation,
    fresh: &'a [f32],
    skip: &'a mut [f32],
    gates: &'a [f32],
}

impl WithSimd for Apply<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Apply { geometry, channels, activation, fresh, skip, gates } = self;
        let vectors = channels / S::F32_LANES;
        let board = geometry.bordered() * vectors;
        let (fresh, skip) = (cast_slice::<f32, S::f32s>(fresh), cast_slice_mut::<f32, S::f32s>(skip));
        let gates = cast_slice::<f32, S::f32s>(gates);
        let boards = fresh.chunks_exact(board).zip(skip.chunks_exact_mut(board));
        for ((fresh, skip), gates) in boards.zip(gates.chunks_exact(2 * vectors)) {
            let (gates, offsets) = gates.split_at(vectors);
            for row in 0..geometry.height {
                let start = geometry.cell(row, 0) * vectors;
                let length = geometry.width * vectors;
                let cells = fresh[start..][..length].chunks_exact(vectors);
                for (fresh, skip) in cells.zip(skip[start..][..length].chunks_exact_mut(vectors)) {
                    for (((&fresh, skip), &gate), &offset) in fresh.iter().zip(skip).zip(gates).zip(offsets) {
                        let value = simd.mul_add_e_f32s(gate, fresh, simd.add_f32s(offset, *skip));
                        *skip = match activation {
                            Activation::Relu => simd.max_f32s(value, simd.splat_f32s(0.0)),
                            Activation::Mish => super::winograd::mish::<S>(value),
                        };
                    }
                }
            }
        }
    }
}
