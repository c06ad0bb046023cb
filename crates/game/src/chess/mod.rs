//! Orthodox chess and Chess960, on the rules of the `shakmaty` crate.

mod attacks;
mod az;
mod bare_king;
mod board_text;
mod captures;
mod diagram;
mod endings;
mod evaluation;
mod exchange;
mod fen;
mod game;
mod lc0;
mod moves;
mod policy73;
mod polyglot;
mod rules;
pub mod san;
mod syzygy;

pub use attacks::Attacks;
pub use az::{Az, Az21, Az119};
pub use game::Chess;
pub use lc0::Lc0;
pub use moves::Move;
pub use polyglot::write_polyglot;
pub use rules::Rules;
