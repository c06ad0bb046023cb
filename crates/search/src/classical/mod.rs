//! The classical family: depth-first search to a fixed depth with a handcrafted evaluation at the leaves.
//!
//! [`minimax()`] and [`negamax()`] are the definition. [`AlphaBeta`] gives the same value with far less work, each of
//! its enhancements being a switch of [`AlphaBetaSettings`]; those that are not exact say so. [`ClassicalEngine`] is alpha-beta with
//! limits, threads and lines.
//! [`sss()`] is Stockman's best-first rival. All walk through [`Node`]s: a [`GameNode`] is a game move by move, a
//! [`TurnNode`] one turn by turn.

mod alpha_beta;
mod descent;
mod engine;
mod history;
mod minimax;
mod node;
mod patience;
mod reductions;
mod settings;
mod sss;
mod transposition_table;
mod turn;

pub use alpha_beta::{AlphaBeta, Found};
pub use engine::{ClassicalEngine, ClassicalLimits};
pub use minimax::{minimax, minimax_nodes, negamax};
pub(crate) use node::worth;
pub use node::{GameNode, INFINITE, Node, WIN, expected_result, is_decided};
pub use settings::{AlphaBetaSettings, Switch};
pub use sss::{sss, sss_within};
pub use turn::TurnNode;
