//! The settings of training.

use alfil_core::settings;

use super::{LossWeights, Optimizer, Schedule};

settings! {
    /// The settings of a learner.
    pub struct LearningSettings {
        /// How gradients become steps.
        pub optimizer: Optimizer;
        /// The learning rate.
        pub schedule: Schedule;
        /// A longer gradient is clipped to this length; 0 clips none.
        pub clip: f64 = 5.0, in 0.0..=1e9;
        /// The weights of the terms of the loss.
        pub weights: LossWeights;
        /// The exported network is a moving average of the weights: the share of it that is kept at each step. 0
        /// exports the weights themselves.
        pub average: f64 = 0.99, in 0.0..=0.999_999;
        /// Gradients from 16-bit numbers where that is safe and faster: float16 on CUDA, bfloat16 on a processor that computes
        /// with it, if a measurement at the beginning of the run finds it faster there. Weights keep their 32 bits.
        pub mixed_precision: bool = true;
    }
}
