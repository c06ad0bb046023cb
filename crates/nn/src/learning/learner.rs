//! The contract between a training loop and whatever computes the gradients.

use super::{LearningSettings, Losses, Samples};
use crate::{ArchitectureError, Network, Weights};

/// Why a step could not be taken.
#[derive(Debug, thiserror::Error)]
pub enum LearnError {
    /// The device or its library failed.
    #[error("{0}")]
    Device(String),
    /// Planes or moves that are not of the network's encoding.
    #[error("the samples are of another encoding than the network")]
    Samples,
    /// Weights have become infinite or NaN.
    #[error("training has diverged at step {step}: use a lower learning rate or clip the gradient")]
    Diverged {
        /// The step.
        step: u64,
    },
    /// A network that training cannot begin with.
    #[error(transparent)]
    Start(#[from] ArchitectureError),
    /// A saved state that training cannot continue from.
    #[error("the saved state of training cannot be used: {0}")]
    State(String),
}

/// A network in training.
pub trait Learner: Send {
    /// Steps taken since the beginning. A step that was skipped, because numbers of 16 bits were too small for its
    /// gradient, does not count.
    fn steps(&self) -> u64;

    /// Takes over the weights of a network before the first step, so that what is exported then computes the same. Returns
    /// the [heads](crate::Architecture::new_heads) that it keeps as they are. The batch norms of a network file are folded;
    /// they get the statistics of `batches`, so that the network is the same while it learns from such positions. Without
    /// any they change nothing but add a bias, and learning begins with another network, since it uses the statistics of
    /// each batch.
    fn begin_with(
        &mut self,
        network: &Network,
        batches: &mut dyn Iterator<Item = Samples>,
    ) -> Result<Vec<&'static str>, LearnError>;

    /// Goes on with other settings, as a new learner with them would after [`restore`](Learner::restore). The optimizer
    /// cannot change.
    fn change(&mut self, settings: LearningSettings) -> Result<(), LearnError>;

    /// Learns from a batch.
    fn step(&mut self, samples: &Samples) -> Result<Losses, LearnError>;

    /// Measures the network as it would be exported without samples, without learning.
    fn measure(&mut self, samples: &Samples) -> Result<Losses, LearnError>;

    /// The averaged weights, ready to play with. The statistics of their batch norms are gathered from `batches`, or
    /// without any are the average of those seen while learning, which belonged to other weights and are less exact.
    fn export(&mut self, batches: &mut dyn Iterator<Item = Samples>) -> Result<Weights, LearnError>;

    /// Everything that [`restore`](Learner::restore) needs to continue as if without a break, in safetensors.
    fn state(&self) -> Result<Vec<u8>, LearnError>;

    /// Continues from a saved state.
    fn restore(&mut self, state: &[u8]) -> Result<(), LearnError>;

    /// Whether it has chosen how it computes by measuring time, and no state that it was restored from says so: another time it might
    /// choose otherwise. Its state has to be kept before it is used.
    fn has_measured(&self) -> bool {
        false
    }

    /// Why it is slow on this machine, if it has to go on as it began.
    fn slowness(&self) -> Option<&'static str> {
        None
    }
}
