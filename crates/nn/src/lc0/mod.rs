//! Leela Chess Zero's network files, of the residual family (with or without squeeze-excitation).

mod read;
pub(crate) mod wire;
mod write;

pub use read::{import, import_bytes};
pub use write::{export, export_bytes};

use crate::architecture::ArchitectureError;
use crate::file::FileError;

/// The value of the first field of every file.
const MAGIC: u32 = 0x1c0;

/// The first field as it stands in a file.
const BEGINNING: &[u8] = &[0x0d, 0xc0, 0x01, 0x00, 0x00];

/// Whether a file that begins with these bytes can only be a Leela network: packed by gzip, or with its first field.
pub fn is_leela(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b]) || bytes.starts_with(BEGINNING)
}

/// Output planes of the convolutional policy head in Leela's files; 73 are used.
const FILE_POLICY_PLANES: usize = 80;

/// Why a Leela network cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Lc0Error {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Not gzip, not protobuf, or cut off.
    #[error("it is not a Leela network, or it is damaged: {0}")]
    Damaged(&'static str),
    /// A kind of network that is not residual.
    #[error("it is {0}: only residual networks (classical or with squeeze-excitation) can be used")]
    Unsupported(&'static str),
    /// A number in the format that has no meaning here.
    #[error("its {what} is {found}, which is not supported")]
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
