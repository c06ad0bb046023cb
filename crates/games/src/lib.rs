//! Games that others have played, to learn from: people's games in PGN files, Leela's training data.
//!
//! An [`Import`] reads files one after the other, keeps the games that its [`Filter`] lets pass, and writes them as the same
//! chunks that self-play writes, so that window, trainer and reports use them as they are. Knows nothing of networks.

mod filter;
mod finished;
mod import;
mod leela;
mod range;
mod skipped;
mod source;

pub use filter::{Filter, Sides};
pub use import::{Import, ImportError, Imported, Progress};
pub use range::{Range, RangeError};
pub use skipped::{Skip, Skipped};
