//! How a network is taught.

use serde::{Deserialize, Serialize};

use super::{LossWeights, Schedule};

/// The settings of a learner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearningSettings {
    /// How gradients become steps.
    pub optimizer: Optimizer,
    /// The learning rate.
    pub schedule: Schedule,
    /// A gradient that is longer is cut to this length; 0 cuts none.
    pub clip: f64,
    /// What counts how much.
    pub weights: LossWeights,
    /// The exported network is a moving average of the weights: the share that an average keeps at each step. 0 exports the
    /// weights as they are.
    pub average: f64,
    /// Numbers of 16 bits where that is safe. On CUDA only.
    pub mixed_precision: bool,
}

/// How gradients become steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Optimizer {
    /// Stochastic gradient descent with momentum, and L2 as a part of the loss: AlphaZero's.
    Sgd {
        /// What is kept of the last step.
        momentum: f64,
        /// L2 of all weights, not of biases and batch norms.
        weight_decay: f64,
    },
    /// Adam with weight decay apart from the gradient.
    AdamW {
        /// Decay of the mean of gradients.
        beta1: f64,
        /// Decay of the mean of their squares.
        beta2: f64,
        /// Weight decay of all weights, not of biases and batch norms.
        weight_decay: f64,
    },
}
