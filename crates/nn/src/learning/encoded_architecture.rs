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
    opponent_cell: fn(usize) -> usize,
}

impl<'a> EncodedArchitecture<'a> {
    /// Fails if the architecture cannot be, or is one of another encoding.
    pub fn new<E: Encoding>(architecture: &'a Architecture) -> Result<EncodedArchitecture<'a>, ArchitectureError> {
        architecture.check()?;
        architecture.check_encoding::<E>()?;
        Ok(EncodedArchitecture {
            architecture,
            encoding: (E::NAME, E::VERSION),
            policy_size: E::POLICY_SIZE,
            head_output: E::head_output,
            opponent_cell: E::opponent_cell,
        })
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

    /// For each cell where the opponent, once it is its turn, sees it.
    pub fn opponent_cells(&self) -> impl Iterator<Item = usize> {
        (0..self.architecture.cells()).map(self.opponent_cell)
    }
}
