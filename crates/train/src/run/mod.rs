//! A run on disk.

mod clock;
mod directory;
mod error;
mod lock;
mod metrics;
mod state;
mod tensorboard;

pub use clock::{Clock, Lap};
pub use directory::RunDirectory;
pub use error::{RunError, StartError};
pub use lock::Lock;
pub use metrics::{
    ExamMetrics, FolderMetrics, GateMetrics, LearningMetrics, Metrics, ProbeMetrics, RatingMetrics, SelfplayMetrics,
    TrendMetrics,
};
pub use state::{Phase, State};
pub(crate) use tensorboard::EventFile;
