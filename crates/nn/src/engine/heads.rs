//! The heads: from the tower's output to logits and values.

use bytemuck::cast_slice;
use pulp::{Simd, WithSimd};

use super::aligned::Aligned;
use super::instructions::Instructions;
use super::matrix::Matrix;
use super::winograd::Geometry;
use crate::architecture::Activation;
use crate::network::{Convolution, Dense, Head};

/// A 1x1 convolution with its bias and activation, and where its outputs go: `[position][cell][channel]`.
pub(super) struct Pointwise {
    matrix: Matrix,
    biases: Vec<f32>,
}

impl Pointwise {
    pub fn new(layer: &Convolution, inputs: usize, padded_inputs: usize, lanes: usize) -> Pointwise {
        let outputs = layer.biases.len();
        let at = |input, output| if input < inputs { layer.weights[output * inputs + input] } else { 0.0 };
        let matrix = Matrix::pack(padded_inputs, outputs, lanes, at);
        let mut biases = layer.biases.clone();
        biases.resize(matrix.outputs(), 0.0);
        Pointwise { matrix, biases }
    }

    /// Channels, padding included.
    pub fn outputs(&self) -> usize {
        self.matrix.outputs()
    }

    fn run(&self, tower: &Tower, output: &mut [f32]) {
        let (geometry, cells) = (tower.geometry, tower.geometry.height * tower.geometry.width);
        let rows = tower.positions * cells;
        let start = |row: usize| {
            let (position, cell) = (row / cells, row % cells);
            let place = geometry.cell(cell / geometry.width, cell % geometry.width);
            (position * geometry.bordered() + place) * tower.channels
        };
        self.matrix.multiply(tower.instructions, rows, tower.boards, start, output);
        finish(&mut output[..rows * self.outputs()], &self.biases, tower.activation);
    }
}

/// What a head looks at: the bordered boards of some positions.
pub(super) struct Tower<'a> {
    pub instructions: Instructions,
    pub geometry: &'a Geometry,
    pub positions: usize,
    pub channels: usize,
    pub activation: Activation,
    pub boards: &'a [f32],
}

/// Adds the biases and applies the activation, row by row.
fn finish(rows: &mut [f32], biases: &[f32], activation: Activation) {
    for row in rows.chunks_exact_mut(biases.len()) {
        match activation {
            Activation::Relu => row.iter_mut().zip(biases).for_each(|(x, bias)| *x = (*x + bias).max(0.0)),
            Activation::Mish => row.iter_mut().zip(biases).for_each(|(x, bias)| *x = activation.apply(*x + bias)),
        }
    }
}

/// A head that ends in a few numbers.
pub(super) struct NumberHead {
    convolution: Pointwise,
    hidden: Matrix,
    hidden_biases: Vec<f32>,
    output: Dense,
}

/// Memory of a [`NumberHead`].
pub(super) struct NumberWorkspace {
    convolved: Aligned,
    hidden: Aligned,
}

impl NumberHead {
    pub fn new(head: &Head, cells: usize, filters: usize, padded_filters: usize, lanes: usize) -> NumberHead {
        let convolution = Pointwise::new(&head.convolution, filters, padded_filters, lanes);
        let channels = head.convolution.biases.len();
        let padded = convolution.outputs();
        // Inputs arrive as [cell][channel], weights are for [channel][cell].
        let at = |input: usize, output: usize| {
            let (cell, channel) = (input / padded, input % padded);
            if channel < channels { head.hidden.weights[(output * channels + channel) * cells + cell] } else { 0.0 }
        };
        let hidden = Matrix::pack(cells * padded, head.hidden.biases.len(), lanes, at);
        let mut hidden_biases = head.hidden.biases.clone();
        hidden_biases.resize(hidden.outputs(), 0.0);
        NumberHead { convolution, hidden, hidden_biases, output: head.output.clone() }
    }

    pub fn workspace(&self, positions: usize, cells: usize) -> NumberWorkspace {
        NumberWorkspace {
            convolved: Aligned::zeros(positions * cells * self.convolution.outputs()),
            hidden: Aligned::zeros(positions * self.hidden.outputs()),
        }
    }

    /// Calls `take` with each position's numbers.
    pub fn run(&self, tower: &Tower, workspace: &mut NumberWorkspace, mut take: impl FnMut(usize, &[f32])) {
        self.convolution.run(tower, &mut workspace.convolved);
        let cells = tower.geometry.height * tower.geometry.width;
        let stride = cells * self.convolution.outputs();
        let start = |position| position * stride;
        self.hidden.multiply(tower.instructions, tower.positions, &workspace.convolved, start, &mut workspace.hidden);
        let rows = &mut workspace.hidden[..tower.positions * self.hidden.outputs()];
        finish(rows, &self.hidden_biases, tower.activation);
        let inputs = self.output.weights.len() / self.output.biases.len();
        let mut numbers = [0.0; 3];
        let numbers = &mut numbers[..self.output.biases.len()];
        for (position, row) in rows.chunks_exact(self.hidden.outputs()).enumerate() {
            for (number, (weights, bias)) in
                numbers.iter_mut().zip(self.output.weights.chunks_exact(inputs).zip(&self.output.biases))
            {
                *number = bias + weights.iter().zip(row).map(|(weight, x)| weight * x).sum::<f32>();
            }
            take(position, numbers);
        }
    }
}

/// The second layer of a policy head. Only the logits of legal moves are computed: there are some thirty of them among
/// thousands of outputs.
pub(super) enum Logits {
    /// 3x3 convolution: weights `[plane][row][column][channel]`, taken at one cell of one plane.
    Convolution { weights: Aligned, biases: Vec<f32>, channels: usize },
    /// A dense layer on [`Pointwise`] outputs: weights `[index][cell][channel]`.
    Dense { hidden: Pointwise, weights: Aligned, biases: Vec<f32> },
}

impl Logits {
    pub fn convolution(layer: &Convolution, filters: usize, channels: usize) -> Logits {
        let planes = layer.biases.len();
        let mut weights = Aligned::zeros(planes * 9 * channels);
        for plane in 0..planes {
            for channel in 0..filters {
                for tap in 0..9 {
                    weights[(plane * 9 + tap) * channels + channel] =
                        layer.weights[(plane * filters + channel) * 9 + tap];
                }
            }
        }
        Logits::Convolution { weights, biases: layer.biases.clone(), channels }
    }

    pub fn dense(hidden: Pointwise, planes: usize, layer: &Dense, cells: usize) -> Logits {
        let padded = hidden.outputs();
        let outputs = layer.biases.len();
        let mut weights = Aligned::zeros(outputs * cells * padded);
        for output in 0..outputs {
            for plane in 0..planes {
                for cell in 0..cells {
                    weights[(output * cells + cell) * padded + plane] =
                        layer.weights[(output * planes + plane) * cells + cell];
                }
            }
        }
        Logits::Dense { hidden, weights, biases: layer.biases.clone() }
    }

    /// Floats that [`prepare`](Logits::prepare) needs for one position.
    pub fn workspace(&self, cells: usize) -> usize {
        match self {
            Logits::Convolution { .. } => 0,
            Logits::Dense { hidden, .. } => cells * hidden.outputs(),
        }
    }

    /// Computes what all logits share.
    pub fn prepare(&self, tower: &Tower, workspace: &mut [f32]) {
        if let Logits::Dense { hidden, .. } = self {
            hidden.run(tower, workspace);
        }
    }

    /// The logit of a policy index whose output of a convolutional head would be `output`.
    pub fn get(&self, tower: &Tower, workspace: &[f32], position: usize, index: usize, output: usize) -> f32 {
        let geometry = tower.geometry;
        let cells = geometry.height * geometry.width;
        match self {
            Logits::Convolution { weights, biases, channels } => {
                let (plane, cell) = (output / cells, output % cells);
                let place = geometry.cell(cell / geometry.width, cell % geometry.width);
                let board = &tower.boards[position * geometry.bordered() * channels..];
                let row = |y: usize| &board[(place + y * geometry.stride() - geometry.stride() - 1) * channels..];
                let taps = 3 * channels; // three cells side by side
                let weights = &weights[plane * 3 * taps..][..3 * taps];
                let dot = Dot::<3> { pairs: std::array::from_fn(|y| (&weights[y * taps..][..taps], &row(y)[..taps])) };
                biases[plane] + tower.instructions.run(dot)
            }
            Logits::Dense { hidden, weights, biases } => {
                let inputs = cells * hidden.outputs();
                let (weights, inputs) =
                    (&weights[index * inputs..][..inputs], &workspace[position * inputs..][..inputs]);
                biases[index] + tower.instructions.run(Dot { pairs: [(weights, inputs)] })
            }
        }
    }
}

/// A dot product of slices of whole vectors, given in parts.
struct Dot<'a, const PARTS: usize> {
    pairs: [(&'a [f32], &'a [f32]); PARTS],
}

impl<const PARTS: usize> WithSimd for Dot<'_, PARTS> {
    type Output = f32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f32 {
        // Independent sums hide the latency of the additions.
        let mut sums = [simd.splat_f32s(0.0); 4];
        for (a, b) in self.pairs {
            let (a, b) = (cast_slice::<f32, S::f32s>(a), cast_slice::<f32, S::f32s>(b));
            let (a_fours, b_fours) = (a.chunks_exact(4), b.chunks_exact(4));
            let rest = a_fours.remainder().iter().zip(b_fours.remainder());
            for (&a, &b) in rest {
                sums[0] = simd.mul_add_e_f32s(a, b, sums[0]);
            }
            for (a, b) in a_fours.zip(b_fours) {
                for lane in 0..4 {
                    sums[lane] = simd.mul_add_e_f32s(a[lane], b[lane], sums[lane]);
                }
            }
        }
        let [a, b, c, d] = sums;
        simd.reduce_sum_f32s(simd.add_f32s(simd.add_f32s(a, b), simd.add_f32s(c, d)))
    }
}
