//! Systems without sockets of this kind: nobody can watch.

use std::convert::Infallible;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use alfil_selfplay::Gallery;

use crate::fleet::Fleet;
use crate::run::State;
use crate::{Event, RunDirectory};

/// Nothing: it cannot be opened here.
pub struct LiveRun(Infallible);

impl LiveRun {
    /// Fails.
    pub fn open(_: &RunDirectory, _: &State, _: Arc<Gallery>, _: Arc<AtomicBool>) -> io::Result<LiveRun> {
        Err(ErrorKind::Unsupported.into())
    }

    /// Tells of the workers of this fleet as well.
    pub fn show_fleet(&self, _: &Arc<dyn Fleet>) {
        match self.0 {}
    }

    /// Takes note of an event of the run.
    pub fn tell(&self, _: &Event<'_>) {
        match self.0 {}
    }
}
