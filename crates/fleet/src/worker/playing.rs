//! A job that a worker plays: threads with a queue of numbers.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use alfil_core::wording::shorten;
use alfil_game::{Encoding, with_encoding};
use alfil_nn::{EvaluatorError, Network};
use alfil_train::fleet::{Played, TaskKind};
use tokio::sync::mpsc::UnboundedSender;

use super::{WorkerSettings, games, pairs};
use crate::message::Job;

/// Packs what was played into the bytes of a message.
pub type Pack = fn(&[Played]) -> Result<Vec<u8>, String>;

/// What the threads of a job say.
pub enum Done {
    /// This number has been played.
    Played {
        /// Of which job.
        job: Arc<str>,
        /// What came of it.
        played: Played,
    },
    /// They have ended; why, if something failed.
    Ended(Option<EvaluatorError>),
}

/// Numbers that threads are to play.
#[derive(Default)]
pub struct Queue(Mutex<VecDeque<u64>>);

impl Queue {
    fn numbers(&self) -> MutexGuard<'_, VecDeque<u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn take(&self) -> Option<u64> {
        self.numbers().pop_front()
    }

    pub fn give(&self, numbers: &[u64]) {
        self.numbers().extend(numbers);
    }

    fn take_all(&self) -> Vec<u64> {
        self.numbers().drain(..).collect()
    }
}

/// A job whose numbers are played by threads of this process. Dropped, they stop.
pub struct Playing {
    pub job: Arc<str>,
    pub series: String,
    /// What the evaluators answer.
    pub arithmetic: u64,
    pub pack: Pack,
    /// Numbers to have in hand so that no thread waits.
    pub appetite: usize,
    queue: Arc<Queue>,
    /// Lets this many more games begin; with `None`, no others ever.
    allow: Box<dyn Fn(Option<u64>) + Send>,
    stop: Arc<AtomicBool>,
    steps: Arc<AtomicU64>,
}

/// What the threads of a job work with.
pub struct Setting<'a> {
    pub job: &'a Job,
    pub id: Arc<str>,
    pub networks: Vec<Arc<Network>>,
    pub worker: &'a WorkerSettings,
    pub queue: Arc<Queue>,
    pub stop: Arc<AtomicBool>,
    /// Grows as long as games go on.
    pub steps: Arc<AtomicU64>,
    pub done: UnboundedSender<Done>,
}

/// What a kind of job gives to the worker when its threads have started.
pub struct Started {
    pub arithmetic: u64,
    pub pack: Pack,
    pub appetite: usize,
    pub allow: Box<dyn Fn(Option<u64>) + Send>,
}

impl Playing {
    /// Starts the threads. The error completes the sentence "cannot play for the run: …".
    pub fn start(
        job: &Job,
        networks: Vec<Network>,
        worker: &WorkerSettings,
        done: UnboundedSender<Done>,
    ) -> Result<Playing, String> {
        let encoding = &job.task.terms.encoding;
        let steps = Arc::new(AtomicU64::new(0));
        let (queue, stop, id) = (Arc::new(Queue::default()), Arc::new(AtomicBool::new(false)), Arc::from(job.id()));
        let setting = Setting {
            job,
            id: Arc::clone(&id),
            networks: networks.into_iter().map(Arc::new).collect(),
            worker,
            queue: Arc::clone(&queue),
            stop: Arc::clone(&stop),
            steps: Arc::clone(&steps),
            done,
        };
        let started = with_encoding!(encoding, E => start::<E>(setting)).map_err(|why| why.to_string())??;
        let Started { arithmetic, pack, appetite, allow } = started;
        Ok(Playing { job: id, series: job.series(), arithmetic, pack, appetite, queue, allow, stop, steps })
    }

    /// Has these numbers played.
    pub fn give(&self, numbers: &[u64]) {
        self.queue.give(numbers);
        (self.allow)(Some(numbers.len() as u64));
    }

    /// A number that grows as long as games go on.
    pub fn steps(&self) -> u64 {
        self.steps.load(Relaxed)
    }

    /// Lets what is under way be played to its end, and nothing else begin. Returns the numbers that have not begun.
    pub fn close(&self) -> Vec<u64> {
        let rest = self.queue.take_all();
        (self.allow)(None);
        rest
    }
}

impl Drop for Playing {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
    }
}

fn start<E: Encoding>(setting: Setting<'_>) -> Result<Started, String> {
    let terms = &setting.job.task.terms;
    if terms.encoding_version != E::VERSION {
        return Err(format!(
            "it uses version {} of the encoding {}, and this program has version {}: install the same version of alfil on \
             both machines",
            terms.encoding_version,
            E::NAME,
            E::VERSION
        ));
    }
    let rules = alfil_game::read_foreign_rules::<E::Game>(&terms.rules, &Default::default());
    let rules = rules.map_err(|why| shorten(&why.to_string()))?;
    match &setting.job.task.kind {
        TaskKind::Games { settings, listed } => games::start::<E>(&setting, rules, settings, listed),
        TaskKind::Pairs { players, openings } => pairs::start::<E>(&setting, rules, players, *openings),
    }
}
