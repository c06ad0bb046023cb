//! Connect Four on six rows and seven columns, with an exact solver.

mod encoding;
mod game;
mod grid;
mod solver;

pub use encoding::Stones;
pub use game::{Column, Connect4};
pub use solver::Solver;
