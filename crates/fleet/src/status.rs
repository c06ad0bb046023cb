//! Looking at a fleet, and sending workers home.

use alfil_core::wording::one_line;
use futures_util::StreamExt;
use serde::Serialize;
use tokio::runtime::Builder;

use crate::error::Trouble;
use crate::layout::{DRAIN, Kind, LEASES, RESULTS, SHUT, TRAINER, WORKER};
use crate::link::Link;
use crate::message::{TrainerCard, WorkerCard, read};
use crate::worker::check_name;
use crate::{Address, FleetError, Role};

/// A fleet as it is now.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Status {
    /// The trainer, if it is there.
    pub trainer: Option<TrainerCard>,
    /// The workers that are there, by name, with the seconds since each was seen.
    pub workers: Vec<(WorkerCard, f64)>,
    /// What waits on the server.
    pub queues: Queues,
}

/// What waits on a fleet's server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Queues {
    /// Leases that no worker has taken.
    pub leases: u64,
    /// Leases that workers hold.
    pub held: u64,
    /// Messages of results that the trainer has not kept yet.
    pub results: u64,
}

/// Asks how a fleet does.
pub fn status(address: &Address) -> Result<Status, FleetError> {
    run(address, "say how the fleet does", async |link| {
        let presence = link.presence().await?;
        let mut status = Status { queues: queues(&link).await?, ..Status::default() };
        let mut keys = presence.keys().await?;
        while let Some(key) = keys.next().await {
            let key = key?;
            let Some(entry) = presence.entry(&key).await? else { continue };
            if key == TRAINER {
                status.trainer = read(&entry.value);
            } else if let Some(name) = key.strip_prefix(WORKER)
                && let Some(card) = read::<WorkerCard>(&entry.value)
            {
                // The server lets a worker that has a user of its own write under its own name only.
                let card = WorkerCard { name: name.to_owned(), ..card };
                let age = std::time::SystemTime::from(entry.created).elapsed();
                status.workers.push((card, age.map_or(0.0, |age| age.as_secs_f64())));
            }
        }
        status.workers.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
        Ok(status)
    })
}

async fn queues(link: &Link) -> Result<Queues, Trouble> {
    let mut queues = Queues::default();
    for kind in Kind::ALL {
        let mut leases = link.consumer(LEASES, kind).await?;
        let info = leases.info().await?;
        queues.leases += info.num_pending;
        queues.held += info.num_ack_pending as u64;
    }
    queues.results = link.stream(RESULTS).await?.info().await?.state.messages;
    Ok(queues)
}

/// Tells a worker to finish what it has begun, and leave. False if there is no worker of that name.
pub fn drain(address: &Address, worker: &str) -> Result<bool, FleetError> {
    check_name(worker)?;
    run(address, "take the message", async |link| {
        let is_there = link.presence().await?.get(format!("{WORKER}{worker}")).await?.is_some();
        if is_there {
            link.put(&link.board().await?, &format!("{DRAIN}{worker}"), &worker).await?;
        }
        Ok(is_there)
    })
}

/// Lets a worker in again that was shut out. False if no worker of that name is.
pub fn forgive(address: &Address, worker: &str) -> Result<bool, FleetError> {
    check_name(worker)?;
    run(address, "take the message", async |link| {
        let (board, key) = (link.board().await?, format!("{SHUT}{worker}"));
        let is_shut = board.get(key.as_str()).await?.is_some();
        if is_shut {
            board.delete(key).await?;
        }
        Ok(is_shut)
    })
}

fn run<T>(
    address: &Address,
    what: &'static str,
    ask: impl AsyncFnOnce(Link) -> Result<T, Trouble>,
) -> Result<T, FleetError> {
    let failed = |why: std::io::Error| FleetError::Play(format!("no threads can be started: {why}"));
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().map_err(failed)?;
    runtime.block_on(async {
        let link = Link::connect(address, Role::Operator).await?;
        ask(link).await.map_err(|Trouble(why)| {
            let why =
                format!("{}; has a trainer been there, with alfil train CONFIG --fleet {address}?", one_line(&why));
            FleetError::Server { address: address.to_string(), what, why }
        })
    })
}
