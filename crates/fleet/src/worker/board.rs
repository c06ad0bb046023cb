//! What a worker knows of the board: what is played, and whether it is wanted.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::kv::{Entry, Operation};
use tokio::sync::watch;

use crate::error::Trouble;
use crate::layout::{BOARD, DRAIN, Kind, RUN, SHUT};
use crate::link::Link;
use crate::message::{Job, RunCard, read};

/// How long to wait before the board is looked for again.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// What the board says, as far as it concerns this worker.
#[derive(Clone, Debug, Default)]
pub struct Board {
    /// Whose fleet it is.
    pub run: Option<RunCard>,
    /// What is played now, by kind.
    pub jobs: [Option<Arc<Job>>; 2],
    /// Whether it is to finish what it has begun, and leave.
    pub leaves: bool,
    /// Why it is shut out, if it is.
    pub shut: Option<String>,
}

/// Follows the board for ever.
pub async fn keep_up(link: Link, name: String, tell: watch::Sender<Board>) {
    // A worker of the same name may have been sent home before, on this board.
    let mut since = None;
    loop {
        if let Err(Trouble(why)) = follow(&link, &name, &tell, &mut since).await {
            tracing::debug!(why, "the board cannot be followed");
        }
        tokio::time::sleep(TRY_AGAIN).await;
    }
}

async fn follow(
    link: &Link,
    name: &str,
    tell: &watch::Sender<Board>,
    since: &mut Option<(i128, u64)>,
) -> Result<(), Trouble> {
    let board = link.stream(&format!("KV_{BOARD}")).await?;
    let (made, last) = (board.cached_info().created.unix_timestamp_nanos(), board.cached_info().state.last_sequence);
    let (first, revision) = *since.get_or_insert((made, last));
    // All that is on a new board was said after this worker began.
    let revision = if first == made { revision } else { 0 };
    let mut note = |entry: &Entry| {
        tell.send_if_modified(|board| board.note(name, entry, revision));
    };
    link.follow(">", &mut note).await
}

impl Board {
    /// Takes over what an entry says. False if that is nothing to this worker.
    fn note(&mut self, name: &str, entry: &Entry, since: u64) -> bool {
        let Entry { key, value, revision, operation, .. } = entry;
        let is_put = *operation == Operation::Put;
        if key == RUN {
            self.run = read(value);
        } else if let Some(kind) = Kind::ALL.into_iter().find(|kind| *key == kind.job_key()) {
            let job = read::<Job>(value).filter(|job| job.kind() == kind);
            self.jobs[kind as usize] = job.map(Arc::new);
        } else if key.strip_prefix(SHUT) == Some(name) {
            let why = read::<String>(value).unwrap_or_default();
            self.shut = is_put.then(|| alfil_core::wording::shorten(&why));
        } else if key.strip_prefix(DRAIN) == Some(name) && is_put && *revision > since {
            self.leaves = true;
        } else {
            return false;
        }
        true
    }
}
