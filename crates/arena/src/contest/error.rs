//! Why a contest cannot go on.

use alfil_search::EvaluatorError;

use super::StateError;

/// Why a match or ladder cannot begin or go on. What was finished is in its file: the same command resumes from there.
#[derive(Debug, thiserror::Error)]
pub enum ContestError {
    /// The file that results are kept in.
    #[error(transparent)]
    State(#[from] StateError),
    /// The evaluator of a player.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
    /// Where its games are played elsewhere.
    #[error("{0}")]
    Venue(Box<dyn std::error::Error + Send + Sync>),
}
