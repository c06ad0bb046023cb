//! Board games: what they are, and the ones that Alfil plays.
//!
//! A [`Game`] is the rules: moves, results, notation, keys. An [`Encoding`] is how a network sees a game: planes in,
//! policy indices out. An [`Oracle`] judges positions exactly where that is possible. The [`conformance`] suite checks
//! any game against these contracts, and the [`registry`] is the one list of games.
//!
//! This crate knows nothing of search or networks.

mod encoded;
mod encoding;
mod full_game;
mod game;
mod notation;
mod numbering;
mod oracle;
mod pov;
mod repetitions;
mod side;
mod stones;
mod tapered;
mod turn;
mod wdl;

pub mod conformance;
pub mod diagram;
pub mod perft;
pub mod pgn;
pub mod registry;

pub mod chess;
pub mod connect4;
pub mod headquarters;
pub mod hexchess;
pub mod tictactoe;

pub use encoded::{Encoded, EncodingFn, EncodingList};
pub use encoding::{Encoding, Symmetry};
pub use full_game::FullGame;
pub use game::{Game, Knowledge, Outcome};
pub use notation::{MoveError, PositionError, RulesError, play_line};
pub use numbering::{MoveNumber, MoveNumbers};
pub use oracle::{Judgement, Oracle};
pub use pov::{First, Mover, Score, Swap};
pub use side::Side;
pub use turn::Turn;
pub use wdl::Wdl;
