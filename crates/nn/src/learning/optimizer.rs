//! How gradients become steps.

use alfil_core::{choices, settings};

choices! {
    /// A way from gradients to steps.
    pub enum OptimizerKind {
        /// Stochastic gradient descent with momentum, and L2 as a part of the loss: AlphaZero's.
        Sgd = "sgd",
        /// Adam with weight decay separate from the gradient (Loshchilov and Hutter, 2019).
        AdamW = "adamw",
    }
}

settings! {
    /// How gradients become steps.
    #[derive(Copy)]
    pub struct Optimizer {
        /// sgd (with momentum, L2 in the loss) or adamw.
        pub kind: OptimizerKind = OptimizerKind::AdamW, key "optimizer", fixed = true;
        /// sgd: the share of the last step that is kept.
        pub momentum: f64 = 0.9, in 0.0..=0.9999;
        /// adamw: the share of the mean of the gradients that is kept at each step.
        pub beta1: f64 = 0.9, in 0.0..=0.9999;
        /// adamw: the share of the mean of their squares that is kept at each step.
        pub beta2: f64 = 0.999, in 0.0..=0.999_999;
        /// Decay of all weights, not of biases and batch norms; for sgd it is the weight of L2.
        pub weight_decay: f64 = 0.0001, in 0.0..=10.0;
    }
}
