//! A run on disk.

mod directory;
mod error;
mod lock;
mod metrics;
mod state;

pub use directory::RunDirectory;
pub use error::RunError;
pub use lock::Lock;
pub use metrics::{ExamMetrics, GateMetrics, LearningMetrics, Metrics, ProbeMetrics, RatingMetrics, SelfplayMetrics};
pub use state::{Phase, State};
