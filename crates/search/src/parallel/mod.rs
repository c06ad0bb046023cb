//! One tree, searched by several threads, as in play.
//!
//! Every thread has its own evaluator. It gathers a small batch of leaves, has them evaluated and applies them; the
//! tree needs no locks. The calling thread works as well, watches the [limits](Limits) and reports.

mod control;
mod limits;
mod report;
mod search;
mod worker;

pub use control::Control;
pub use limits::Limits;
pub use report::{Line, SearchReport, StopReason};
pub use search::{ParallelSettings, Search};
