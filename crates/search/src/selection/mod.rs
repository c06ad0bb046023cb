//! The rules by which a tree search picks moves: small pure functions of numbers.
//!
//! Values `q` are what the side that picks can expect, from -1 to 1; `visits` count what a move has been tried, and
//! `parent_visits` what all moves together have.

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
pub use simple::{book, uct};
