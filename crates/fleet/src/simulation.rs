//! Workers that play nothing: they send games that are ready, to measure everything else.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use alfil_core::checksum::checksum;
use alfil_game::Game;
use alfil_selfplay::{GameRecord, pack_chunk};
use async_nats::HeaderMap;
use async_nats::jetstream::AckKind;
use futures_util::StreamExt;
use tokio::runtime::Builder;
use tokio::task::JoinSet;

use crate::error::Trouble;
use crate::layout::{JOB_HEADER, Kind, LEASES, WORKER};
use crate::link::Link;
use crate::message::{Job, Lease, WorkerCard, read};
use crate::{Address, FleetError, Role};

/// How long a request for a lease stands.
const REQUEST: Duration = Duration::from_secs(10);

/// Workers that connect in one go: a server takes connections one after the other.
const TOGETHER: usize = 50;

/// Workers that play nothing.
pub struct Simulation {
    /// How many.
    pub workers: usize,
    /// How long each takes for a lease.
    pub play: Duration,
    /// The games that they send, with the numbers of their leases.
    pub games: Vec<GameRecord>,
}

/// What simulated workers have seen.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Seconds from asking for a lease to having it, without each worker's first one, for which it waits until the run begins.
    pub waits: Vec<f64>,
    /// Bytes of the results.
    pub bytes: u64,
    /// Their positions.
    pub positions: u64,
}

impl Simulation {
    /// Works for the fleet until `stop` is set.
    pub fn run<G: Game>(self, address: &Address, stop: &Arc<AtomicBool>) -> Result<Seen, FleetError> {
        let failed = |why: std::io::Error| FleetError::Play(format!("no threads can be started: {why}"));
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().map_err(failed)?;
        let seen = Arc::new(Mutex::new(Seen::default()));
        let shared = Arc::new(self);
        let sent = Arc::new(AtomicU64::new(0));
        runtime.block_on(async {
            let mut workers = JoinSet::new();
            for number in 0..shared.workers {
                let link = Link::connect(address, Role::Worker).await?;
                let (shared, seen, sent) = (Arc::clone(&shared), Arc::clone(&seen), Arc::clone(&sent));
                workers.spawn(async move {
                    loop {
                        if let Err(Trouble(why)) = shared.work::<G>(&link, number, &seen, &sent).await {
                            tracing::debug!(why, number, "a simulated worker");
                            tokio::time::sleep(Duration::from_millis(200)).await;
                        }
                    }
                });
                if number % TOGETHER == TOGETHER - 1 {
                    tokio::task::yield_now().await;
                }
            }
            while !stop.load(Relaxed) {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            workers.abort_all();
            Ok::<(), FleetError>(())
        })?;
        runtime.shutdown_timeout(Duration::from_secs(1));
        Ok(std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// One worker, for ever.
    async fn work<G: Game>(
        &self,
        link: &Link,
        number: usize,
        seen: &Mutex<Seen>,
        sent: &AtomicU64,
    ) -> Result<(), Trouble> {
        let name = format!("simulated-{number}");
        let consumer = link.consumer(LEASES, Kind::Games).await?;
        let (board, presence) = (link.board().await?, link.presence().await?);
        let mut said = None::<Instant>;
        let mut job: Option<Job> = None;
        let (mut waiting, mut is_first) = (None, true);
        loop {
            if said.is_none_or(|said| said.elapsed() > crate::layout::HEARTBEAT) {
                let card = WorkerCard { name: name.clone(), ..WorkerCard::default() };
                link.put(&presence, &format!("{WORKER}{name}"), &card).await?;
                said = Some(Instant::now());
            }
            let asked = *waiting.get_or_insert_with(Instant::now);
            let mut batch = consumer.batch().max_messages(1).expires(REQUEST).messages().await?;
            let Some(message) = batch.next().await else { continue };
            let message = message.map_err(|why| Trouble(why.to_string()))?;
            let waited = asked.elapsed().as_secs_f64();
            waiting = None;
            let Some(lease) = Lease::read(&message.payload) else { continue };
            if job.as_ref().is_none_or(|job| job.series() != lease.series) {
                job = board.get(Kind::Games.job_key()).await?.and_then(|bytes| read(&bytes));
            }
            let Some(job) = &job else { continue };
            tokio::time::sleep(self.play).await;
            let first = sent.fetch_add(lease.numbers.len() as u64, Relaxed) as usize;
            let games = lease.numbers.iter().enumerate().map(|(at, number)| {
                let mut game = self.games[(first + at) % self.games.len()].clone();
                game.number = *number;
                game
            });
            let games: Vec<GameRecord> = games.collect();
            let bytes = pack_chunk::<G>(&games)?;
            let mut headers = HeaderMap::new();
            headers.insert(JOB_HEADER, job.id());
            headers.insert("Nats-Msg-Id", format!("{}-{:016x}", job.id(), checksum(&bytes)));
            let length = bytes.len() as u64;
            link.publish(Kind::Games.result_subject(&name), headers, bytes).await?;
            message.ack_with(AckKind::Ack).await.map_err(|why| Trouble(why.to_string()))?;
            let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            if !std::mem::replace(&mut is_first, false) {
                seen.waits.push(waited);
            }
            seen.bytes += length;
            seen.positions += games.iter().map(|game| game.plies.len() as u64).sum::<u64>();
        }
    }
}
