//! Games to learn from that are no self-play: people's games in PGN files, Leela's training data, varied play; and what teachers
//! say about their positions.
//!
//! An [`Import`] reads files one after the other, keeps the games that its [`Filter`] lets pass, and writes them as the same
//! chunks that self-play writes, so that window, trainer and reports use them as they are; [`read_records`] gives the same games
//! without a folder. A [`Make`] plays such games. A [`Labelling`] has a player judge the positions of a folder. Knows nothing of
//! networks.

mod filter;
mod finished;
mod import;
mod labelling;
mod leela;
mod make;
mod pgn_file;
mod range;
mod read;
mod records;
mod skipped;
mod source;
mod unfinished;

pub use filter::{Filter, Sides};
pub use import::{Import, ImportError, Imported, Progress};
pub use labelling::{LabelError, LabelProgress, Labelled, Labelling};
pub use make::{Made, Make, MakeError};
pub use pgn_file::{FileProgress, read_pgn};
pub use range::{Range, RangeError};
pub use records::read_records;
pub use skipped::{Skip, Skipped};
pub use unfinished::FolderError;
