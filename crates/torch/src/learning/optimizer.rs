//! How gradients become steps: our own optimizers, because their state has to be saved and tch cannot do that.

use alfil_nn::learning::{Optimizer, OptimizerKind};
use tch::Tensor;

use crate::TorchError;

/// Keeps Adam's steps finite where a gradient has always been 0; the paper's value.
const EPSILON: f64 = 1e-8;

/// An optimizer with its state, whose tensors are as long as the parameters.
pub enum OptimizerState {
    Sgd { momentum: f64, weight_decay: f64, velocity: Tensor },
    AdamW { beta1: f64, beta2: f64, weight_decay: f64, mean: Tensor, square: Tensor },
}

/// One step of many.
pub struct StepSettings {
    /// The learning rate.
    pub rate: f64,
    /// Counted from 0.
    pub step: u64,
    /// How many of the parameters decay: the first ones.
    pub decayed: usize,
}

impl OptimizerState {
    /// An optimizer that has seen no gradient yet.
    pub fn new(optimizer: Optimizer, parameters: &Tensor) -> Result<OptimizerState, TorchError> {
        let Optimizer { kind, momentum, beta1, beta2, weight_decay } = optimizer;
        Ok(match kind {
            OptimizerKind::Sgd => OptimizerState::Sgd { momentum, weight_decay, velocity: parameters.f_zeros_like()? },
            OptimizerKind::AdamW => {
                let (mean, square) = (parameters.f_zeros_like()?, parameters.f_zeros_like()?);
                OptimizerState::AdamW { beta1, beta2, weight_decay, mean, square }
            }
        })
    }

    /// Its name in a saved state.
    pub fn kind(&self) -> &'static str {
        match self {
            OptimizerState::Sgd { .. } => "sgd",
            OptimizerState::AdamW { .. } => "adamw",
        }
    }

    /// Goes on with other numbers. False if they are those of another kind of optimizer.
    pub fn change(&mut self, optimizer: Optimizer) -> bool {
        match (self, optimizer.kind) {
            (OptimizerState::Sgd { momentum, weight_decay, .. }, OptimizerKind::Sgd) => {
                (*momentum, *weight_decay) = (optimizer.momentum, optimizer.weight_decay);
                true
            }
            (OptimizerState::AdamW { beta1, beta2, weight_decay, .. }, OptimizerKind::AdamW) => {
                (*beta1, *beta2, *weight_decay) = (optimizer.beta1, optimizer.beta2, optimizer.weight_decay);
                true
            }
            _ => false,
        }
    }

    /// Its state, by name.
    pub fn memory(&self) -> Vec<(&'static str, &Tensor)> {
        match self {
            OptimizerState::Sgd { velocity, .. } => vec![("velocity", velocity)],
            OptimizerState::AdamW { mean, square, .. } => vec![("mean", mean), ("square", square)],
        }
    }

    /// Changes the parameters, and the gradient, which is not used afterwards.
    ///
    /// - SGD: `v = momentum v + g + decay p`, `p = p - rate v`.
    /// - AdamW: `p = (1 - rate decay) p`, `m = beta1 m + (1 - beta1) g`, `s = beta2 s + (1 - beta2) g^2`,
    ///   `p = p - rate m' / (sqrt(s') + epsilon)`, where `m'` and `s'` are divided by `1 - beta^t`.
    pub fn apply(
        &mut self,
        parameters: &mut Tensor,
        mut gradient: Tensor,
        stride: StepSettings,
    ) -> Result<(), TorchError> {
        let _no_gradients = tch::no_grad_guard();
        let StepSettings { rate, step, decayed } = stride;
        let mut decaying = parameters.f_narrow(0, 0, decayed as i64)?;
        match self {
            OptimizerState::Sgd { momentum, weight_decay, velocity } => {
                let decay = decaying.f_mul_scalar(*weight_decay)?;
                let _ = gradient.f_narrow(0, 0, decayed as i64)?.f_add_(&decay)?;
                let _ = velocity.f_mul_scalar_(*momentum)?.f_add_(&gradient)?;
                gradient.f_copy_(velocity)?;
                let _ = parameters.f_add_(&gradient.f_mul_scalar_(-rate)?)?;
            }
            OptimizerState::AdamW { beta1, beta2, weight_decay, mean, square } => {
                let t = step as f64 + 1.0;
                let _ = decaying.f_mul_scalar_(1.0 - rate * *weight_decay)?;
                let _ = mean.f_lerp_(&gradient, 1.0 - *beta1)?;
                let squared = gradient.f_square_()?.f_mul_scalar_(1.0 - *beta2)?;
                let _ = square.f_mul_scalar_(*beta2)?.f_add_(&squared)?;
                gradient.f_copy_(square)?;
                let unbiased = gradient.f_div_scalar_(1.0 - beta2.powf(t))?;
                let root = { unbiased }.f_sqrt_()?.f_add_scalar_(EPSILON)?;
                let mut change = mean.f_div(&root)?;
                let _ = parameters.f_add_(&change.f_mul_scalar_(-rate / (1.0 - beta1.powf(t)))?)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const DECAYED: usize = 2;

    fn gradient(step: u64) -> [f32; 3] {
        [0.5, -1.0, 0.25].map(|g: f32| g * (1.0 + 0.3 * step as f32))
    }

    fn steps(optimizer: Optimizer, rate: f64) -> Vec<f32> {
        let mut parameters = Tensor::from_slice(&[1.0f32, -2.0, 3.0]);
        let mut descent = OptimizerState::new(optimizer, &parameters).unwrap();
        for step in 0..5 {
            let stride = StepSettings { rate, step, decayed: DECAYED };
            descent.apply(&mut parameters, Tensor::from_slice(&gradient(step)), stride).unwrap();
        }
        Vec::try_from(parameters).unwrap()
    }

    fn assert_close(found: &[f32], expected: &[f64]) {
        for (a, b) in found.iter().zip(expected) {
            assert!((f64::from(*a) - b).abs() < 1e-5, "{found:?} {expected:?}");
        }
    }

    #[test]
    fn sgd_follows_its_formula() {
        let (momentum, weight_decay, rate) = (0.9, 0.1, 0.05);
        let (mut p, mut v) = ([1.0, -2.0, 3.0], [0.0; 3]);
        for step in 0..5 {
            for i in 0..3 {
                let decay = if i < DECAYED { weight_decay * p[i] } else { 0.0 };
                v[i] = momentum * v[i] + f64::from(gradient(step)[i]) + decay;
                p[i] -= rate * v[i];
            }
        }
        let sgd = Optimizer { kind: OptimizerKind::Sgd, momentum, weight_decay, ..Optimizer::default() };
        assert_close(&steps(sgd, rate), &p);
    }

    #[test]
    fn adamw_follows_its_formula() {
        let (beta1, beta2, weight_decay, rate) = (0.9, 0.99, 0.1, 0.05);
        let (mut p, mut m, mut s) = ([1.0, -2.0, 3.0], [0.0; 3], [0.0; 3]);
        for step in 0..5 {
            for i in 0..3 {
                let g = f64::from(gradient(step)[i]);
                p[i] *= 1.0 - if i < DECAYED { rate * weight_decay } else { 0.0 };
                m[i] = beta1 * m[i] + (1.0 - beta1) * g;
                s[i] = beta2 * s[i] + (1.0 - beta2) * g * g;
                let t = step as i32 + 1;
                let (mean, square): (f64, f64) = (m[i] / (1.0 - beta1.powi(t)), s[i] / (1.0 - beta2.powi(t)));
                p[i] -= rate * mean / (square.sqrt() + 1e-8);
            }
        }
        let adamw = Optimizer { kind: OptimizerKind::AdamW, beta1, beta2, weight_decay, ..Optimizer::default() };
        assert_close(&steps(adamw, rate), &p);
    }
}
