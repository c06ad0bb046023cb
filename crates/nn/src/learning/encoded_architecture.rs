//! What a learner has to know of the encoding that it learns.

use alfil_game::Encoding;

use crate::{Architecture, ArchitectureError};

/// An architecture that was checked to be one of an encoding, with what a learner has to know of that.
#[derive(Clone, Copy)]
pub struct EncodedArchitecture<'a> {
    architecture: &'a Architecture,
    encoding: (&'static str, u32),
    policy_size: usize,
    head_output: fn(usize) -> usize,
}

impl<'a> EncodedArchitecture<'a> {
    /// Fails if the architecture cannot be, or is one of another encoding.
    pub fn new<E: Encoding>(architecture: &'a Architecture) -> Result<EncodedArchitecture<'a>, ArchitectureError> {
        architecture.check()?;
        architecture.check_encoding::<E>()?;
        let encoding = (E::NAME, E::VERSION);
        Ok(EncodedArchitecture { architecture, encoding, policy_size: E::POLICY_SIZE, head_output: E::head_output })
    }

    /// The architecture.
    pub fn architecture(&self) -> &'a Architecture {
        self.architecture
    }

    /// Name and version of the encoding.
    pub fn encoding(&self) -> (&'static str, u32) {
        self.encoding
    }

    /// For each policy index its output of a convolutional policy head.
    pub fn head_outputs(&self) -> impl Iterator<Item = usize> {
        (0..self.policy_size).map(self.head_output)
    }
}
