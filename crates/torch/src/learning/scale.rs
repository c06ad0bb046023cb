//! The loss scale of mixed precision: gradients too small for 16 bits are lifted into their range.

/// Where it starts: PyTorch's.
const FIRST: f64 = 65_536.0;
/// Good steps after which a larger one is tried: PyTorch's.
const PATIENCE: u32 = 2_000;

/// What the loss is multiplied with, and its gradient divided by.
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

    /// After a gradient that was finite.
    pub fn grow(&mut self) {
        self.good_steps = self.good_steps.saturating_add(1);
        if self.good_steps >= PATIENCE {
            *self = LossScale { factor: self.factor * 2.0, good_steps: 0 };
        }
    }

    /// After one that was not. False if the scale cannot be to blame any more.
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
    fn patience_is_rewarded_once() {
        let mut scale = LossScale::new();
        (0..PATIENCE - 1).for_each(|_| scale.grow());
        assert_eq!(scale.factor, FIRST);
        scale.grow();
        assert_eq!(scale, LossScale { factor: 2.0 * FIRST, good_steps: 0 });
    }
}
