//! The search tree: nodes and edges in arenas of a fixed size, shared by any number of threads without locks.
//!
//! ```text
//! nodes  [ root | child | child | grandchild | … ]          64 bytes each, made at their first visit
//! edges  [ of root … | of child … | … ]                      4 bytes each: move and prior, most promising first
//! ```
//!
//! A node knows its edges and, as a linked list, the children that have been visited. Search is two steps: [`gather`]
//! walks down to a leaf and leaves a virtual visit on the way, [`apply`] takes the evaluation of the leaf, gives it its
//! edges and carries the value up. Nothing here knows what evaluates, or on which thread.
//!
//! There are no transpositions: every node has one history, so that a draw by repetition or move count is never carried
//! over to a position that was reached another way.

mod dot;
mod node;
mod pages;
mod proof;
mod select;
mod step;
mod store;
mod view;

pub use dot::dot;
pub(crate) use node::MOST_VISITS;
pub use proof::Proof;
pub use step::{Gathered, Leaf, Scratch, apply, gather};
pub use store::{Tree, USUAL_MOVES};
pub use view::{Child, View};
