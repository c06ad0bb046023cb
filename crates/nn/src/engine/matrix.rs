//! Matrix products with weights that were packed beforehand.
//!
//! The `gemm` crate packs both factors again in every call and takes about twice as long for products as small as these
//! (docs/decisions/0003-own-cpu-engine.md); weights never change, so they are packed once.

use bytemuck::{cast_slice, cast_slice_mut};
use pulp::{Simd, WithSimd};

use super::aligned::Aligned;
use super::instructions::Instructions;

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
        instructions.run(Multiply {
            inputs: self.inputs,
            outputs: self.outputs,
            panels: &self.panels,
            rows,
            input,
            start,
            output,
        });
    }
}

/// A product of rows with packed panels.
pub(super) struct Multiply<'a, F> {
    pub inputs: usize,
    pub outputs: usize,
    pub panels: &'a [f32],
    pub rows: usize,
    pub input: &'a [f32],
    pub start: F,
    pub output: &'a mut [f32],
}

impl<F: Fn(usize) -> usize> WithSimd for Multiply<'_, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Multiply { inputs, outputs, panels, rows, input, start, output } = self;
        let width = panel_width(S::F32_LANES);
        // As many accumulators as fit beside the operands.
        let most = if S::REGISTER_COUNT >= 32 { 12 } else { 6 };
        let blocks = rows.div_ceil(most).max(1);
        let panels = cast_slice::<f32, S::f32s>(&panels[..inputs * outputs]);
        for (number, panel) in panels.chunks_exact(inputs * VECTORS).enumerate() {
            let mut first = 0;
            for block in 0..blocks {
                // Blocks of nearly equal height: a last block of one row would waste most of the machine.
                let end = rows * (block + 1) / blocks;
                let mut product = Block {
                    panel,
                    input,
                    start: &start,
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
struct Block<'a, V, F> {
    panel: &'a [V],
    input: &'a [f32],
    start: &'a F,
    output: &'a mut [f32],
    stride: usize,
    column: usize,
    first: usize,
    /// Whether to prefetch the next panel meanwhile. Only the last of several blocks does: the first has to wait for
    /// its own panel, and for a single one the processor's own prefetching is better.
    prefetch_next: bool,
}

impl<V: bytemuck::Pod, F: Fn(usize) -> usize> Block<'_, V, F> {
    #[inline(always)]
    fn run<S: Simd<f32s = V>, const ROWS: usize>(&mut self, simd: S) {
        let inputs = self.panel.len() / VECTORS;
        let rows: [&[f32]; ROWS] = std::array::from_fn(|r| &self.input[(self.start)(self.first + r)..][..inputs]);
        let mut sums = [[simd.splat_f32s(0.0); VECTORS]; ROWS];
        let next = self.panel.as_ptr_range().end;
        for (i, weights) in self.panel.chunks_exact(VECTORS).enumerate() {
            if self.prefetch_next {
                let row = next.wrapping_add(i * VECTORS).cast::<u8>();
                for line in 0..(VECTORS * size_of::<V>()).div_ceil(CACHE_LINE) {
                    prefetch(row.wrapping_add(line * CACHE_LINE));
                }
            }
            let [left, right] = [weights[0], weights[1]];
            for (sums, row) in sums.iter_mut().zip(rows) {
                let factor = simd.splat_f32s(row[i]);
                sums[0] = simd.mul_add_e_f32s(factor, left, sums[0]);
                sums[1] = simd.mul_add_e_f32s(factor, right, sums[1]);
            }
        }
        for (r, sums) in sums.iter().enumerate() {
            let at = (self.first + r) * self.stride + self.column;
            let row = cast_slice_mut::<f32, V>(&mut self.output[at..][..panel_width(S::F32_LANES)]);
            row[0] = sums[0];
            row[1] = sums[1];
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
