//! A fleet: machines that play for a run, over NATS JetStream.
//!
//! A [`Trainer`] is the run's side: it keeps the numbers that are to be played as leases in a work queue, the networks in an object
//! store and what is played now in a key-value bucket, and takes what comes back from a stream. [`work`] is a worker's side. No
//! message is trusted, and none is needed for good: what is lost is played again, and what comes twice counts once
//! (docs/decisions/0012). Knows no learner.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod address;
mod claim;
mod error;
mod layout;
mod ledger;
mod link;
mod message;
mod replays;
mod simulation;
mod status;
mod trainer;
mod worker;

pub use address::{Address, Role};
pub use error::FleetError;
pub use ledger::Ledger;
pub use message::{TrainerCard, WorkerCard};
pub use simulation::{Seen, Simulation};
pub use status::{Queues, Status, drain, forgive, status};
pub use trainer::Trainer;
pub use worker::{Ended, WorkerSettings, work};
