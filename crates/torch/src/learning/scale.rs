//! The loss scale of mixed precision: gradients that are too small for 16 bits are scaled into their range.

/// Where it starts; PyTorch's default.
const FIRST: f64 = 65_536.0;
/// Good steps after which a larger scale is tried; PyTorch's default.
const GROWTH_INTERVAL: u32 = 2_000;

/// What the loss is multiplied by, and its gradient divided by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossScale {
    pub factor: f64,
    /// Steps since it was changed.
    pub good_steps: u32,
}

impl LossScale {
    pub fn new() -> LossScale {
        LossScale { factor: FIRST, good_steps: 0 }
    }

    /// To be called after a finite gradient.
    pub fn grow(&mut self) {
        self.good_steps = self.good_steps.saturating_add(1);
        if self.good_steps >= GROWTH_INTERVAL {
            *self = LossScale { factor: self.factor * 2.0, good_steps: 0 };
        }
    }

    /// To be called after a gradient that is not finite. False if the scale cannot be the cause any more.
    pub fn shrink(&mut self) -> bool {
        let to_blame = self.factor > 1.0;
        *self = LossScale { factor: self.factor / 2.0, good_steps: 0 };
        to_blame
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_grows_once_after_enough_good_steps() {
        let mut scale = LossScale::new();
        (0..GROWTH_INTERVAL - 1).for_each(|_| scale.grow());
        assert_eq!(scale.factor, FIRST);
        scale.grow();
        assert_eq!(scale, LossScale { factor: 2.0 * FIRST, good_steps: 0 });
    }
}
