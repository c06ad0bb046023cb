//! Floats that start at a cache line, so that no vector load crosses one.

use std::ops::{Deref, DerefMut};

#[derive(Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
struct Line([f32; 16]);

/// A buffer that begins as zeros, rounded up to whole cache lines.
#[derive(Clone)]
pub(super) struct Aligned(Vec<Line>);

impl Aligned {
    pub fn zeros(floats: usize) -> Aligned {
        Aligned(vec![Line::default(); floats.div_ceil(16)])
    }
}

impl Deref for Aligned {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        bytemuck::cast_slice(&self.0)
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [f32] {
        bytemuck::cast_slice_mut(&mut self.0)
    }
}
