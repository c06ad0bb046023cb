//! 3x3 convolutions by Winograd's algorithm.
//!
//! Boards are kept with channels innermost and a border of zeros: `[position][row][column][channel]` with one row and
//! column more on each side and as many as it takes to make tiles whole. A convolution is three steps: transform the
//! surroundings of every tile (`Bᵀ d B`), multiply channels separately in each place, transform back to outputs
//! (`Aᵀ m A`), where bias, skip connection and activation are applied on the way.

use std::marker::PhantomData;

use bytemuck::{cast_slice, cast_slice_mut};
use pulp::{Simd, WithSimd};
use serde::{Deserialize, Serialize};

use super::aligned::Aligned;
use super::instructions::Instructions;
use super::matrix::{Multiply, Start, panel_width};
use super::product::{Brain, Half, Numbers, Product, Single, to_brain, to_half};
use super::tile::{Four, MOST, Tile, TileSize, Two};
use crate::architecture::{Activation, Architecture};
use crate::device::EncodedNetwork;
use crate::network::Convolution;

/// How the convolutions of a tower are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Algorithm {
    /// Winograd's tiles.
    pub tile: TileSize,
    /// What the products are made of.
    pub numbers: Numbers,
}

impl Algorithm {
    /// With 32-bit numbers; the fastest of these unless weights are slow to reach.
    pub const EXACT: Algorithm = Algorithm { tile: TileSize::Four, numbers: Numbers::Single };

    /// With bf16 numbers: the faster one, and the one that is some four times as exact, since its transforms multiply
    /// rounding errors less.
    pub(super) const BRAIN: [Algorithm; 2] = [
        Algorithm { tile: TileSize::Four, numbers: Numbers::Brain },
        Algorithm { tile: TileSize::Two, numbers: Numbers::Brain },
    ];

    /// Bytes of the transformed weights for a pair of channels.
    pub(super) fn bytes(self) -> usize {
        self.tile.places() * self.numbers.bytes()
    }

    /// Bytes of the transformed weights of a tower.
    pub fn weight_bytes(self, architecture: &Architecture) -> usize {
        let Architecture { filters, .. } = architecture;
        architecture.tower_layers() * filters * filters * self.bytes()
    }

    /// Multiplications and additions in the products of a tower for a position.
    pub(super) fn flops(self, architecture: &Architecture) -> usize {
        let Architecture { height, width, filters, .. } = architecture;
        let tiles = Geometry::new(*height, *width).tiles(self.tile);
        2 * architecture.tower_layers() * tiles * self.tile.places() * filters * filters
    }
}

impl std::fmt::Display for Algorithm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, {}", self.tile.name(), self.numbers.name())
    }
}

/// Boards are padded to whole tiles of the largest size.
const OUT: usize = Four::OUT;

/// Where things are on a bordered board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Geometry {
    pub height: usize,
    pub width: usize,
}

impl Geometry {
    pub fn new(height: usize, width: usize) -> Geometry {
        Geometry { height, width }
    }

    /// Of the boards of a network.
    pub fn of(network: &EncodedNetwork<'_>) -> Geometry {
        let architecture = &network.network().architecture;
        Geometry::new(architecture.height, architecture.width)
    }

    /// Rows and columns of tiles with `out` outputs in each direction.
    fn grid(&self, out: usize) -> (usize, usize) {
        (self.height.div_ceil(out), self.width.div_ceil(out))
    }

    pub fn tiles(&self, size: TileSize) -> usize {
        let (rows, columns) = self.grid(size.outputs());
        rows * columns
    }

    /// Cells in a row of the bordered board.
    pub fn stride(&self) -> usize {
        self.width.next_multiple_of(OUT) + 2
    }

    /// Cells of a bordered board.
    pub fn bordered(&self) -> usize {
        (self.height.next_multiple_of(OUT) + 2) * self.stride()
    }

    /// The place of a cell on the bordered board.
    pub fn cell(&self, row: usize, column: usize) -> usize {
        (row + 1) * self.stride() + column + 1
    }
}

/// A 3x3 convolution ready to run.
pub(super) struct Winograd {
    algorithm: Algorithm,
    inputs: usize,
    outputs: usize,
    /// For each place a matrix packed as in [`super::matrix`].
    panels: Aligned,
    /// What the products of each output are multiplied by.
    scales: Aligned,
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

/// Numbers of `bytes` bytes from one place to the next. A cache line more than needed: a tile's places would otherwise
/// often be a power of two apart and compete for the same few lines of the cache.
fn place_stride(tiles: usize, channels: usize, bytes: usize) -> usize {
    tiles * channels + 64 / bytes
}

/// Memory that convolutions share.
pub(super) struct Workspace {
    transformed: Aligned,
    products: Aligned,
}

impl Workspace {
    /// For groups of this many boards with tiles of some sizes, of at most `channels` channels.
    pub fn new(geometry: &Geometry, groups: impl Iterator<Item = (TileSize, usize)>, channels: usize) -> Workspace {
        let floats = |(size, positions): (TileSize, usize)| {
            size.places() * place_stride(positions * geometry.tiles(size), channels, size_of::<f32>())
        };
        let floats = groups.map(floats).max().unwrap_or(0);
        Workspace { transformed: Aligned::zeros(floats), products: Aligned::zeros(floats) }
    }
}

/// The power of two that makes the largest of some weights as large as a half can be with room to spare.
fn half_scale(largest: f32) -> f32 {
    if largest > 0.0 && largest.is_finite() { (14.0 - largest.log2().floor()).min(100.0).exp2() } else { 1.0 }
}

impl Winograd {
    /// Transforms and packs the weights. Channels are padded to whole vectors (inputs) and panels (outputs).
    pub fn new(
        algorithm: Algorithm,
        layer: &Convolution,
        inputs: usize,
        padded_inputs: usize,
        lanes: usize,
    ) -> Winograd {
        let outputs = layer.biases.len();
        let width = panel_width(lanes);
        let mut winograd = Winograd::blank(algorithm, padded_inputs, outputs.next_multiple_of(width));
        let panels = winograd.outputs / width;
        winograd.biases[..outputs].copy_from_slice(&layer.biases);
        let places = algorithm.tile.places();
        let mut transformed = vec![0.0; inputs * places];
        for output in 0..outputs {
            for (input, transformed) in transformed.chunks_exact_mut(places).enumerate() {
                let kernel = &layer.weights[(output * inputs + input) * 9..][..9];
                transformed.copy_from_slice(&algorithm.tile.transform_weights(kernel));
            }
            let scale = match algorithm.numbers {
                // Halves have a small range: small weights would lose precision, and large ones become infinite.
                Numbers::Half => half_scale(transformed.iter().fold(0.0f32, |most, weight| most.max(weight.abs()))),
                _ => 1.0,
            };
            winograd.scales[output] = 1.0 / scale;
            let (panel, column) = (output / width, output % width);
            for (input, transformed) in transformed.chunks_exact(places).enumerate() {
                for (place, &weight) in transformed.iter().enumerate() {
                    let first = (place * panels + panel) * padded_inputs;
                    match algorithm.numbers {
                        Numbers::Single => winograd.panels[(first + input) * width + column] = weight,
                        Numbers::Half => {
                            let halves = cast_slice_mut::<f32, u16>(&mut winograd.panels);
                            halves[(first + input) * width + column] = to_half(scale * weight);
                        }
                        Numbers::Brain => {
                            let numbers = cast_slice_mut::<f32, u16>(&mut winograd.panels);
                            let pair = (first + input) / 2 * width + column;
                            numbers[2 * pair + input % 2] = to_brain(weight);
                        }
                    }
                }
            }
        }
        winograd
    }

    /// A convolution without any effect, to measure how long one takes.
    pub fn for_measurement(algorithm: Algorithm, inputs: usize, outputs: usize) -> Winograd {
        let mut winograd = Winograd::blank(algorithm, inputs, outputs);
        // Memory that nobody has written is a single page of zeros, which is always in the cache. This is a normal
        // number in each format.
        winograd.panels.fill(f32::from_bits(0x3c00_3c00));
        winograd
    }

    /// A convolution with weights of 0.
    fn blank(algorithm: Algorithm, inputs: usize, outputs: usize) -> Winograd {
        let mut scales = Aligned::zeros(outputs);
        scales.fill(1.0);
        let panels = Aligned::zeros((inputs * outputs * algorithm.bytes()).div_ceil(size_of::<f32>()));
        Winograd { algorithm, inputs, outputs, panels, scales, biases: Aligned::zeros(outputs) }
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
        match self.algorithm.tile {
            TileSize::Two => self.multiply_tiles::<Two>(context, input),
            TileSize::Four => self.multiply_tiles::<Four>(context, input),
        }
    }

    fn multiply_tiles<T: Tile>(&self, context: &mut Context, input: &[f32]) {
        let instructions = context.instructions;
        match self.algorithm.numbers {
            Numbers::Single => {
                instructions.run(self.transform::<T, Single>(context, input));
                self.products::<T, Single>(context, |product| instructions.run(product));
            }
            Numbers::Half => {
                instructions.run(self.transform::<T, Half>(context, input));
                self.products::<T, Half>(context, |product| instructions.run_half(product));
            }
            #[cfg(target_arch = "x86_64")]
            Numbers::Brain if instructions.are_for(Numbers::Brain) => {
                use super::product::NativeBrain;
                instructions.run_brain(self.transform::<T, NativeBrain>(context, input));
                self.products::<T, NativeBrain>(context, |product| instructions.run_brain(product));
            }
            Numbers::Brain => {
                instructions.run(self.transform::<T, Brain>(context, input));
                self.products::<T, Brain>(context, |product| instructions.run(product));
            }
        }
    }

    fn transform<'a, T: Tile, P: Product>(
        &self,
        context: &'a mut Context,
        input: &'a [f32],
    ) -> TransformInput<'a, T, P> {
        let Context { geometry, positions, workspace, .. } = context;
        TransformInput {
            geometry,
            positions: *positions,
            channels: self.inputs,
            input,
            transformed: cast_slice_mut(&mut workspace.transformed),
            tile: PhantomData,
        }
    }

    fn products<T: Tile, P: Product>(&self, context: &mut Context, run: impl Fn(Multiply<'_, P>)) {
        let Context { geometry, positions, workspace, .. } = context;
        let tiles = *positions * geometry.tiles(self.algorithm.tile);
        let bytes = size_of::<P::Number>();
        let together = size_of::<P::Factor>() / bytes;
        let input_stride = place_stride(tiles, self.inputs, bytes) / together;
        let output_stride = place_stride(tiles, self.outputs, size_of::<f32>());
        let factors = self.inputs / together;
        let panels = cast_slice::<f32, P::Weight>(&self.panels);
        let transformed = cast_slice::<f32, P::Factor>(&workspace.transformed);
        for place in 0..T::IN * T::IN {
            run(Multiply {
                factors,
                outputs: self.outputs,
                panels: &panels[place * factors * self.outputs..][..factors * self.outputs],
                rows: tiles,
                input: &transformed[place * input_stride..][..tiles * factors],
                start: Start::Every(factors),
                output: &mut workspace.products[place * output_stride..][..tiles * self.outputs],
                product: PhantomData,
            });
        }
    }

    /// From the products to the boards.
    fn finish(&self, context: &mut Context, output: &mut [f32], finish: Finish) {
        match self.algorithm.tile {
            TileSize::Two => self.finish_tiles::<Two>(context, output, finish),
            TileSize::Four => self.finish_tiles::<Four>(context, output, finish),
        }
    }

    fn finish_tiles<T: Tile>(&self, context: &mut Context, output: &mut [f32], finish: Finish) {
        let Context { instructions, geometry, positions, workspace } = context;
        instructions.run(TransformOutput::<T> {
            geometry,
            positions: *positions,
            channels: self.outputs,
            products: &workspace.products,
            scales: &self.scales,
            biases: &self.biases,
            output,
            finish,
            tile: PhantomData,
        });
    }
}

struct TransformInput<'a, T, P: Product> {
    geometry: &'a Geometry,
    positions: usize,
    channels: usize,
    input: &'a [f32],
    transformed: &'a mut [P::Number],
    tile: PhantomData<T>,
}

impl<T: Tile, P: Product> WithSimd for TransformInput<'_, T, P> {
    type Output = ();

    #[inline(always)]
    #[allow(clippy::needless_range_loop, reason = "with closures it would not be compiled for the instruction set")]
    fn with_simd<S: Simd>(self, simd: S) {
        let TransformInput { geometry, positions, channels, input, transformed, .. } = self;
        let vectors = channels / S::F32_LANES;
        let board = geometry.bordered() * vectors;
        let input = cast_slice::<f32, S::f32s>(&input[..positions * geometry.bordered() * channels]);
        let (tile_rows, tile_columns) = geometry.grid(T::OUT);
        let tiles = positions * tile_rows * tile_columns;
        let place_stride = place_stride(tiles, channels, size_of::<P::Number>());
        let stride = geometry.stride() * vectors;
        let zero = simd.splat_f32s(0.0);
        let mut tile = 0;
        for board in input.chunks_exact(board) {
            for tile_row in 0..tile_rows {
                for tile_column in 0..tile_columns {
                    let corner = (tile_row * T::OUT * geometry.stride() + tile_column * T::OUT) * vectors;
                    for vector in 0..vectors {
                        let mut half = [[zero; MOST]; MOST];
                        for x in 0..T::IN {
                            let at = corner + x * vectors + vector;
                            let mut column = [zero; MOST];
                            for y in 0..T::IN {
                                column[y] = board[at + y * stride];
                            }
                            let column = T::inputs(simd, column);
                            for y in 0..T::IN {
                                half[y][x] = column[y];
                            }
                        }
                        let first = tile * channels + vector * S::F32_LANES;
                        for y in 0..T::IN {
                            let row = T::inputs(simd, half[y]);
                            for x in 0..T::IN {
                                let at = (y * T::IN + x) * place_stride + first;
                                P::write(simd, row[x], &mut transformed[at..at + S::F32_LANES]);
                            }
                        }
                    }
                    tile += 1;
                }
            }
        }
    }
}

struct TransformOutput<'a, T> {
    geometry: &'a Geometry,
    positions: usize,
    channels: usize,
    products: &'a [f32],
    scales: &'a [f32],
    biases: &'a [f32],
    output: &'a mut [f32],
    finish: Finish<'a>,
    tile: PhantomData<T>,
}

impl<T: Tile> WithSimd for TransformOutput<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let TransformOutput { geometry, positions, channels, products, scales, biases, output, finish, .. } = self;
        let vectors = channels / S::F32_LANES;
        let output = cast_slice_mut::<f32, S::f32s>(&mut output[..positions * geometry.bordered() * channels]);
        let products = cast_slice::<f32, S::f32s>(products);
        let scales = cast_slice::<f32, S::f32s>(&scales[..channels]);
        let biases = cast_slice::<f32, S::f32s>(&biases[..channels]);
        let tiles = Tiles { geometry, vectors, products, scales, biases };
        let zero = simd.splat_f32s(0.0);
        match finish {
            Finish::Sum { sums } => {
                let sums = cast_slice_mut::<f32, S::f32s>(&mut sums[..positions * vectors * S::F32_LANES]);
                tiles.run::<T, S>(simd, output, |old, value, channel| {
                    sums[channel] = simd.add_f32s(sums[channel], value);
                    *old = value;
                });
            }
            Finish::Activate(Activation::Relu) => {
                tiles.run::<T, S>(simd, output, |old, value, _| *old = simd.max_f32s(value, zero));
            }
            Finish::Skip(Activation::Relu) => {
                tiles.run::<T, S>(simd, output, |old, value, _| {
                    *old = simd.max_f32s(simd.add_f32s(value, *old), zero);
                });
            }
            Finish::Activate(Activation::Mish) => {
                tiles.run::<T, S>(simd, output, |old, value, _| *old = mish::<S>(value));
            }
            Finish::Skip(Activation::Mish) => {
                tiles.run::<T, S>(simd, output, |old, value, _| *old = mish::<S>(simd.add_f32s(value, *old)));
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
    scales: &'a [V],
    biases: &'a [V],
}

impl<V: Copy> Tiles<'_, V> {
    /// Calls `finish` for each output with its place on the board, its value with the bias, and the number of its
    /// channel vector, counted over all positions.
    #[inline(always)]
    #[allow(clippy::needless_range_loop, reason = "with closures it would not be compiled for the instruction set")]
    fn run<T: Tile, S: Simd<f32s = V>>(&self, simd: S, output: &mut [V], mut finish: impl FnMut(&mut V, V, usize)) {
        let Tiles { geometry, vectors, products, scales, biases } = *self;
        let positions = output.len() / (geometry.bordered() * vectors);
        let (tile_rows, tile_columns) = geometry.grid(T::OUT);
        let tiles = positions * tile_rows * tile_columns;
        let place_stride = place_stride(tiles, vectors * S::F32_LANES, size_of::<f32>()) / S::F32_LANES;
        let zero = simd.splat_f32s(0.0);
        let mut tile = 0;
        for (position, board) in output.chunks_exact_mut(geometry.bordered() * vectors).enumerate() {
            for tile_row in 0..tile_rows {
                for tile_column in 0..tile_columns {
                    // Tiles may reach beyond the board, where zeros must stay.
                    let height = T::OUT.min(geometry.height - tile_row * T::OUT);
                    let width = T::OUT.min(geometry.width - tile_column * T::OUT);
                    let corner = geometry.cell(tile_row * T::OUT, tile_column * T::OUT);
                    for (vector, (&scale, &bias)) in scales.iter().zip(biases).enumerate() {
                        let mut half = [[zero; MOST]; MOST];
                        for x in 0..T::IN {
                            let mut column = [zero; MOST];
                            for y in 0..T::IN {
                                column[y] = products[(y * T::IN + x) * place_stride + tile * vectors + vector];
                            }
                            let column = T::outputs(simd, column);
                            for y in 0..T::OUT {
                                half[y][x] = column[y];
                            }
                        }
                        for (y, row) in half.into_iter().enumerate().take(height) {
                            let values = T::outputs(simd, row);
                            for (x, value) in values.into_iter().enumerate().take(width) {
                                let cell = corner + y * geometry.stride() + x;
                                let value = simd.mul_add_e_f32s(value, scale, bias);
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
