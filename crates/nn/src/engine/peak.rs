//! What this machine can do at best, to compare with.

use std::hint::black_box;
use std::marker::PhantomData;
use std::time::Instant;

use bytemuck::cast_slice;

use super::Algorithm;
use super::aligned::Aligned;
use super::instructions::Instructions;
use super::matrix::{Multiply, Start, panel_width};
use super::product::{Numbers, Product, Single};
use crate::architecture::Architecture;

/// Measured speeds of one thread.
#[derive(Clone, Copy, Debug)]
pub struct Peak {
    /// Multiplications and additions per second in products of 32-bit numbers that stay in the first-level cache.
    pub single: f64,
    /// The same for bf16 numbers, where the processor has instructions for them.
    pub brain: Option<f64>,
    /// Bytes per second that are read from memory in order.
    pub memory: f64,
}

/// Measurements of each, of which the fastest counts.
const ROUNDS: usize = 5;

/// More than fits into any cache.
const MEMORY_BYTES: usize = 256 << 20;

impl Peak {
    /// Takes about a tenth of a second.
    pub fn measure(instructions: Instructions) -> Peak {
        let single = products::<Single>(instructions, |product| instructions.run(product));
        #[cfg(target_arch = "x86_64")]
        let brain = instructions
            .are_for(Numbers::Brain)
            .then(|| products::<super::product::NativeBrain>(instructions, |product| instructions.run_brain(product)));
        #[cfg(not(target_arch = "x86_64"))]
        let brain = None;
        Peak { single, brain, memory: memory() }
    }

    /// The least time that the products of a tower need for a position.
    pub fn seconds(&self, architecture: &Architecture, algorithm: Algorithm) -> f64 {
        let speed = if algorithm.numbers == Numbers::Brain { self.brain.unwrap_or(self.single) } else { self.single };
        algorithm.flops(architecture) as f64 / speed
    }
}

/// Multiplications and additions per second in a product that is small enough for the first-level cache.
fn products<P: Product>(instructions: Instructions, run: impl Fn(Multiply<'_, P>)) -> f64 {
    const ROWS: usize = 12;
    const INPUTS: usize = 128;
    const REPETITIONS: usize = 2_000;
    let outputs = panel_width(instructions.lanes());
    let together = size_of::<P::Factor>() / size_of::<P::Number>();
    let (panels, input) = (Aligned::zeros(INPUTS * outputs), Aligned::zeros(ROWS * INPUTS));
    let mut output = Aligned::zeros(ROWS * outputs);
    let factors = INPUTS / together;
    let mut pass = || {
        let began = Instant::now();
        for _ in 0..REPETITIONS {
            run(Multiply::<P> {
                factors,
                outputs,
                panels: &cast_slice(&panels)[..factors * outputs],
                rows: ROWS,
                input: &cast_slice(&input)[..ROWS * factors],
                start: Start::Every(factors),
                output: black_box(&mut output),
                product: PhantomData,
            });
        }
        began.elapsed().as_secs_f64()
    };
    let fastest = (0..ROUNDS).map(|_| pass()).fold(f64::INFINITY, f64::min);
    (2 * ROWS * INPUTS * outputs * REPETITIONS) as f64 / fastest
}

/// Bytes per second of reading memory once.
fn memory() -> f64 {
    let numbers = vec![1u64; MEMORY_BYTES / size_of::<u64>()];
    let pass = || {
        let began = Instant::now();
        black_box(numbers.iter().fold(0u64, |sum, number| sum.wrapping_add(*number)));
        began.elapsed().as_secs_f64()
    };
    let fastest = (0..ROUNDS).map(|_| pass()).fold(f64::INFINITY, f64::min);
    MEMORY_BYTES as f64 / fastest
}
