//! The classical family: depth-first search to a fixed depth with a handcrafted evaluation at the leaves.
//!
//! [`minimax()`] and [`negamax()`] are the definition. [`AlphaBeta`] gives the same value with far less work, each of its
//! helpers being a switch of [`Settings`]; all are exact except quiescence and the null move, which say so. [`sss()`] is
//! Stockman's best-first rival. All walk through [`Node`]s, of which [`GameNode`] is the one that real games use.

mod alpha_beta;
mod minimax;
mod node;
mod sss;
mod table;

pub use alpha_beta::{AlphaBeta, Found, Settings};
pub use minimax::{minimax, negamax};
pub use node::{GameNode, INFINITE, Node, WIN, is_decided};
pub use sss::sss;
