//! Orthodox chess and Chess960, on the rules of the `shakmaty` crate.

mod az;
mod board_text;
mod fen;
mod game;
mod moves;
pub mod pgn;
pub mod san;

pub use az::{Az, Az21, Az119};
pub use game::{Chess, Rules};
pub use moves::Move;
