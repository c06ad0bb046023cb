//! Numbers that are played here again, on a thread of their own: the intake of results does not wait for them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread::JoinHandle;

use alfil_nn::{Network, catch_panic};
use alfil_train::fleet::{Judge, Played};
use alfil_train::run::RunError;

/// Numbers that may wait to be played here.
const MOST_WAITING: usize = 32;

/// The name of the thread in messages.
const PART: &str = "the judge";

/// A number to be played here, by these networks.
struct Question {
    number: u64,
    networks: Vec<Arc<Network>>,
}

/// What became of it. None if it was told to stop.
pub type Answer = (u64, Result<Option<Played>, RunError>);

/// The thread that plays numbers here. Dropped, it stops.
pub struct Replays {
    ask: Option<mpsc::Sender<Question>>,
    answers: mpsc::Receiver<Answer>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    waiting: usize,
    is_repeatable: bool,
}

impl Replays {
    pub fn start(mut judge: Box<dyn Judge>) -> Result<Replays, RunError> {
        let (ask, questions) = mpsc::channel::<Question>();
        let (answer, answers) = mpsc::channel();
        let stop = Arc::new(AtomicBool::new(false));
        let (flag, is_repeatable) = (Arc::clone(&stop), judge.is_repeatable());
        let work = move || {
            for Question { number, networks } in questions {
                let played = catch_panic(PART, || judge.play(&networks, number, &flag));
                let played = played.unwrap_or_else(|why| Err(why.into()));
                if answer.send((number, played)).is_err() || flag.load(Relaxed) {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new().name("judge".to_owned()).spawn(work);
        let thread = thread.map_err(|why| RunError::Fleet(format!("has no judge: no thread can be started: {why}")))?;
        Ok(Replays { ask: Some(ask), answers, stop, thread: Some(thread), waiting: 0, is_repeatable })
    }

    /// Whether a number that is played again is the same.
    pub fn is_repeatable(&self) -> bool {
        self.is_repeatable
    }

    /// Whether as many numbers wait as should.
    pub fn is_full(&self) -> bool {
        self.waiting >= MOST_WAITING
    }

    /// Has a number played here. Its answer comes later.
    pub fn ask(&mut self, number: u64, networks: Vec<Arc<Network>>) {
        if let Some(ask) = &self.ask
            && ask.send(Question { number, networks }).is_ok()
        {
            self.waiting += 1;
        }
    }

    /// The next answer, if there is one by now.
    pub fn answer(&mut self) -> Option<Answer> {
        let answer = self.answers.try_recv().ok()?;
        self.waiting -= 1;
        Some(answer)
    }
}

impl Drop for Replays {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
        self.ask = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
