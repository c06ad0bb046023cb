//! Matrix products with weights that were packed beforehand.
//!
//! The `gemm` crate packs both factors again in every call and takes about twice as long for products as small as these
//! (docs/decisions/0003-own-cpu-engine.md); weights never change, so they are packed once.

use std::marker::PhantomData;

use bytemuck::cast_slice;
use pulp::{Simd, WithSimd};

use super::aligned::Aligned;
use super::instructions::Instructions;
use super::product::{Product, Single};

/// Vectors side by side in a panel.
const VECTORS: usize = 2;

/// Columns of a panel.
pub(super) fn panel_width(lanes: usize) -> usize {
    VECTORS * lanes
}

/// Weights `[input][output]`, packed as panels of a few outputs each: `[panel][input][output in the panel]`. Outputs are
/// padded with zeros to whole panels.
pub(super) struct Matrix {
    inputs: usize,
    outputs: usize,
    panels: Aligned,
}

impl Matrix {
    /// Packs `inputs` x `outputs` weights that `at(input, output)` gives.
    pub fn pack(inputs: usize, outputs: usize, lanes: usize, at: impl Fn(usize, usize) -> f32) -> Matrix {
        let width = panel_width(lanes);
        let padded = outputs.next_multiple_of(width);
        let mut panels = Aligned::zeros(inputs * padded);
        for output in 0..outputs {
            let (panel, column) = (output / width, output % width);
            for input in 0..inputs {
                panels[(panel * inputs + input) * width + column] = at(input, output);
            }
        }
        Matrix { inputs, outputs: padded, panels }
    }

    /// Outputs, padding included.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Multiplies `rows` rows: row `r` of the input starts at `start(r)`, row `r` of the output at `r * outputs`.
    pub fn multiply(
        &self,
        instructions: Instructions,
        rows: usize,
        input: &[f32],
        start: impl Fn(usize) -> usize,
        output: &mut [f32],
    ) {
        instructions.run(Multiply::<Single> {
            factors: self.inputs,
            outputs: self.outputs,
            panels: &self.panels[..self.inputs * self.outputs],
            rows,
            input,
            start: Start::Of(&start),
            output,
            product: PhantomData,
        });
    }
}

/// Where rows of factors start.
#[derive(Clone, Copy)]
pub(super) enum Start<'a> {
    /// This many factors apart.
    Every(usize),
    /// Where a function says.
    Of(&'a dyn Fn(usize) -> usize),
}

impl Start<'_> {
    #[inline(always)]
    fn of(self, row: usize) -> usize {
        match self {
            Start::Every(stride) => row * stride,
            Start::Of(start) => start(row),
        }
    }
}

/// A product of rows with packed panels.
pub(super) struct Multiply<'a, P: Product> {
    /// Factors in a row.
    pub factors: usize,
    pub outputs: usize,
    /// For each panel and factor the weights of its outputs.
    pub panels: &'a [P::Weight],
    pub rows: usize,
    pub input: &'a [P::Factor],
    /// Where rows of the input start.
    pub start: Start<'a>,
    pub output: &'a mut [f32],
    pub product: PhantomData<P>,
}

impl<P: Product> WithSimd for Multiply<'_, P> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Multiply { factors, outputs, panels, rows, input, start, output, .. } = self;
        let width = panel_width(S::F32_LANES);
        // As many accumulators as fit beside the operands.
        let most = if S::REGISTER_COUNT >= 32 { 12 } else { 6 };
        let blocks = rows.div_ceil(most).max(1);
        for (number, panel) in panels.chunks_exact(factors * width).enumerate() {
            let mut first = 0;
            for block in 0..blocks {
                // Blocks of nearly equal height: a last block of one row would waste most of the machine.
                let end = rows * (block + 1) / blocks;
                let mut product = Block::<P> {
                    panel,
                    input,
                    start,
                    output: &mut *output,
                    stride: outputs,
                    column: number * width,
                    first,
                    prefetch_next: blocks > 1 && block + 1 == blocks,
                };
                match end - first {
                    0 => {}
                    1 => product.run::<S, 1>(simd),
                    2 => product.run::<S, 2>(simd),
                    3 => product.run::<S, 3>(simd),
                    4 => product.run::<S, 4>(simd),
                    5 => product.run::<S, 5>(simd),
                    6 => product.run::<S, 6>(simd),
                    7 => product.run::<S, 7>(simd),
                    8 => product.run::<S, 8>(simd),
                    9 => product.run::<S, 9>(simd),
                    10 => product.run::<S, 10>(simd),
                    11 => product.run::<S, 11>(simd),
                    _ => product.run::<S, 12>(simd),
                }
                first = end;
            }
        }
    }
}

/// Some rows of one panel: what stays in registers.
struct Block<'a, P: Product> {
    panel: &'a [P::Weight],
    input: &'a [P::Factor],
    start: Start<'a>,
    output: &'a mut [f32],
    stride: usize,
    column: usize,
    first: usize,
    /// Whether to prefetch the next panel meanwhile. Only the last of several blocks does: the first has to wait for
    /// its own panel, and for a single one the processor's own prefetching is better.
    prefetch_next: bool,
}

impl<P: Product> Block<'_, P> {
    #[inline(always)]
    fn run<S: Simd, const ROWS: usize>(&mut self, simd: S) {
        let width = panel_width(S::F32_LANES);
        let factors = self.panel.len() / width;
        let mut rows: [&[P::Factor]; ROWS] = [&[]; ROWS];
        for (r, row) in rows.iter_mut().enumerate() {
            *row = &self.input[self.start.of(self.first + r)..][..factors];
        }
        let mut sums = [[simd.splat_f32s(0.0); VECTORS]; ROWS];
        let next = self.panel.as_ptr_range().end;
        for (i, weights) in self.panel.chunks_exact(width).enumerate() {
            if self.prefetch_next {
                let row = next.wrapping_add(i * width).cast::<u8>();
                for line in 0..(width * size_of::<P::Weight>()).div_ceil(CACHE_LINE) {
                    prefetch(row.wrapping_add(line * CACHE_LINE));
                }
            }
            let (left, right) = weights.split_at(S::F32_LANES);
            let (left, right) = (P::weights(simd, left), P::weights(simd, right));
            for (sums, row) in sums.iter_mut().zip(rows) {
                let factor = P::factor(simd, row[i]);
                sums[0] = P::multiply_add(simd, factor, left, sums[0]);
                sums[1] = P::multiply_add(simd, factor, right, sums[1]);
            }
        }
        for (r, sums) in sums.iter().enumerate() {
            let at = (self.first + r) * self.stride + self.column;
            let row = &mut self.output[at..][..width];
            row.copy_from_slice(cast_slice::<S::f32s, f32>(sums));
        }
    }
}

const CACHE_LINE: usize = 64;

/// Prefetches memory that will be needed soon, where the processor can.
#[inline(always)]
fn prefetch(place: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is only a hint. It changes nothing that a program can see and faults at no address, so it may
    // point past the last panel.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(place.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
