//! The first convolution, which sees planes instead of channels.
//!
//! Most planes of a board game are either the same everywhere or nearly empty. A constant plane adds a pattern known
//! beforehand, and a lone piece adds its kernel to the cells around it: far less work than a convolution of everything.

use bytemuck::{cast_slice, cast_slice_mut};
use pulp::{Simd, WithSimd};

use super::aligned::Aligned;
use super::instructions::Instructions;
use super::winograd::{Geometry, mish};
use crate::architecture::Activation;
use crate::network::Convolution;

pub(super) struct Stem {
    channels: usize,
    /// `[plane][row][column][channel]`
    kernels: Aligned,
    /// What a plane of ones adds: `[plane][cell][channel]`
    patterns: Aligned,
    biases: Aligned,
    /// For each cell its place on the bordered board and the places that its kernel reaches.
    reach: Vec<(u32, [Option<u32>; 9])>,
}

impl Stem {
    /// `channels` is the number of outputs with padding.
    pub fn new(layer: &Convolution, planes: usize, geometry: &Geometry, channels: usize) -> Stem {
        let cells = geometry.height * geometry.width;
        let mut kernels = Aligned::zeros(planes * 9 * channels);
        let mut patterns = Aligned::zeros(planes * cells * channels);
        for (output, planes_of_output) in layer.weights.chunks_exact(planes * 9).enumerate() {
            for (plane, kernel) in planes_of_output.chunks_exact(9).enumerate() {
                for (tap, weight) in kernel.iter().enumerate() {
                    kernels[(plane * 9 + tap) * channels + output] = *weight;
                }
                for cell in 0..cells {
                    let reached = taps(geometry, cell).filter_map(|(tap, place)| place.map(|_| kernel[tap]));
                    patterns[(plane * cells + cell) * channels + output] = reached.sum();
                }
            }
        }
        let mut biases = Aligned::zeros(channels);
        biases[..layer.biases.len()].copy_from_slice(&layer.biases);
        let place = |cell: usize| geometry.cell(cell / geometry.width, cell % geometry.width) as u32;
        let reach = |cell| {
            let mut places = [None; 9];
            taps(geometry, cell).for_each(|(tap, reached)| places[tap] = reached.map(place));
            (place(cell), places)
        };
        Stem { channels, kernels, patterns, biases, reach: (0..cells).map(reach).collect() }
    }

    /// From the planes of a position to its bordered board.
    pub fn run(
        &self,
        instructions: Instructions,
        geometry: &Geometry,
        activation: Activation,
        planes: &[f32],
        board: &mut [f32],
    ) {
        instructions.run(Run { stem: self, geometry, activation, planes, board });
    }
}

/// The nine taps of a kernel centred on `cell`: each with the cell that it reaches, if that is on the board.
fn taps(geometry: &Geometry, cell: usize) -> impl Iterator<Item = (usize, Option<usize>)> {
    let Geometry { height, width, .. } = *geometry;
    let (row, column) = (cell / width, cell % width);
    (0..9).map(move |tap| {
        let (y, x) = (row + tap / 3, column + tap % 3); // one more than the cell's
        let on_board = (1..=height).contains(&y) && (1..=width).contains(&x);
        (tap, on_board.then(|| (y - 1) * width + x - 1))
    })
}

struct Run<'a> {
    stem: &'a Stem,
    geometry: &'a Geometry,
    activation: Activation,
    planes: &'a [f32],
    board: &'a mut [f32],
}

impl WithSimd for Run<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Run { stem, geometry, activation, planes, board } = self;
        let vectors = stem.channels / S::F32_LANES;
        let cells = geometry.height * geometry.width;
        let board = cast_slice_mut::<f32, S::f32s>(&mut board[..geometry.bordered() * stem.channels]);
        let kernels = cast_slice::<f32, S::f32s>(&stem.kernels);
        let patterns = cast_slice::<f32, S::f32s>(&stem.patterns);
        let biases = &cast_slice::<f32, S::f32s>(&stem.biases)[..vectors];

        for (place, _) in &stem.reach {
            board[*place as usize * vectors..][..vectors].copy_from_slice(biases);
        }
        for (plane, values) in planes.chunks_exact(cells).enumerate() {
            if values.iter().all(|value| *value == values[0]) {
                if values[0] != 0.0 {
                    let factor = simd.splat_f32s(values[0]);
                    let pattern = &patterns[plane * cells * vectors..][..cells * vectors];
                    for (pattern, (place, _)) in pattern.chunks_exact(vectors).zip(&stem.reach) {
                        add(simd, factor, pattern, &mut board[*place as usize * vectors..][..vectors]);
                    }
                }
                continue;
            }
            let kernels = &kernels[plane * 9 * vectors..][..9 * vectors];
            for (value, (_, places)) in values.iter().zip(&stem.reach) {
                if *value == 0.0 {
                    continue;
                }
                let factor = simd.splat_f32s(*value);
                for (tap, place) in places.iter().enumerate() {
                    // The cell that a tap reaches from here sees this one through the opposite tap.
                    if let Some(place) = place {
                        let kernel = &kernels[(8 - tap) * vectors..][..vectors];
                        add(simd, factor, kernel, &mut board[*place as usize * vectors..][..vectors]);
                    }
                }
            }
        }
        for (place, _) in &stem.reach {
            for value in &mut board[*place as usize * vectors..][..vectors] {
                *value = match activation {
                    Activation::Relu => simd.max_f32s(*value, simd.splat_f32s(0.0)),
                    Activation::Mish => mish::<S>(*value),
                };
            }
        }
    }
}

/// target += factor * source
#[inline(always)]
fn add<S: Simd>(simd: S, factor: S::f32s, source: &[S::f32s], target: &mut [S::f32s]) {
    for (target, source) in target.iter_mut().zip(source) {
        *target = simd.mul_add_e_f32s(factor, *source, *target);
    }
}
