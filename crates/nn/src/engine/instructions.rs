//! The instruction sets that the engine can use, chosen when the program runs.

use pulp::{Simd, WithSimd};

/// An instruction set that this machine has.
#[derive(Clone, Copy, Debug)]
pub struct Instructions(Kind);

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// What every machine of this kind has.
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2(pulp::x86::V3),
    #[cfg(target_arch = "x86_64")]
    Avx512(pulp::x86::V4),
    #[cfg(target_arch = "aarch64")]
    Neon(pulp::aarch64::Neon),
}

impl Instructions {
    /// All that this machine has, the plainest first.
    pub fn available() -> Vec<Instructions> {
        #[allow(unused_mut)]
        let mut kinds = vec![Kind::Plain];
        #[cfg(target_arch = "x86_64")]
        {
            kinds.extend(pulp::x86::V3::try_new().map(Kind::Avx2));
            kinds.extend(pulp::x86::V4::try_new().map(Kind::Avx512));
        }
        #[cfg(target_arch = "aarch64")]
        kinds.extend(pulp::aarch64::Neon::try_new().map(Kind::Neon));
        kinds.into_iter().map(Instructions).collect()
    }

    /// The fastest that this machine has.
    pub fn best() -> Instructions {
        Instructions::available().pop().unwrap_or(Instructions(Kind::Plain))
    }

    /// Its name, for people.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Plain => "plain",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2(_) => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(_) => "AVX-512",
            #[cfg(target_arch = "aarch64")]
            Kind::Neon(_) => "NEON",
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
            Kind::Avx2(simd) => Simd::vectorize(simd, operation),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(simd) => Simd::vectorize(simd, operation),
            #[cfg(target_arch = "aarch64")]
            Kind::Neon(simd) => Simd::vectorize(simd, operation),
        }
    }
}
