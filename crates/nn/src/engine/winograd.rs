//! 3x3 convolutions by Winograd's F(4x4, 3x3): tiles of 4x4 outputs cost 36 products per channel pair instead of 144.
//!
//! Boards are kept with channels innermost and a border of zeros: `[position][row][column][channel]` with one row and
//! column more on each side and as many as it takes to make tiles whole. A convolution is three steps: transform the 6x6
//! surroundings of every tile (`Bᵀ d B`), multiply channels separately in each of the 36 places, transform back to 4x4
//! outputs (`Aᵀ m A`), where bias, skip connection and activation are applied on the way.

use bytemuck::{cast_slice, cast_slice_mut};
use pulp::{Simd, WithSimd};

use super::aligned::Aligned;
use super::instructions::Instructions;
use super::matrix::{Multiply, panel_width};
use crate::architecture::Activation;
use crate::network::Convolution;

/// Outputs of a tile in each direction, inputs of a tile, and their square.
const OUT: usize = 4;
const IN: usize = 6;
pub(super) const PLACES: usize = IN * IN;

/// The weight transform G, for the interpolation points 0, 1, -1, 2, -2 and infinity.
const G: [[f64; 3]; IN] = [
    [1.0 / 4.0, 0.0, 0.0],
    [-1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0],
    [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
    [1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0],
    [1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0],
    [0.0, 0.0, 1.0],
];

/// Where things are on a bordered board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Geometry {
    pub height: usize,
    pub width: usize,
    tile_rows: usize,
    tile_columns: usize,
}

impl Geometry {
    pub fn new(height: usize, width: usize) -> Geometry {
        Geometry { height, width, tile_rows: height.div_ceil(OUT), tile_columns: width.div_ceil(OUT) }
    }

    pub fn tiles(&self) -> usize {
        self.tile_rows * self.tile_columns
    }

    /// Cells in a row of the bordered board.
    pub fn stride(&self) -> usize {
        self.tile_columns * OUT + 2
    }

    /// Cells of a bordered board.
    pub fn bordered(&self) -> usize {
        (self.tile_rows * OUT + 2) * self.stride()
    }

    /// The place of a cell on the bordered board.
    pub fn cell(&self, row: usize, column: usize) -> usize {
        (row + 1) * self.stride() + column + 1
    }
}

/// A 3x3 convolution ready to run.
pub(super) struct Winograd {
    inputs: usize,
    outputs: usize,
    /// For each place a matrix packed as in [`super::matrix`].
    panels: Aligned,
    biases: Aligned,
}

/// What happens to an output before it is stored.
pub(super) enum Finish<'a> {
    /// Only the bias; the sum of each channel over the board is added to `sums`, `[position][channel]`.
    Sum { sums: &'a mut [f32] },
    /// The activation.
    Activate(Activation),
    /// Adds what is already stored at the output's place, then the activation.
    Skip(Activation),
}

/// What all convolutions of an evaluation share.
pub(super) struct Context<'a> {
    pub instructions: Instructions,
    pub geometry: &'a Geometry,
    /// How many boards there are.
    pub positions: usize,
    pub workspace: &'a mut Workspace,
}

/// Floats from one place to the next. A cache line more than needed: a tile's places would otherwise often be a power of
/// two apart and compete for the same few lines of the cache.
fn place_stride(tiles: usize, channels: usize) -> usize {
    tiles * channels + 16
}

/// Memory that convolutions share.
pub(super) struct Workspace {
    transformed: Aligned,
    products: Aligned,
}

impl Workspace {
    /// For `tiles` tiles of at most `channels` channels.
    pub fn new(tiles: usize, channels: usize) -> Workspace {
        let floats = PLACES * place_stride(tiles, channels);
        Workspace { transformed: Aligned::zeros(floats), products: Aligned::zeros(floats) }
    }
}

impl Winograd {
    /// Transforms and packs the weights. Channels are padded to whole vectors (inputs) and panels (outputs).
    pub fn new(layer: &Convolution, inputs: usize, padded_inputs: usize, lanes: usize) -> Winograd {
        let outputs = layer.biases.len();
        let width = panel_width(lanes);
        let padded = outputs.next_multiple_of(width);
        let mut panels = Aligned::zeros(PLACES * padded_inputs * padded);
        for output in 0..outputs {
            let (panel, column) = (output / width, output % width);
            for input in 0..inputs {
                let kernel = &layer.weights[(output * inputs + input) * 9..][..9];
                for (place, weight) in transform_weights(kernel).into_iter().enumerate() {
                    let row = (place * (padded / width) + panel) * padded_inputs + input;
                    panels[row * width + column] = weight;
                }
            }
        }
        let mut biases = Aligned::zeros(padded);
        biases[..outputs].copy_from_slice(&layer.biases);
        Winograd { inputs: padded_inputs, outputs: padded, panels, biases }
    }

    /// Convolves `positions` bordered boards.
    pub fn run(&self, context: &mut Context, input: &[f32], output: &mut [f32], finish: Finish) {
        self.multiply(context, input);
        self.finish(context, output, finish);
    }

    /// Convolves bordered boards into themselves.
    pub fn run_in_place(&self, context: &mut Context, boards: &mut [f32], finish: Finish) {
        self.multiply(context, boards);
        self.finish(context, boards, finish);
    }

    /// From the boards to the products of all places.
    fn multiply(&self, context: &mut Context, input: &[f32]) {
        let Context { instructions, geometry, positions, workspace } = context;
        let tiles = *positions * geometry.tiles();
        let (input_stride, output_stride) = (place_stride(tiles, self.inputs), place_stride(tiles, self.outputs));
        let transformed = &mut workspace.transformed[..PLACES * input_stride];
        instructions.run(TransformInput { geometry, positions: *positions, channels: self.inputs, input, transformed });
        let products = &mut workspace.products[..PLACES * output_stride];
        for place in 0..PLACES {
            instructions.run(Multiply {
                inputs: self.inputs,
                outputs: self.outputs,
                panels: &self.panels[place * self.inputs * self.outputs..],
                rows: tiles,
                input: &transformed[place * input_stride..][..tiles * self.inputs],
                start: |tile| tile * self.inputs,
                output: &mut products[place * output_stride..][..tiles * self.outputs],
            });
        }
    }

    /// From the products to the boards.
    fn finish(&self, context: &mut Context, output: &mut [f32], finish: Finish) {
        let Context { instructions, geometry, positions, workspace } = context;
        let products = &workspace.products[..PLACES * place_stride(*positions * geometry.tiles(), self.outputs)];
        instructions.run(TransformOutput {
            geometry,
            positions: *positions,
            channels: self.outputs,
            products,
            biases: &self.biases,
            output,
            finish,
        });
    }
}

/// G g Gᵀ, in double precision.
fn transform_weights(kernel: &[f32]) -> [f32; PLACES] {
    let mut half = [[0.0; 3]; IN];
    for (row, g) in half.iter_mut().zip(G) {
        for (x, value) in row.iter_mut().enumerate() {
            *value = (0..3).map(|y| g[y] * f64::from(kernel[3 * y + x])).sum();
        }
    }
    std::array::from_fn(|place| {
        let (row, column) = (place / IN, place % IN);
        (0..3).map(|x| half[row][x] * G[column][x]).sum::<f64>() as f32
    })
}

struct TransformInput<'a> {
    geometry: &'a Geometry,
    positions: usize,
    channels: usize,
    input: &'a [f32],
    transformed: &'a mut [f32],
}

impl WithSimd for TransformInput<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let TransformInput { geometry, positions, channels, input, transformed } = self;
        let vectors = channels / S::F32_LANES;
        let board = geometry.bordered() * vectors;
        let input = cast_slice::<f32, S::f32s>(&input[..positions * geometry.bordered() * channels]);
        let transformed = cast_slice_mut::<f32, S::f32s>(transformed);
        let place_stride = place_stride(positions * geometry.tiles(), channels) / S::F32_LANES;
        let stride = geometry.stride() * vectors;
        let mut tile = 0;
        for board in input.chunks_exact(board) {
            for tile_row in 0..geometry.tile_rows {
                for tile_column in 0..geometry.tile_columns {
                    let corner = (tile_row * OUT * geometry.stride() + tile_column * OUT) * vectors;
                    for vector in 0..vectors {
                        // Only loads happen inside the closures: anything else there would not be compiled for the
                        // instruction set.
                        let mut half = [[simd.splat_f32s(0.0); IN]; IN];
                        for x in 0..IN {
                            let at = corner + x * vectors + vector;
                            let column = transform_inputs(simd, std::array::from_fn(|y| board[at + y * stride]));
                            for (row, value) in half.iter_mut().zip(column) {
                                row[x] = value;
                            }
                        }
                        for (y, row) in half.into_iter().enumerate() {
                            for (x, value) in transform_inputs(simd, row).into_iter().enumerate() {
                                transformed[(y * IN + x) * place_stride + tile * vectors + vector] = value;
                            }
                        }
                    }
                    tile += 1;
                }
            }
        }
    }
}

/// Bᵀ times six values.
#[inline(always)]
fn transform_inputs<S: Simd>(simd: S, d: [S::f32s; IN]) -> [S::f32s; IN] {
    let times = |factor: f32, value, plus| simd.mul_add_e_f32s(simd.splat_f32s(factor), value, plus);
    let [d0, d1, d2, d3, d4, d5] = d;
    let even = times(-4.0, d2, d4); // d4 - 4 d2
    let odd = times(-4.0, d1, d3); // d3 - 4 d1
    let even2 = simd.sub_f32s(d4, d2);
    let odd2 = simd.sub_f32s(d3, d1);
    [
        times(4.0, d0, times(-5.0, d2, d4)),
        simd.add_f32s(even, odd),
        simd.sub_f32s(even, odd),
        times(2.0, odd2, even2),
        times(-2.0, odd2, even2),
        times(4.0, d1, times(-5.0, d3, d5)),
    ]
}

struct TransformOutput<'a> {
    geometry: &'a Geometry,
    positions: usize,
    channels: usize,
    products: &'a [f32],
    biases: &'a [f32],
    output: &'a mut [f32],
    finish: Finish<'a>,
}

impl WithSimd for TransformOutput<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let TransformOutput { geometry, positions, channels, products, biases, output, finish } = self;
        let vectors = channels / S::F32_LANES;
        let output = cast_slice_mut::<f32, S::f32s>(&mut output[..positions * geometry.bordered() * channels]);
        let products = cast_slice::<f32, S::f32s>(products);
        let biases = cast_slice::<f32, S::f32s>(&biases[..channels]);
        let tiles = Tiles { geometry, vectors, products, biases };
        let zero = simd.splat_f32s(0.0);
        match finish {
            Finish::Sum { sums } => {
                let sums = cast_slice_mut::<f32, S::f32s>(&mut sums[..positions * vectors * S::F32_LANES]);
                tiles.run(simd, output, |old, value, channel| {
                    sums[channel] = simd.add_f32s(sums[channel], value);
                    *old = value;
                });
            }
            Finish::Activate(Activation::Relu) => {
                tiles.run(simd, output, |old, value, _| *old = simd.max_f32s(value, zero));
            }
            Finish::Skip(Activation::Relu) => {
                tiles.run(simd, output, |old, value, _| *old = simd.max_f32s(simd.add_f32s(value, *old), zero));
            }
            Finish::Activate(Activation::Mish) => tiles.run(simd, output, |old, value, _| *old = mish::<S>(value)),
            Finish::Skip(Activation::Mish) => {
                tiles.run(simd, output, |old, value, _| *old = mish::<S>(simd.add_f32s(value, *old)));
            }
        }
    }
}

/// Mish lane by lane: rare, so clarity wins.
#[inline(always)]
pub(super) fn mish<S: Simd>(mut value: S::f32s) -> S::f32s {
    for lane in cast_slice_mut::<S::f32s, f32>(std::slice::from_mut(&mut value)) {
        *lane = Activation::Mish.apply(*lane);
    }
    value
}

/// The products of all tiles on their way to the boards.
struct Tiles<'a, V> {
    geometry: &'a Geometry,
    vectors: usize,
    products: &'a [V],
    biases: &'a [V],
}

impl<V: Copy> Tiles<'_, V> {
    /// Calls `finish` for each output with its place on the board, its value with the bias, and the number of its
    /// channel vector, counted over all positions.
    #[inline(always)]
    fn run<S: Simd<f32s = V>>(&self, simd: S, output: &mut [V], mut finish: impl FnMut(&mut V, V, usize)) {
        let Tiles { geometry, vectors, products, biases } = *self;
        let positions = output.len() / (geometry.bordered() * vectors);
        let place_stride = place_stride(positions * geometry.tiles(), vectors * S::F32_LANES) / S::F32_LANES;
        let mut tile = 0;
        for (position, board) in output.chunks_exact_mut(geometry.bordered() * vectors).enumerate() {
            for tile_row in 0..geometry.tile_rows {
                for tile_column in 0..geometry.tile_columns {
                    // Tiles may reach beyond the board, where zeros must stay.
                    let height = OUT.min(geometry.height - tile_row * OUT);
                    let width = OUT.min(geometry.width - tile_column * OUT);
                    let corner = geometry.cell(tile_row * OUT, tile_column * OUT);
                    for (vector, &bias) in biases.iter().enumerate() {
                        let mut half = [[simd.splat_f32s(0.0); IN]; OUT];
                        for x in 0..IN {
                            let place = |y| (y * IN + x) * place_stride + tile * vectors + vector;
                            let column = transform_outputs(simd, std::array::from_fn(|y| products[place(y)]));
                            for (row, value) in half.iter_mut().zip(column) {
                                row[x] = value;
                            }
                        }
                        for (y, row) in half.into_iter().enumerate().take(height) {
                            let values = transform_outputs(simd, row);
                            for (x, value) in values.into_iter().enumerate().take(width) {
                                let cell = corner + y * geometry.stride() + x;
                                let value = simd.add_f32s(value, bias);
                                finish(&mut board[cell * vectors + vector], value, position * vectors + vector);
                            }
                        }
                    }
                    tile += 1;
                }
            }
        }
    }
}

/// Aᵀ times six values.
#[inline(always)]
fn transform_outputs<S: Simd>(simd: S, m: [S::f32s; IN]) -> [S::f32s; OUT] {
    let times = |factor: f32, value, plus| simd.mul_add_e_f32s(simd.splat_f32s(factor), value, plus);
    let [m0, m1, m2, m3, m4, m5] = m;
    let (sum1, difference1) = (simd.add_f32s(m1, m2), simd.sub_f32s(m1, m2));
    let (sum2, difference2) = (simd.add_f32s(m3, m4), simd.sub_f32s(m3, m4));
    [
        simd.add_f32s(simd.add_f32s(m0, sum1), sum2),
        times(2.0, difference2, difference1),
        times(4.0, sum2, sum1),
        simd.add_f32s(times(8.0, difference2, difference1), m5),
    ]
}
