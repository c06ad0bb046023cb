//! What a fleet has on its server: streams, buckets and subjects. configs/fleet/nats.conf grants permissions by these names.

use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};

/// The version of the messages. Trainer and workers have the same one.
pub const PROTOCOL: u32 = 2;

/// The work queue of leases.
pub const LEASES: &str = "alfil_leases";

/// The work queue of results.
pub const RESULTS: &str = "alfil_results";

/// The key-value bucket that says what is played, and by whom it is not to be.
pub const BOARD: &str = "alfil";

/// The key-value bucket of those who are there. Entries go away by themselves.
pub const PRESENCE: &str = "alfil_presence";

/// The object store of networks.
pub const NETWORKS: &str = "alfil_networks";

/// The key of the run, in the board.
pub const RUN: &str = "run";

/// The key of the trainer among those who are there.
pub const TRAINER: &str = "trainer";

/// Before the name of a worker that is to leave, in the board.
pub const DRAIN: &str = "drain.";

/// Before the name of a worker that is shut out, in the board.
pub const SHUT: &str = "shut.";

/// Before the name of a worker, among those who are there.
pub const WORKER: &str = "worker.";

/// The header that says which job a result is of.
pub const JOB_HEADER: &str = "Alfil-Job";

/// The header that says what the worker's evaluators answer.
pub const ARITHMETIC_HEADER: &str = "Alfil-Arithmetic";

/// The header that says that the result of this number is too large for a message.
pub const TOO_LARGE_HEADER: &str = "Alfil-Too-Large";

/// Those who are there say so this often,
pub const HEARTBEAT: Duration = Duration::from_secs(5);

/// and are gone after this long.
const GONE: Duration = Duration::from_secs(30);

/// How long the trainer may have results in hand before they are given to it again: writing them and playing some again.
pub const KEEPING: Duration = Duration::from_secs(120);

/// How long the server knows that a message has been sent before.
const DUPLICATES: Duration = Duration::from_secs(120);

/// Bytes of leases at most. Of all these, a server sets aside what it may keep for each run: configs/fleet/nats.conf has room for
/// a dozen.
const MOST_LEASES: i64 = 64 << 20;

/// Bytes of results at most: workers wait if the trainer does not take them.
const MOST_RESULTS: i64 = 512 << 20;

/// Bytes of the board at most, of which jobs are the largest part.
const MOST_BOARD: i64 = 16 << 20;

/// Bytes at most of those who are there: some hundred each.
const MOST_PRESENCE: i64 = 16 << 20;

/// Bytes of all networks on the server at most.
pub const MOST_NETWORKS: i64 = 2 << 30;

/// Bytes of a message at most, headers included: what a server takes by default.
pub const LARGEST_MESSAGE: usize = 1 << 20;

/// Room in a message for its headers.
pub const HEADERS: usize = 1024;

/// What numbers stand for. Each kind has its own leases, results and job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Games of self-play.
    Games,
    /// Pairs of games of matches.
    Pairs,
}

impl Kind {
    pub const ALL: [Kind; 2] = [Kind::Games, Kind::Pairs];

    /// Its word in subjects, which is also the name of the consumers.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Games => "games",
            Kind::Pairs => "pairs",
        }
    }

    /// The key of its job in the board.
    pub fn job_key(self) -> String {
        format!("job.{}", self.word())
    }

    pub fn lease_subject(self) -> String {
        format!("alfil.lease.{}", self.word())
    }

    pub fn result_subject(self, worker: &str) -> String {
        format!("alfil.result.{}.{worker}", self.word())
    }

    /// How workers take leases.
    pub fn lease_consumer(self, lease: Duration) -> pull::Config {
        pull::Config {
            durable_name: Some(self.word().to_owned()),
            filter_subject: self.lease_subject(),
            ack_policy: AckPolicy::Explicit,
            ack_wait: lease,
            max_ack_pending: 1_000_000,
            max_waiting: 100_000,
            ..pull::Config::default()
        }
    }

    /// How the trainer takes results.
    pub fn result_consumer(self) -> pull::Config {
        pull::Config {
            durable_name: Some(self.word().to_owned()),
            filter_subject: self.result_subject("*"),
            ack_policy: AckPolicy::Explicit,
            ack_wait: KEEPING,
            max_ack_pending: 20_000,
            ..pull::Config::default()
        }
    }
}

/// The streams. Those of the buckets are here as well, since async-nats cannot make buckets on servers before 2.10.
pub fn streams() -> [Config; 4] {
    let queue = |name: &str, subject: &str, max_bytes| Config {
        name: name.to_owned(),
        subjects: vec![subject.to_owned()],
        retention: RetentionPolicy::WorkQueue,
        discard: DiscardPolicy::New,
        storage: StorageType::File,
        duplicate_window: DUPLICATES,
        max_bytes,
        max_message_size: LARGEST_MESSAGE as i32,
        ..Config::default()
    };
    let bucket = |name: &str, storage, max_age, max_bytes| Config {
        name: format!("KV_{name}"),
        subjects: vec![format!("$KV.{name}.>")],
        max_messages_per_subject: 1,
        discard: DiscardPolicy::New,
        allow_rollup: true,
        deny_delete: true,
        allow_direct: true,
        storage,
        max_age,
        max_bytes,
        ..Config::default()
    };
    [
        queue(LEASES, "alfil.lease.*", MOST_LEASES),
        queue(RESULTS, "alfil.result.*.*", MOST_RESULTS),
        bucket(BOARD, StorageType::File, Duration::ZERO, MOST_BOARD),
        bucket(PRESENCE, StorageType::Memory, GONE, MOST_PRESENCE),
    ]
}
