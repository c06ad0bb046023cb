//! The learning loop: self-play, training, a match against the last promoted network, promotion; repeated every
//! generation.
//!
//! A [`Run`] lives in a [`RunDirectory`] and resumes from wherever it was stopped. All of its settings are in its
//! [`Config`]. What it computes with is a [`Machine`], so that this crate knows nothing of libtorch.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod event;
pub mod live;
mod machine;
mod phase;
mod plan;

pub mod config;
pub mod fleet;
pub mod report;
pub mod run;

pub use config::Config;
pub use event::Event;
pub use machine::{Machine, MachineSettings, MakeLearner, Mode};
pub use phase::{Finish, FolderSettings, GateKind, GateSettings, RatingSettings, Run, TrainingSettings};
pub use plan::{FolderPlan, Plan, plan, random_samples};
pub use run::RunDirectory;
