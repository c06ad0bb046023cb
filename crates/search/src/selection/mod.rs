//! The rules by which a tree search picks moves: small pure functions of numbers.
//!
//! `q` is the expected result for the side to move, from -1 to 1; `visits` are those of a move, `parent_visits` those
//! of all moves together.

mod gumbel;
mod moves_left;
mod noise;
mod pruning;
mod puct;
mod rule;
mod simple;

pub use gumbel::{Gumbel, GumbelMove, considered_visits, gumbel_noise};
pub use moves_left::MovesLeft;
pub use noise::{dirichlet, mix_noise};
pub use pruning::{forced_visits, pruned_visits};
pub use puct::Puct;
pub use rule::Rule;
pub use simple::{simple_puct, uct};
