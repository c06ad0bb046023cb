//! A run on disk.

mod clock;
mod directory;
mod error;
mod lock;
mod metrics;
mod state;

pub(crate) use clock::Clock;
pub use directory::RunDirectory;
pub use error::{RunError, StartError};
pub use lock::Lock;
pub use metrics::{
    ExamMetrics, GateMetrics, LearningMetrics, Metrics, ProbeMetrics, RatingMetrics, SelfplayMetrics, TrendMetrics,
};
pub use state::{Phase, State};
