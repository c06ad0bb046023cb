//! Board games: what they are, and the ones that Alfil plays.
//!
//! A [`Game`] is the core of the contract: moves, results, notation, keys. What only some games have is in parts with
//! defaults ([`Notation`], [`Estimates`], [`Pictures`], [`Turns`], [`Endings`], [`References`], [`Examples`]); [`FullGame`] is
//! all of them together. An [`Encoding`] is how a network sees a game: planes in, policy indices out. The [`conformance`] suite
//! checks any game against these contracts, and the [`registry`] is the one list of games.
//!
//! This crate knows nothing of search or networks.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod encoded;
mod encoding;
mod endings;
mod estimates;
mod examples;
mod full_game;
mod game;
mod gesture;
mod language;
mod notation;
mod numbering;
mod oracle;
mod pictures;
mod pov;
mod references;
mod repetitions;
mod rules;
mod side;
mod stones;
mod tapered;
mod turn;
mod wdl;

pub mod book;
pub mod conformance;
pub mod diagram;
pub mod drawing;
pub mod perft;
pub mod pgn;
pub mod registry;

pub mod chess;
pub mod connect4;
pub mod headquarters;
pub mod hexchess;
pub mod nim;
pub mod tictactoe;

pub use encoded::{Encoded, EncodingFn, EncodingList};
pub use encoding::{Encoding, Symmetry};
pub use endings::Endings;
pub use estimates::{Estimates, Knowledge};
pub use examples::Examples;
pub use full_game::FullGame;
pub use game::{Game, Outcome};
pub use gesture::Step;
pub use language::Language;
pub use notation::{MoveError, Notation, PositionError, play_line};
pub use numbering::{MoveNumber, MoveNumbers};
pub use oracle::{Judgement, Oracle};
pub use pictures::Pictures;
pub use pov::{First, Mover, Score, Swap};
pub use references::{Book, BookMove, ReferenceError, References, Tablebase};
pub use rules::{RuleOption, RuleValues, Rules, RulesError, read_foreign_rules, read_rules};
pub use side::Side;
pub use turn::{Turn, Turns};
pub use wdl::Wdl;
