//! A worker's side of a fleet.

mod board;
mod duty;
mod fit;
mod games;
mod pairs;
mod playing;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use alfil_nn::Device;
use tokio::runtime::Builder;
use tokio::sync::watch;

use crate::error::Trouble;
use crate::layout::{HEARTBEAT, Kind, WORKER};
use crate::link::Link;
use crate::message::{PROGRAM, WorkerCard};
use crate::{Address, FleetError, Role};
use board::Board;
use duty::Duty;

/// How often a worker looks whether it is to end.
const LOOK: Duration = Duration::from_millis(200);

/// How long a worker that is told to stop takes at most to give back what it has.
const FAREWELL: Duration = Duration::from_secs(3);

/// How long to wait where the server does not do what is asked.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// How a worker plays.
#[derive(Clone)]
pub struct WorkerSettings {
    /// Its name: letters, digits, `-` and `_`.
    pub name: String,
    /// The name of its machine, for people.
    pub machine: String,
    /// Threads that play games of self-play, each with an evaluator.
    pub lanes: usize,
    /// What computes networks.
    pub device: Arc<dyn Device>,
}

/// Why a worker ended, if nothing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It was told to stop: what was under way is given to others.
    Stopped,
    /// It was sent home, and has finished what it had begun.
    Drained,
}

/// What all parts of a worker share.
pub(crate) struct Shared {
    pub link: Link,
    pub settings: WorkerSettings,
    pub board: watch::Receiver<Board>,
    /// Whether it is to leave at once.
    pub stopping: AtomicBool,
    /// What it has done, and what it has in hand, by kind.
    pub counts: watch::Sender<[Count; 2]>,
}

/// What a worker has done.
#[derive(Clone, Copy, Default)]
pub(crate) struct Count {
    pub leases: usize,
    pub sent: u64,
    pub positions: u64,
}

/// Whether this can be the name of a worker.
pub(crate) fn check_name(name: &str) -> Result<(), FleetError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.is_empty() && name.len() <= 64 && name.chars().all(is_plain) {
        return Ok(());
    }
    let name = alfil_core::wording::shorten(name);
    Err(FleetError::Address(format!("'{name}' cannot be the name of a worker: use up to 64 letters, digits, - and _")))
}

/// Plays for whatever run has the fleet, until told to leave, or until `stop` is set. `say` is told in words what people should
/// know.
pub fn work(
    address: &Address,
    settings: WorkerSettings,
    stop: &AtomicBool,
    say: &(dyn Fn(&str) + Sync),
) -> Result<Ended, FleetError> {
    check_name(&settings.name)?;
    let failed = |why: std::io::Error| FleetError::Play(format!("no threads can be started: {why}"));
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().map_err(failed)?;
    let ended = runtime.block_on(be_worker(address, settings, stop, say));
    // Threads that play are told to stop; nobody waits for a thread of the connection.
    runtime.shutdown_timeout(Duration::from_secs(1));
    ended
}

async fn be_worker(
    address: &Address,
    settings: WorkerSettings,
    stop: &AtomicBool,
    say: &(dyn Fn(&str) + Sync),
) -> Result<Ended, FleetError> {
    let link = Link::connect(address, Role::Worker).await?;
    say(&format!("the worker {} is connected to {address}", settings.name));
    let (tell, board) = watch::channel(Board::default());
    let watching = tokio::spawn(board::keep_up(link.clone(), settings.name.clone(), tell));
    let shared = Arc::new(Shared {
        link,
        settings,
        board,
        stopping: AtomicBool::new(false),
        counts: watch::channel([Count::default(); 2]).0,
    });
    let seen = tokio::spawn(be_seen(Arc::clone(&shared)));
    let [games, pairs] = Kind::ALL.map(|kind| Duty::new(Arc::clone(&shared), kind));
    // If one fails, the other gives back what it has.
    let run = async |duty: Duty| duty.run(say).await.inspect_err(|_| shared.stopping.store(true, Relaxed));
    let ended = {
        let duties = async { tokio::join!(run(games), run(pairs)) };
        tokio::pin!(duties);
        tokio::select! {
            (one, other) = &mut duties => one.and(other).map(|()| Ended::Drained),
            ended = end(&shared, stop, say) => {
                shared.stopping.store(true, Relaxed);
                let _ = tokio::time::timeout(FAREWELL, duties).await;
                ended
            }
        }
    };
    watching.abort();
    seen.abort();
    let _ = shared.link.client.flush().await;
    ended
}

/// Waits until the worker is to end at once.
async fn end(shared: &Shared, stop: &AtomicBool, say: &(dyn Fn(&str) + Sync)) -> Result<Ended, FleetError> {
    let mut run = None;
    loop {
        tokio::time::sleep(LOOK).await;
        if stop.load(Relaxed) {
            return Ok(Ended::Stopped);
        }
        let board = shared.board.borrow().clone();
        if let Some(why) = board.shut {
            return Err(FleetError::Shut(why));
        }
        if let Some(card) = board.run
            && run.as_ref() != Some(&card)
        {
            if let Some(sentence) = card.mismatch() {
                return Err(FleetError::Version(sentence));
            }
            say(&format!("plays for the run {}", alfil_core::wording::shorten(&card.run)));
            run = Some(card);
        }
    }
}

/// Says every few seconds that the worker is there, and how it does.
async fn be_seen(shared: Arc<Shared>) {
    let (mut looked, mut last) = (Instant::now(), [0; 2]);
    let mut speeds = [0.0; 2];
    loop {
        let counts = *shared.counts.borrow();
        let sent: u64 = counts.iter().map(|count| count.sent).sum();
        let positions: u64 = counts.iter().map(|count| count.positions).sum();
        let now = [sent, positions];
        let seconds = looked.elapsed().as_secs_f64();
        for (speed, (now, last)) in speeds.iter_mut().zip(now.iter().zip(last)).filter(|_| seconds > 0.1) {
            *speed += (seconds / 30.0).min(1.0) * ((now - last) as f64 / seconds - *speed);
        }
        (looked, last) = (Instant::now(), now);
        let card = WorkerCard {
            name: shared.settings.name.clone(),
            machine: shared.settings.machine.clone(),
            device: shared.settings.device.name(),
            program: PROGRAM.to_owned(),
            lanes: shared.settings.lanes,
            leases: counts.iter().map(|count| count.leases).sum(),
            games: counts[Kind::Games as usize].sent,
            pairs: counts[Kind::Pairs as usize].sent,
            positions,
            per_second: speeds[0],
            positions_per_second: speeds[1],
            leaves: shared.board.borrow().leaves,
        };
        let said = async {
            let presence = shared.link.presence().await?;
            shared.link.put(&presence, &format!("{WORKER}{}", card.name), &card).await
        };
        let said = said.await.inspect_err(|Trouble(why)| tracing::debug!(why, "the worker cannot be seen"));
        tokio::time::sleep(if said.is_ok() { HEARTBEAT } else { TRY_AGAIN }).await;
    }
}
