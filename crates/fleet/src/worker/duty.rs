//! What a worker does for one kind of numbers: leases in, results out.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use alfil_core::checksum::checksum;
use alfil_core::wording::one_line;
use alfil_train::fleet::Played;
use async_nats::HeaderMap;
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;
use tokio::sync::{mpsc, watch};

use super::Shared;
use super::fit::{Fit, fit};
use super::playing::{Done, Playing};
use crate::FleetError;
use crate::error::Trouble;
use crate::layout::{ARITHMETIC_HEADER, JOB_HEADER, Kind, LEASES, TOO_LARGE_HEADER};
use crate::message::{Job, Lease};

/// How long to wait for a result before anything else is looked at.
const TURN: Duration = Duration::from_millis(50);

/// How long a request for leases stands.
const REQUEST: Duration = Duration::from_secs(10);

/// How long to wait when the server does not do what is asked.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// The time over which results are counted.
const SECOND: Duration = Duration::from_secs(1);

/// How long a lease may be of something that is not on the board: the board may come a little later than the lease.
const UNKNOWN: Duration = Duration::from_secs(5);

/// Results are sent when there are this many, or after `SEND_TIME`: what a killed worker can lose is the time that games take, and this.
const SEND_GAMES: usize = 64;
const SEND_TIME: Duration = Duration::from_secs(1);

/// Results that wait to be sent, before no more leases are taken: the server may be away for hours.
const MOST_UNSENT: usize = 4096;

/// After this many lease times in which no game has gone on, the device is held to hang.
const STALLED: u32 = 10;

/// How long a lease is extended at most: one of its games may hang beside others that go on. A longer game is played elsewhere as
/// well, and whoever ends first counts.
const OLDEST: Duration = Duration::from_secs(2 * 3600);

/// One kind of numbers, of one worker.
pub struct Duty {
    shared: Arc<Shared>,
    /// When it began: tells its messages from those of an earlier worker, which may have played the same games for a run that has
    /// lost them.
    began: u128,
    kind: Kind,
    /// The newest last: the others finish what they have begun.
    playing: Vec<Playing>,
    done: (mpsc::UnboundedSender<Done>, mpsc::UnboundedReceiver<Done>),
    held: Vec<Held>,
    unsent: VecDeque<(Arc<str>, Played)>,
    /// Since when there is something to be sent; later if sending has failed.
    due: Option<Instant>,
    sent: u64,
    /// Results since then, and how many there were in the second before.
    recent: (Instant, usize),
    rate: usize,
    progress: Progress,
    positions: u64,
}

/// Whether games go on.
struct Progress {
    steps: u64,
    looked: Instant,
    /// For how long there have been no more steps.
    idle: Duration,
}

/// A lease that this worker holds.
struct Held {
    message: Message,
    lease: Lease,
    /// Its numbers whose results have not been sent.
    open: BTreeSet<u64>,
    /// Whether they are being played.
    begun: bool,
    taken: Instant,
    extended: Instant,
}

impl Duty {
    pub fn new(shared: Arc<Shared>, kind: Kind) -> Duty {
        let began = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        Duty {
            began,
            shared,
            kind,
            playing: Vec::new(),
            done: mpsc::unbounded_channel(),
            held: Vec::new(),
            unsent: VecDeque::new(),
            due: None,
            sent: 0,
            recent: (Instant::now(), 0),
            rate: 0,
            progress: Progress { steps: 0, looked: Instant::now(), idle: Duration::ZERO },
            positions: 0,
        }
    }

    /// Works until the worker is told to leave and all is finished.
    pub async fn run(mut self, say: &(dyn Fn(&str) + Sync)) -> Result<(), FleetError> {
        let (want, wanted) = watch::channel(0);
        let (found, mut leases) = mpsc::unbounded_channel();
        let pulling = tokio::spawn(pull(Arc::clone(&self.shared), self.kind, wanted, found));
        let worked = loop {
            match self.turn(&want, &mut leases, say).await {
                Ok(true) => {}
                Ok(false) => break Ok(()),
                Err(why) => break Err(why),
            }
        };
        pulling.abort();
        let _ = pulling.await;
        self.give_back(&mut leases).await;
        worked
    }

    /// False if there is nothing more to do.
    async fn turn(
        &mut self,
        want: &watch::Sender<usize>,
        leases: &mut mpsc::UnboundedReceiver<Message>,
        say: &(dyn Fn(&str) + Sync),
    ) -> Result<bool, FleetError> {
        if self.shared.stopping.load(Relaxed) {
            return Ok(false);
        }
        let board = self.shared.board.borrow().clone();
        let is_ours = board.run.as_ref().is_some_and(|run| run.mismatch().is_none());
        let job = board.jobs[self.kind as usize].clone().filter(|_| is_ours);
        while let Ok(message) = leases.try_recv() {
            self.take(message, board.leaves).await;
        }
        if let Some(job) = &job {
            self.begin(job, say).await?;
        }
        self.drop_obsolete(job.as_deref()).await;
        if let Ok(Some(done)) = tokio::time::timeout(TURN, self.done.1.recv()).await {
            self.note(done)?;
            while let Ok(done) = self.done.1.try_recv() {
                self.note(done)?;
            }
        }
        let waited = self.due.is_some_and(|due| due.elapsed() >= SEND_TIME);
        let is_time = waited || self.unsent.len() >= SEND_GAMES || self.is_complete();
        if is_time && let Err(Trouble(why)) = self.send().await {
            tracing::warn!(why, "results cannot be sent yet");
            tokio::time::sleep(TRY_AGAIN).await;
        }
        let lease = Duration::from_secs(job.as_ref().map_or(3, |job| job.lease_seconds.max(1)));
        self.look_at_progress(lease)?;
        let is_due = |held: &&mut Held| held.extended.elapsed() >= lease / 3 && held.taken.elapsed() < OLDEST;
        for held in self.held.iter_mut().filter(is_due) {
            held.extended = Instant::now();
            acknowledge(&held.message, AckKind::Progress).await;
        }
        self.shared.counts.send_modify(|counts| {
            let count = &mut counts[self.kind as usize];
            (count.leases, count.sent, count.positions) = (self.held.len(), self.sent, self.positions);
        });
        if self.recent.0.elapsed() >= SECOND {
            self.rate = (self.recent.1 as f64 / self.recent.0.elapsed().as_secs_f64()) as usize;
            self.recent = (Instant::now(), 0);
        }
        let is_free = !board.leaves && is_ours && self.unsent.len() < MOST_UNSENT;
        want.send_replace(if is_free { self.missing() } else { 0 });
        Ok(!(board.leaves && self.held.is_empty() && self.unsent.is_empty()))
    }

    /// Whether games go on. A device that no longer answers is an error: others play the games.
    fn look_at_progress(&mut self, lease: Duration) -> Result<(), FleetError> {
        let progress = &mut self.progress;
        // A process that was paused has not been looking.
        let passed = std::mem::replace(&mut progress.looked, Instant::now()).elapsed().min(SECOND);
        let steps = self.playing.iter().fold(0, |sum, playing| playing.steps().wrapping_add(sum));
        let under_way: usize = self.held.iter().filter(|held| held.begun).map(|held| held.open.len()).sum();
        if under_way <= self.unsent.len() || steps != progress.steps {
            (progress.steps, progress.idle) = (steps, Duration::ZERO);
        } else {
            progress.idle += passed;
        }
        if progress.idle > STALLED * lease {
            let seconds = progress.idle.as_secs();
            return Err(FleetError::Play(format!(
                "no game has gone on for {seconds} seconds: {} hangs",
                self.device()
            )));
        }
        Ok(())
    }

    fn device(&self) -> String {
        self.shared.settings.device.name()
    }

    /// Sends what is there, and lets others have the leases at once.
    async fn give_back(&mut self, leases: &mut mpsc::UnboundedReceiver<Message>) {
        if let Err(Trouble(why)) = self.send().await {
            tracing::debug!(why, "results cannot be sent any more");
        }
        let rest = std::iter::from_fn(|| leases.try_recv().ok());
        for message in self.held.drain(..).map(|held| held.message).chain(rest) {
            acknowledge(&message, AckKind::Nak(None)).await;
        }
        self.playing.clear();
    }

    /// Leases to ask for.
    fn missing(&self) -> usize {
        // At least as many as are played in a second: cheap games should not wait for the network.
        let appetite = self.playing.last().map_or(1, |playing| playing.appetite.max(self.rate));
        let in_hand: usize = self.held.iter().map(|held| held.open.len()).sum();
        let usual = self.held.iter().map(|held| held.lease.numbers.len()).max().unwrap_or(appetite).max(1);
        appetite.saturating_sub(in_hand).div_ceil(usual)
    }

    /// Whether all that is in hand has been played, and waits only to be sent.
    fn is_complete(&self) -> bool {
        let in_hand: usize = self.held.iter().map(|held| held.open.len()).sum();
        !self.unsent.is_empty() && self.unsent.len() >= in_hand
    }

    async fn take(&mut self, message: Message, leaves: bool) {
        let Some(lease) = Lease::read(&message.payload) else {
            tracing::warn!("a message is not a lease");
            return acknowledge(&message, AckKind::Term).await;
        };
        if leaves {
            return acknowledge(&message, AckKind::Nak(None)).await;
        }
        let now = Instant::now();
        // A lease comes again if its holder was too slow, which may have been this worker: the numbers are being played.
        let same = self.held.iter_mut().find(|held| held.lease == lease);
        if let Some(held) = same {
            (held.message, held.extended) = (message, now);
            return;
        }
        let open = lease.numbers.iter().copied().collect();
        self.held.push(Held { message, lease, open, begun: false, taken: now, extended: now });
    }

    /// Starts on leases of the job that is on the board; with its networks, if it is not played yet.
    async fn begin(&mut self, job: &Job, say: &(dyn Fn(&str) + Sync)) -> Result<(), FleetError> {
        let series = job.series();
        if !self.held.iter().any(|held| !held.begun && held.lease.series == series) {
            return Ok(());
        }
        let id = job.id();
        if self.playing.last().is_none_or(|playing| *playing.job != *id) {
            let mut networks = Vec::new();
            for name in &job.networks {
                match self.shared.link.fetch_network(name).await {
                    Ok(network) => networks.push(network),
                    Err(Trouble(why)) => {
                        // The board may name another one by now.
                        tracing::warn!(why, "a network cannot be fetched");
                        tokio::time::sleep(TRY_AGAIN).await;
                        return Ok(());
                    }
                }
            }
            let started = Playing::start(job, networks, &self.shared.settings, self.done.0.clone());
            let playing = started.map_err(|why| FleetError::Play(one_line(&why)))?;
            tracing::info!(job = id, kind = ?self.kind, "job begins");
            for earlier in &self.playing {
                let rest = earlier.close();
                if earlier.series == series {
                    playing.give(&rest);
                }
            }
            self.playing.push(playing);
            say(&format!("plays {} of job {id}", self.kind.word()));
        }
        let Some(playing) = self.playing.last() else { return Ok(()) };
        for held in self.held.iter_mut().filter(|held| !held.begun && held.lease.series == series) {
            held.begun = true;
            playing.give(&held.lease.numbers);
        }
        Ok(())
    }

    /// Gives back leases of what is not played here, and the threads that have nothing left to play. The trainer removes leases of what
    /// is no longer played; of others, the board here is late.
    async fn drop_obsolete(&mut self, job: Option<&Job>) {
        let series = job.map(Job::series);
        let is_obsolete = |held: &Held| {
            series.as_ref().is_none_or(|series| held.lease.series != *series) && held.taken.elapsed() >= UNKNOWN
        };
        for held in self.held.extract_if(.., |held| is_obsolete(held)) {
            acknowledge(&held.message, AckKind::Nak(Some(UNKNOWN))).await;
        }
        let held = &self.held;
        self.playing.retain(|playing| {
            let is_held = held.iter().any(|held| held.lease.series == playing.series);
            is_held || series.as_ref() == Some(&playing.series)
        });
    }

    fn note(&mut self, done: Done) -> Result<(), FleetError> {
        match done {
            Done::Played { job, played } => {
                self.due.get_or_insert_with(Instant::now);
                self.recent.1 += 1;
                self.unsent.push_back((job, played));
            }
            Done::Ended(Some(why)) => return Err(FleetError::Play(one_line(&why.to_string()))),
            Done::Ended(None) => {}
        }
        Ok(())
    }

    /// Sends what has been played, as few messages as possible, and gives back leases of which all has been sent.
    async fn send(&mut self) -> Result<(), Trouble> {
        // After an error, wait before the next attempt.
        self.due = Some(Instant::now());
        while let Some((job, _)) = self.unsent.front().cloned() {
            let of_job = self.unsent.iter().take_while(|(other, _)| *other == job).take(SEND_GAMES);
            let played: Vec<Played> = of_job.map(|(_, played)| played.clone()).collect();
            let Some(playing) = self.playing.iter().find(|playing| *playing.job == *job) else {
                // Nobody waits for it any more.
                self.unsent.drain(..played.len());
                continue;
            };
            let sent = match fit(&played, self.shared.link.room(), playing.pack).map_err(Trouble)? {
                Fit::Message { bytes, results } => {
                    self.publish(&job, playing.arithmetic, bytes).await?;
                    results
                }
                // The trainer plays it itself.
                Fit::TooLarge => {
                    self.publish_too_large(&job, played[0].number()).await?;
                    1
                }
            };
            self.unsent.drain(..sent);
            self.sent += sent as u64;
            for result in &played[..sent] {
                self.positions += result.positions();
                self.held.iter_mut().for_each(|held| _ = held.open.remove(&result.number()));
            }
        }
        self.due = None;
        for held in self.held.extract_if(.., |held| held.begun && held.open.is_empty()) {
            acknowledge(&held.message, AckKind::Ack).await;
        }
        Ok(())
    }

    async fn publish(&self, job: &str, arithmetic: u64, bytes: Vec<u8>) -> Result<(), Trouble> {
        let mut headers = HeaderMap::new();
        headers.insert(JOB_HEADER, job);
        headers.insert(ARITHMETIC_HEADER, format!("{arithmetic:016x}"));
        // If the answer to this message is lost, it is sent again, and the server knows it. The same games played again later, because
        // the trainer did not take them, are another message.
        headers.insert("Nats-Msg-Id", format!("{job}-{:x}-{}-{:016x}", self.began, self.sent, checksum(&bytes)));
        let subject = self.kind.result_subject(&self.shared.settings.name);
        self.shared.link.publish(subject, headers, bytes).await.map(drop)
    }

    /// Says that a result is larger than a message may be.
    async fn publish_too_large(&self, job: &str, number: u64) -> Result<(), Trouble> {
        tracing::warn!(number, "a game is too large for a message");
        let mut headers = HeaderMap::new();
        headers.insert(JOB_HEADER, job);
        headers.insert(TOO_LARGE_HEADER, number.to_string());
        headers.insert("Nats-Msg-Id", format!("{job}-{:x}-{}-large-{number}", self.began, self.sent));
        let subject = self.kind.result_subject(&self.shared.settings.name);
        self.shared.link.publish(subject, headers, Vec::new()).await.map(drop)
    }
}

/// Asks for as many leases as are wanted, for ever.
async fn pull(
    shared: Arc<Shared>,
    kind: Kind,
    mut wanted: watch::Receiver<usize>,
    found: mpsc::UnboundedSender<Message>,
) {
    loop {
        let Ok(count) = wanted.wait_for(|count| *count > 0).await.map(|count| *count) else { return };
        let pulled = async {
            let consumer = shared.link.consumer(LEASES, kind).await?;
            let mut batch = consumer.batch().max_messages(count).expires(REQUEST).messages().await?;
            while let Some(message) = batch.next().await {
                let _ = found.send(message.map_err(|why| Trouble(why.to_string()))?);
            }
            // What has come counts before more is asked for.
            tokio::time::sleep(TURN).await;
            Ok::<(), Trouble>(())
        };
        if let Err(Trouble(why)) = pulled.await {
            tracing::debug!(why, "leases cannot be had yet");
            tokio::time::sleep(TRY_AGAIN).await;
        }
    }
}

/// Tells the server something about a lease. If that is lost, the lease is given out again, and its results are known.
async fn acknowledge(message: &Message, kind: AckKind) {
    if let Err(why) = message.ack_with(kind).await {
        tracing::debug!(%why, "a lease cannot be acknowledged");
    }
}
