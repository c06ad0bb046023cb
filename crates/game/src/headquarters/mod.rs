//! The headquarters game: two squads of soldiers on a grid, each out to take the other's headquarters.
//!
//! A turn consists of one order for each soldier, so a side makes several moves in a row. `docs/headquarters.md` has the
//! rules and the notation.

mod board_text;
mod cells;
mod diagram;
mod encoding;
mod endings;
mod evaluation;
mod game;
mod map;
mod move_text;
mod moves;
mod notation;
mod position;
mod rules;
mod turns;

pub use encoding::Grid;
pub use game::Headquarters;
pub use moves::Move;
pub use rules::Rules;
