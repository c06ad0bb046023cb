//! Exercises in computing with chess, small enough to read in one sitting, each with a picture.
//!
//! They follow A. Fernández Camello's book "Ajedrez y Computación" (2023) and A. Portillo Raya's thesis "Fundamentos de IA para
//! el ajedrez": puzzles on the board ([`queens`], [`tour`], [`king`]), the game tree ([`tree`]), learning by trial
//! ([`grid`], [`bandits`], [`softmax`]) and what networks are made of ([`neurons`]). The tests hold the figures that these documents
//! print. What plays and learns in earnest is in the other crates; nothing here knows them.

pub mod bandits;
pub mod grid;
pub mod king;
pub mod neurons;
pub mod queens;
pub mod softmax;
pub mod tour;
pub mod tree;

mod board;
mod random;

pub use board::{Board, Square};
