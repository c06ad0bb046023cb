//! Self-play: games that a network plays against itself to learn from.
//!
//! A [`Lane`] is one thread that plays many games at once with one evaluator; a [`Session`] has several. A
//! [`GameRecord`] holds a game with the results of its searches, not the planes that a network sees: those are made
//! when a batch is drawn. Chunks are files of records. A [probe] measures what a network and its searches see of material.
//! Knows nothing of training.

mod chunk;
mod context;
mod counts;
mod filing;
mod gallery;
mod game_in_progress;
mod lane;
mod lanes;
mod record;
mod resign;
mod search;
mod session;
mod settings;
mod starts;
mod surprise;
mod temperature;
mod tickets;
mod varied;

pub mod probe;
pub mod replay;

pub use chunk::{
    CHUNK_VERSION, ChunkError, ChunkHeader, chunks, pack_chunk, packed_size, read_chunk, read_header, unpack_chunk,
    write_chunk,
};
pub use context::{ContextError, LaneContext};
pub use counts::Counts;
pub use filing::{Filing, next_number};
pub use gallery::{Gallery, WatchedGame, WatchedSearch};
pub use lane::Lane;
pub use lanes::Lanes;
pub use record::{End, GameRecord, Ply};
pub use resign::Resign;
pub use search::{Cheap, SearchKind, SearchSettings};
pub use session::{Session, SessionError};
pub use settings::SelfplaySettings;
pub use starts::{Starts, StartsError};
pub use surprise::Surprise;
pub use temperature::Temperature;
pub use tickets::{Ticket, Tickets};
pub use varied::{VariedGame, has_estimates};
