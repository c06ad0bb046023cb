//! How the numbers of a tower's products are stored and multiplied.

use bytemuck::{Pod, bytes_of, cast_slice, pod_read_unaligned};
use pulp::Simd;
use serde::{Deserialize, Serialize};

/// What the products of a tower are made of. Sums are always of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Numbers {
    /// 32-bit numbers.
    Single,
    /// Weights of 16 bits with 11 significant ones (IEEE half precision), widened before they are multiplied: half the
    /// memory traffic.
    Half,
    /// Weights and inputs of 16 bits with 8 significant ones (bf16), multiplied in pairs.
    Brain,
}

impl Numbers {
    /// Its name, for people.
    pub fn name(self) -> &'static str {
        match self {
            Numbers::Single => "32-bit",
            Numbers::Half => "fp16 weights",
            Numbers::Brain => "bf16",
        }
    }

    /// Bytes of a weight.
    pub(super) fn bytes(self) -> usize {
        match self {
            Numbers::Single => 4,
            Numbers::Half | Numbers::Brain => 2,
        }
    }
}

/// Products of weights with factors of rows.
pub(super) trait Product {
    /// What a row is written as.
    type Number: Pod;
    /// What a row is read as: one or two numbers.
    type Factor: Pod;
    /// As many weights as a factor has numbers, for one output.
    type Weight: Pod;

    /// Writes as many numbers as a vector has.
    fn write<S: Simd>(simd: S, value: S::f32s, target: &mut [Self::Number]);

    /// A factor in all lanes.
    fn factor<S: Simd>(simd: S, factor: Self::Factor) -> S::f32s;

    /// Reads as many weights as a vector has lanes.
    fn weights<S: Simd>(simd: S, weights: &[Self::Weight]) -> S::f32s;

    /// sum + factor * weights
    fn multiply_add<S: Simd>(simd: S, factor: S::f32s, weights: S::f32s, sum: S::f32s) -> S::f32s;
}

/// [`Numbers::Single`]
pub(super) struct Single;

impl Product for Single {
    type Number = f32;
    type Factor = f32;
    type Weight = f32;

    #[inline(always)]
    fn write<S: Simd>(_: S, value: S::f32s, target: &mut [f32]) {
        write_vector(value, target);
    }

    #[inline(always)]
    fn factor<S: Simd>(simd: S, factor: f32) -> S::f32s {
        simd.splat_f32s(factor)
    }

    #[inline(always)]
    fn weights<S: Simd>(_: S, weights: &[f32]) -> S::f32s {
        pod_read_unaligned(cast_slice(weights))
    }

    #[inline(always)]
    fn multiply_add<S: Simd>(simd: S, factor: S::f32s, weights: S::f32s, sum: S::f32s) -> S::f32s {
        simd.mul_add_e_f32s(factor, weights, sum)
    }
}

/// [`Numbers::Half`], to be run by [`run_half`](super::instructions::Instructions::run_half).
pub(super) struct Half;

impl Product for Half {
    type Number = f32;
    type Factor = f32;
    type Weight = u16;

    #[inline(always)]
    fn write<S: Simd>(_: S, value: S::f32s, target: &mut [f32]) {
        write_vector(value, target);
    }

    #[inline(always)]
    fn factor<S: Simd>(simd: S, factor: f32) -> S::f32s {
        simd.splat_f32s(factor)
    }

    #[inline(always)]
    fn weights<S: Simd>(simd: S, weights: &[u16]) -> S::f32s {
        let _ = simd;
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_mm256_cvtph_ps, _mm512_cvtph_ps};
            let bytes = cast_slice::<u16, u8>(weights);
            if S::F32_LANES == 16 {
                // SAFETY: 16 lanes are AVX-512, which includes this instruction.
                return reinterpret(unsafe { _mm512_cvtph_ps(pod_read_unaligned(bytes)) });
            }
            if S::F32_LANES == 8 {
                // SAFETY: `run_half` has checked that the processor has F16C.
                return reinterpret(unsafe { _mm256_cvtph_ps(pod_read_unaligned(bytes)) });
            }
        }
        let mut wide = simd.splat_f32s(0.0);
        for (wide, narrow) in bytemuck::cast_slice_mut(std::slice::from_mut(&mut wide)).iter_mut().zip(weights) {
            *wide = from_half(*narrow);
        }
        wide
    }

    #[inline(always)]
    fn multiply_add<S: Simd>(simd: S, factor: S::f32s, weights: S::f32s, sum: S::f32s) -> S::f32s {
        simd.mul_add_e_f32s(factor, weights, sum)
    }
}

/// [`Numbers::Brain`] by instructions for 32-bit numbers. A product of two bf16 numbers is exact in 32 bits, so only the
/// order of the two sums matters, which is that of the processor's own instruction.
pub(super) struct Brain;

impl Product for Brain {
    type Number = u16;
    type Factor = u32;
    type Weight = u32;

    #[inline(always)]
    fn write<S: Simd>(_: S, value: S::f32s, target: &mut [u16]) {
        for (target, value) in target.iter_mut().zip(cast_slice::<S::f32s, f32>(std::slice::from_ref(&value))) {
            *target = to_brain(*value);
        }
    }

    #[inline(always)]
    fn factor<S: Simd>(simd: S, factor: u32) -> S::f32s {
        simd.splat_f32s(f32::from_bits(factor))
    }

    #[inline(always)]
    fn weights<S: Simd>(_: S, weights: &[u32]) -> S::f32s {
        pod_read_unaligned(cast_slice(weights))
    }

    #[inline(always)]
    fn multiply_add<S: Simd>(simd: S, factor: S::f32s, weights: S::f32s, sum: S::f32s) -> S::f32s {
        let (factor, weights) = (simd.transmute_u32s_f32s(factor), simd.transmute_u32s_f32s(weights));
        let upper = |pair| simd.transmute_f32s_u32s(simd.and_u32s(pair, simd.splat_u32s(0xffff_0000)));
        let sixteen = simd.splat_u32s(16);
        let lower = |pair| simd.transmute_f32s_u32s(simd.wrapping_dyn_shl_u32s(pair, sixteen));
        let sum = simd.mul_add_e_f32s(upper(factor), upper(weights), sum);
        simd.mul_add_e_f32s(lower(factor), lower(weights), sum)
    }
}

/// [`Numbers::Brain`] by the processor's own instruction, to be run by
/// [`run_brain`](super::instructions::Instructions::run_brain).
#[cfg(target_arch = "x86_64")]
pub(super) struct NativeBrain;

#[cfg(target_arch = "x86_64")]
impl Product for NativeBrain {
    type Number = u16;
    type Factor = u32;
    type Weight = u32;

    #[inline(always)]
    fn write<S: Simd>(_: S, value: S::f32s, target: &mut [u16]) {
        use std::arch::x86_64::{__m256bh, _mm512_cvtneps_pbh};
        // SAFETY: `run_brain` runs this only where the processor has avx512bf16.
        let narrow = unsafe { _mm512_cvtneps_pbh(reinterpret(value)) };
        target[..16].copy_from_slice(&reinterpret::<__m256bh, [u16; 16]>(narrow));
    }

    #[inline(always)]
    fn factor<S: Simd>(simd: S, factor: u32) -> S::f32s {
        simd.splat_f32s(f32::from_bits(factor))
    }

    #[inline(always)]
    fn weights<S: Simd>(_: S, weights: &[u32]) -> S::f32s {
        pod_read_unaligned(cast_slice(weights))
    }

    #[inline(always)]
    fn multiply_add<S: Simd>(_: S, factor: S::f32s, weights: S::f32s, sum: S::f32s) -> S::f32s {
        use std::arch::x86_64::_mm512_dpbf16_ps;
        // SAFETY: `run_brain` runs this only where the processor has avx512bf16.
        reinterpret(unsafe { _mm512_dpbf16_ps(reinterpret(sum), reinterpret(factor), reinterpret(weights)) })
    }
}

/// The same bits as another type of vector.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn reinterpret<A: Copy, B: Copy>(vector: A) -> B {
    // Decided when this is compiled: of other sizes it would only be compiled, never run.
    assert!(size_of::<A>() == size_of::<B>());
    // SAFETY: both are vectors or arrays of numbers of the same size, for which all bits are valid.
    unsafe { std::mem::transmute_copy(&vector) }
}

#[inline(always)]
fn write_vector<V: Pod>(value: V, target: &mut [f32]) {
    bytemuck::cast_slice_mut::<f32, u8>(target)[..size_of::<V>()].copy_from_slice(bytes_of(&value));
}

/// The nearest bf16 number, to even between two.
pub(super) fn to_brain(value: f32) -> u16 {
    let bits = value.to_bits();
    if value.is_nan() {
        return (bits >> 16) as u16 | 0x40;
    }
    ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16) as u16
}

/// The nearest half, to even between two; infinite beyond the largest.
pub(super) fn to_half(value: f32) -> u16 {
    let sign = ((value.to_bits() >> 16) & 0x8000) as u16;
    let magnitude = value.abs();
    if magnitude.is_nan() {
        return sign | 0x7e00;
    }
    if magnitude < SMALLEST_NORMAL {
        // Multiples of 2^-24. Adding 2^23 of them rounds to whole ones, to even between two.
        let steps = magnitude * 16_777_216.0 + 8_388_608.0 - 8_388_608.0;
        return sign | steps as u16;
    }
    let bits = magnitude.to_bits();
    // From 23 to 10 bits after the point, and from an exponent that begins at -127 to one at -15.
    let rounded = (bits + 0xfff + ((bits >> 13) & 1)) >> 13;
    sign | (rounded - (112 << 10)).min(0x7c00) as u16
}

/// The smallest half of full precision, 2^-14.
const SMALLEST_NORMAL: f32 = 6.103_515_6e-5;

/// A half as a 32-bit number.
fn from_half(half: u16) -> f32 {
    let (exponent, fraction) = (half >> 10 & 31, u32::from(half & 0x3ff));
    let magnitude = match exponent {
        0 => fraction as f32 / 16_777_216.0,
        31 => f32::from_bits(0x7f80_0000 | fraction << 13),
        _ => f32::from_bits((u32::from(exponent) + 112) << 23 | fraction << 13),
    };
    if half & 0x8000 == 0 { magnitude } else { -magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_survives_the_way_there_and_back() {
        for half in 0..=u16::MAX {
            let wide = from_half(half);
            if wide.is_nan() {
                assert!(from_half(to_half(wide)).is_nan());
            } else {
                assert_eq!(to_half(wide), half, "{wide}");
            }
        }
    }

    #[test]
    fn numbers_are_rounded_to_the_nearest() {
        // Just below, at and above the middle of two neighbours: 1 and 1 + 2^-10, 1 + 2^-10 and 1 + 2^-9.
        let half = |value| from_half(to_half(value));
        assert_eq!(half(1.000_488_2), 1.0);
        assert_eq!(half(1.0 + 1.0 / 2048.0), 1.0);
        assert_eq!(half(1.000_488_4), 1.0 + 1.0 / 1024.0);
        assert_eq!(half(1.0 + 3.0 / 2048.0), 1.0 + 2.0 / 1024.0);
        assert_eq!(half(1e6), f32::INFINITY);
        assert_eq!(half(-3.0e-8), -5.960_464_5e-8);
        let brain = |value| f32::from_bits(u32::from(to_brain(value)) << 16);
        assert_eq!(brain(1.0 + 1.0 / 256.0), 1.0);
        assert_eq!(brain(1.0 + 3.0 / 256.0), 1.0 + 2.0 / 128.0);
        assert_eq!(brain(1.004), 1.0 + 1.0 / 128.0);
        assert!(brain(f32::NAN).is_nan());
    }
}
