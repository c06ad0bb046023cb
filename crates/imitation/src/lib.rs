//! How well evaluators predict the moves of games that others have played.
//!
//! A [`GameSet`] holds games, and which of their positions count. A [`Predictor`] says what an evaluator thinks of the moves that
//! were played there, with the history of the game: [accuracy](Accuracy) counts how often it is right, and [`Likelihoods`] tell
//! whose games they are. Games are the independent units of every interval: the positions of a game are alike.
//!
//! Prints nothing, and knows nothing of training.

mod accuracy;
mod game_set;
mod group;
mod likelihood;
mod means;
mod plot;
mod predict;

pub use accuracy::{Accuracy, AccuracyReport, measure};
pub use game_set::{GameSet, PlayedGame, PlayerTag, Selection, SetBuilder};
pub use group::{By, Group};
pub use likelihood::{Confusion, Likelihoods, confusion, posterior};
pub use means::{ClusteredMeans, Mean};
pub use plot::svg;
pub use predict::{Prediction, Predictor, predict_all};
