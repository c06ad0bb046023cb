//! How a network is trained: what it learns from, how, and the contract with whatever computes the gradients.

mod encoded_architecture;
mod learner;
mod losses;
mod optimizer;
mod samples;
mod schedule;
mod settings;

pub use encoded_architecture::EncodedArchitecture;
pub use learner::{LearnError, Learner};
pub use losses::{Loss, LossWeights, Losses, MeanLosses, Over};
pub use optimizer::{Optimizer, OptimizerKind};
pub use samples::{Samples, Target};
pub use schedule::{Decay, Schedule};
pub use settings::LearningSettings;
