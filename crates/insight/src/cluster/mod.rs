//! Vectors in groups, and what the groups have in common. Knows nothing of games.

mod heat_map;
mod kmeans;
mod matrix;
mod scores;
mod sparse;

pub use heat_map::{Cell, heat_map};
pub use kmeans::{Groups, KMeans};
pub use matrix::Matrix;
pub use scores::{LabelScore, label_scores};
pub use sparse::SparseMerge;
