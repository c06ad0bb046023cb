//! How a network is taught.

use alfil_core::settings;

use super::{LossWeights, Optimizer, Schedule};

settings! {
    /// The settings of a learner.
    pub struct LearningSettings {
        /// How gradients become steps.
        pub optimizer: Optimizer;
        /// The learning rate.
        pub schedule: Schedule;
        /// A gradient that is longer is cut to this length; 0 cuts none.
        pub clip: f64 = 5.0, in 0.0..=1e9;
        /// What counts how much.
        pub weights: LossWeights;
        /// The exported network is a moving average of the weights: what an average keeps at each step. 0 exports them as they are.
        pub average: f64 = 0.99, in 0.0..=0.999_999;
        /// Numbers of 16 bits where that is safe. On CUDA only.
        pub mixed_precision: bool = true;
    }
}
