//! Gliński's hexagonal chess: 91 cells, three bishops and nine pawns per side.

mod attacks;
mod board;
mod board_text;
mod cell;
mod cells;
mod diagram;
mod endings;
mod evaluation;
mod fen;
mod game;
mod generate;
mod grid;
mod material;
mod moves;
mod policy;
mod position;
mod rules;
mod san;
mod zobrist;

pub use cell::Cell;
pub use game::HexChess;
pub use grid::Grid;
pub use moves::Move;
pub use rules::{Rules, Stalemate};
