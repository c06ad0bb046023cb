//! The instruction sets that the engine can use, chosen when the program runs.

use pulp::{Simd, WithSimd};

use super::product::Numbers;

/// An instruction set that this machine has.
#[derive(Clone, Copy, Debug)]
pub struct Instructions(Kind);

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// What every machine of this kind has.
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2 {
        simd: pulp::x86::V3,
        /// Whether it converts 16-bit numbers.
        f16c: bool,
    },
    #[cfg(target_arch = "x86_64")]
    Avx512 {
        simd: pulp::x86::V4,
        /// Whether it multiplies bf16 numbers.
        bf16: bool,
    },
    #[cfg(target_arch = "aarch64")]
    Neon(pulp::aarch64::Neon),
}

/// The names by which people can ask for instructions, the plainest first.
pub const INSTRUCTION_NAMES: &[&str] = &["plain", "avx2", "avx512", "neon"];

impl Instructions {
    /// All that this machine has, the plainest first.
    pub fn available() -> Vec<Instructions> {
        #[allow(unused_mut)]
        let mut kinds = vec![Kind::Plain];
        #[cfg(target_arch = "x86_64")]
        {
            let f16c = std::arch::is_x86_feature_detected!("f16c");
            let bf16 = std::arch::is_x86_feature_detected!("avx512bf16");
            kinds.extend(pulp::x86::V3::try_new().map(|simd| Kind::Avx2 { simd, f16c }));
            // Every processor with AVX-512 has F16C; the kernels rely on it.
            kinds.extend(pulp::x86::V4::try_new().filter(|_| f16c).map(|simd| Kind::Avx512 { simd, bf16 }));
        }
        #[cfg(target_arch = "aarch64")]
        kinds.extend(pulp::aarch64::Neon::try_new().map(Kind::Neon));
        kinds.into_iter().map(Instructions).collect()
    }

    /// The fastest that this machine has.
    pub fn best() -> Instructions {
        Instructions::available().pop().unwrap_or(Instructions(Kind::Plain))
    }

    /// Those with one of [`INSTRUCTION_NAMES`], if this machine has them.
    pub fn named(name: &str) -> Option<Instructions> {
        Instructions::available().into_iter().find(|instructions| instructions.key() == name)
    }

    /// Its name, for people.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Plain => "plain",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 { .. } => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 { bf16: false, .. } => "AVX-512",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 { bf16: true, .. } => "AVX-512 with BF16",
            #[cfg(target_arch = "aarch64")]
            Kind::Neon(_) => "NEON",
        }
    }

    /// Its name among [`INSTRUCTION_NAMES`].
    pub fn key(self) -> &'static str {
        match self.0 {
            Kind::Plain => "plain",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 { .. } => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 { .. } => "avx512",
            #[cfg(target_arch = "aarch64")]
            Kind::Neon(_) => "neon",
        }
    }

    /// Whether there are instructions for these numbers, so that they can be faster than others.
    pub(super) fn are_for(self, numbers: Numbers) -> bool {
        match (self.0, numbers) {
            (_, Numbers::Single) => true,
            #[cfg(target_arch = "x86_64")]
            (Kind::Avx2 { f16c, .. }, Numbers::Half) => f16c,
            #[cfg(target_arch = "x86_64")]
            (Kind::Avx512 { .. }, Numbers::Half) => true,
            #[cfg(target_arch = "x86_64")]
            (Kind::Avx512 { bf16, .. }, Numbers::Brain) => bf16,
            _ => false,
        }
    }

    /// Whether numbers can be computed with, if only by other instructions.
    pub(super) fn allow(self, numbers: Numbers) -> bool {
        match (self.0, numbers) {
            // The kernel for eight lanes is that of F16C.
            #[cfg(target_arch = "x86_64")]
            (Kind::Avx2 { f16c, .. }, Numbers::Half) => f16c,
            _ => true,
        }
    }

    /// Floats in a vector.
    pub(super) fn lanes(self) -> usize {
        struct Lanes;
        impl WithSimd for Lanes {
            type Output = usize;
            #[inline(always)]
            fn with_simd<S: Simd>(self, _: S) -> usize {
                S::F32_LANES
            }
        }
        self.run(Lanes)
    }

    /// Runs `operation` compiled for these instructions.
    #[inline]
    pub(super) fn run<O: WithSimd>(self, operation: O) -> O::Output {
        match self.0 {
            Kind::Plain => operation.with_simd(pulp::Scalar128b),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 { simd, .. } => Simd::vectorize(simd, operation),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 { simd, .. } => Simd::vectorize(simd, operation),
            #[cfg(target_arch = "aarch64")]
            Kind::Neon(simd) => Simd::vectorize(simd, operation),
        }
    }

    /// Runs an operation that reads 16-bit numbers. They must be [allowed](Instructions::allow).
    #[inline]
    pub(super) fn run_half<O: WithSimd>(self, operation: O) -> O::Output {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 { simd, f16c } => {
                assert!(f16c, "numbers that these instructions do not allow");
                // SAFETY: V3 exists only where its features are, and F16C has just been checked.
                unsafe { with_f16c(simd, operation) }
            }
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 { simd, .. } => Simd::vectorize(simd, operation),
            _ => self.run(operation),
        }
    }

    /// Runs an operation that uses the processor's instructions for bf16 numbers, which it must have.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub(super) fn run_brain<O: WithSimd>(self, operation: O) -> O::Output {
        let Kind::Avx512 { simd, bf16: true } = self.0 else { unreachable!("a processor without bf16 products") };
        // SAFETY: V4 exists only where its features are, and the processor has avx512bf16.
        unsafe { with_bf16(simd, operation) }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
fn with_f16c<O: WithSimd>(simd: pulp::x86::V3, operation: O) -> O::Output {
    operation.with_simd(simd)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512bf16")]
fn with_bf16<O: WithSimd>(simd: pulp::x86::V4, operation: O) -> O::Output {
    operation.with_simd(simd)
}
