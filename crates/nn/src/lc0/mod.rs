//! Leela Chess Zero's network files, of the residual family (with or without squeeze-excitation).

mod read;
mod wire;
mod write;

pub use read::{import, import_bytes};
pub use write::{export, export_bytes};

use crate::architecture::ArchitectureError;
use crate::file::FileError;

/// The first field of every file.
const MAGIC: u32 = 0x1c0;

/// Output planes of the convolutional policy head in Leela's files; 73 are used.
const FILE_POLICY_PLANES: usize = 80;

/// Why a Leela network cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Lc0Error {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Not gzip, not protobuf, or cut off.
    #[error("it is no Leela network, or damaged: {0}")]
    Damaged(&'static str),
    /// A kind of network that is not residual.
    #[error("it is {0}: only residual networks (classical or with squeeze-excitation) can be used")]
    Unsupported(&'static str),
    /// A number in the format that has no meaning here.
    #[error("its {what} is {found}, which is not known here")]
    Unknown {
        /// Which number.
        what: &'static str,
        /// What it is.
        found: u64,
    },
    /// A layer does not fit the others.
    #[error("its layer '{layer}' has {found} numbers instead of {expected}")]
    Size {
        /// Which layer.
        layer: String,
        /// What is there.
        found: usize,
        /// What must be there.
        expected: usize,
    },
    /// A layer that must be there is not.
    #[error("its layer '{0}' is missing")]
    Missing(String),
    /// Not a number.
    #[error("its layer '{0}' holds a number that is not finite")]
    NotFinite(String),
    /// A shape that no network has.
    #[error(transparent)]
    Architecture(#[from] ArchitectureError),
}
