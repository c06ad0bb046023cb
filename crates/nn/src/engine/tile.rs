//! The tiles of Winograd convolutions.
//!
//! F(m x m, 3x3) computes a tile of m x m outputs from (m + 2) x (m + 2) inputs as Y = Aᵀ [(G g Gᵀ) ∘ (Bᵀ d B)] A: one
//! product per input instead of nine per output. Larger tiles need fewer products, and more weights.

use pulp::Simd;
use serde::{Deserialize, Serialize};

/// Inputs of the largest tile in each direction.
pub(super) const MOST: usize = 6;

/// How large the tiles are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum TileSize {
    /// F(2x2, 3x3): 16 products for 4 outputs, and 16 transformed weights for 9.
    Two,
    /// F(4x4, 3x3): 36 products for 16 outputs, and 36 transformed weights for 9.
    Four,
}

impl TileSize {
    /// Its name, for people.
    pub fn name(self) -> &'static str {
        match self {
            TileSize::Two => "F(2x2)",
            TileSize::Four => "F(4x4)",
        }
    }

    /// Outputs in each direction.
    pub(super) fn outputs(self) -> usize {
        match self {
            TileSize::Two => Two::OUT,
            TileSize::Four => Four::OUT,
        }
    }

    /// Products of a tile for each pair of channels.
    pub(super) fn places(self) -> usize {
        let inputs = self.outputs() + 2;
        inputs * inputs
    }

    /// G g Gᵀ, in double precision.
    pub(super) fn transform_weights(self, kernel: &[f32]) -> Vec<f32> {
        let g = match self {
            TileSize::Two => Two::G,
            TileSize::Four => Four::G,
        };
        let half = |row: &[f64; 3], x: usize| (0..3).map(|y| row[y] * f64::from(kernel[3 * y + x])).sum::<f64>();
        let place = |row: &[f64; 3], column: &[f64; 3]| (0..3).map(|x| half(row, x) * column[x]).sum::<f64>() as f32;
        g.iter().flat_map(|row| g.iter().map(move |column| place(row, column))).collect()
    }
}

/// A tile size at compile time. Arrays are as long as for the largest; the rest is not used.
pub(super) trait Tile {
    /// Outputs in each direction.
    const OUT: usize;
    /// Inputs in each direction.
    const IN: usize = Self::OUT + 2;
    /// The weight transform.
    const G: &'static [[f64; 3]];

    /// Bᵀ times the inputs.
    fn inputs<S: Simd>(simd: S, d: [S::f32s; MOST]) -> [S::f32s; MOST];

    /// Aᵀ times the products.
    fn outputs<S: Simd>(simd: S, m: [S::f32s; MOST]) -> [S::f32s; MOST];
}

/// F(2x2, 3x3), with the interpolation points 0, 1, -1 and infinity.
pub(super) struct Two;

impl Tile for Two {
    const OUT: usize = 2;
    const G: &'static [[f64; 3]] = &[[1.0, 0.0, 0.0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0.0, 0.0, 1.0]];

    #[inline(always)]
    fn inputs<S: Simd>(simd: S, d: [S::f32s; MOST]) -> [S::f32s; MOST] {
        let [d0, d1, d2, d3, unused, _] = d;
        [simd.sub_f32s(d0, d2), simd.add_f32s(d1, d2), simd.sub_f32s(d2, d1), simd.sub_f32s(d1, d3), unused, unused]
    }

    #[inline(always)]
    fn outputs<S: Simd>(simd: S, m: [S::f32s; MOST]) -> [S::f32s; MOST] {
        let [m0, m1, m2, m3, unused, _] = m;
        [
            simd.add_f32s(simd.add_f32s(m0, m1), m2),
            simd.sub_f32s(simd.sub_f32s(m1, m2), m3),
            unused,
            unused,
            unused,
            unused,
        ]
    }
}

/// F(4x4, 3x3), with the interpolation points 0, 1, -1, 2, -2 and infinity.
pub(super) struct Four;

impl Tile for Four {
    const OUT: usize = 4;
    const G: &'static [[f64; 3]] = &[
        [1.0 / 4.0, 0.0, 0.0],
        [-1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0],
        [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
        [1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0],
        [1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0],
        [0.0, 0.0, 1.0],
    ];

    #[inline(always)]
    fn inputs<S: Simd>(simd: S, d: [S::f32s; MOST]) -> [S::f32s; MOST] {
        let [d0, d1, d2, d3, d4, d5] = d;
        let even = times(simd, -4.0, d2, d4); // d4 - 4 d2
        let odd = times(simd, -4.0, d1, d3); // d3 - 4 d1
        let even2 = simd.sub_f32s(d4, d2);
        let odd2 = simd.sub_f32s(d3, d1);
        [
            times(simd, 4.0, d0, times(simd, -5.0, d2, d4)),
            simd.add_f32s(even, odd),
            simd.sub_f32s(even, odd),
            times(simd, 2.0, odd2, even2),
            times(simd, -2.0, odd2, even2),
            times(simd, 4.0, d1, times(simd, -5.0, d3, d5)),
        ]
    }

    #[inline(always)]
    fn outputs<S: Simd>(simd: S, m: [S::f32s; MOST]) -> [S::f32s; MOST] {
        let [m0, m1, m2, m3, m4, m5] = m;
        let (sum1, difference1) = (simd.add_f32s(m1, m2), simd.sub_f32s(m1, m2));
        let (sum2, difference2) = (simd.add_f32s(m3, m4), simd.sub_f32s(m3, m4));
        [
            simd.add_f32s(simd.add_f32s(m0, sum1), sum2),
            times(simd, 2.0, difference2, difference1),
            times(simd, 4.0, sum2, sum1),
            simd.add_f32s(times(simd, 8.0, difference2, difference1), m5),
            m4,
            m5,
        ]
    }
}

/// factor * value + plus
#[inline(always)]
fn times<S: Simd>(simd: S, factor: f32, value: S::f32s, plus: S::f32s) -> S::f32s {
    simd.mul_add_e_f32s(simd.splat_f32s(factor), value, plus)
}
