//! Self-play: games that a network plays against itself to learn from.
//!
//! A [`Lane`] is one thread that plays many games at once with one evaluator; a [`Session`] has several. A
//! [`GameRecord`] holds a game with the results of its searches, not the planes that a network sees: those are made
//! when a batch is drawn. Chunks are files of records. Knows nothing of training.

mod chunk;
mod counts;
mod lane;
mod record;
mod referee;
mod resign;
mod search;
mod seat;
mod session;
mod settings;
mod starts;
mod surprise;
mod temperature;
mod tickets;

pub mod replay;

pub use chunk::{ChunkError, ChunkHeader, chunks, packed_size, read_chunk, read_header, write_chunk};
pub use counts::Counts;
pub use lane::Lane;
pub use record::{End, GameRecord, Ply};
pub use referee::{Adjudication, Judge};
pub use resign::Resign;
pub use search::{Cheap, SearchKind, SearchSettings};
pub use session::{Session, SessionError, next_number};
pub use settings::SelfplaySettings;
pub use starts::{Starts, StartsError};
pub use surprise::Surprise;
pub use temperature::Temperature;
pub use tickets::{Ticket, Tickets};
