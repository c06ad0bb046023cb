//! What trainer and workers tell each other, as JSON.

use alfil_core::checksum::checksum;
use alfil_core::wording::shorten;
use alfil_selfplay::CHUNK_VERSION;
use alfil_train::fleet::{Task, TaskKind};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::layout::{Kind, PROTOCOL};

/// How this program plays: what a few games of self-play come to, as a number. A test computes it, and says what to write here
/// when the program plays in another way than before. Programs of one version may differ while it is being worked on.
pub const BEHAVIOUR: u64 = 0x1ebd_091a_f04c_b233;

/// Numbers of a lease at most.
const MOST_NUMBERS: usize = 4096;

/// The program's version: others may play the same numbers in another way.
pub const PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// The run that a fleet plays for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunCard {
    /// The run's name.
    pub run: String,
    /// The version of these messages.
    pub protocol: u32,
    /// The version of the trainer's program.
    pub program: String,
    /// The version of chunks of games.
    pub chunks: u32,
    /// How the trainer's program plays.
    pub behaviour: u64,
}

impl RunCard {
    /// The card of a run of this program.
    pub fn new(run: &str) -> RunCard {
        RunCard {
            run: run.to_owned(),
            protocol: PROTOCOL,
            program: PROGRAM.to_owned(),
            chunks: CHUNK_VERSION,
            behaviour: BEHAVIOUR,
        }
    }

    /// Why a worker of this program cannot play for the run.
    pub fn mismatch(&self) -> Option<String> {
        let ours = RunCard::new(&self.run);
        (*self != ours).then(|| {
            let name = |card: &RunCard| {
                let RunCard { protocol, program, chunks, behaviour, .. } = card;
                format!("alfil {} (messages {protocol}, chunks {chunks}, play {behaviour:016x})", shorten(program))
            };
            let (run, theirs, ours) = (shorten(&self.run), name(self), name(&ours));
            format!(
                "the run {run} is trained by {theirs}, and this is {ours}: install the same version on both machines"
            )
        })
    }
}

/// What is to be played: a task and its networks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// What numbers stand for.
    pub task: Task,
    /// The networks, by their objects.
    pub networks: Vec<NetworkName>,
    /// Seconds after which a lease that is not extended is given to another worker.
    pub lease_seconds: u64,
}

/// A network in the object store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkName {
    /// The name of the object.
    pub name: String,
    /// The SHA-256 of its contents, as the object store writes it.
    pub digest: String,
}

impl Job {
    /// What identifies it: other games, or the same by other networks, are another job.
    pub fn id(&self) -> String {
        identity(&(&self.task, &self.networks))
    }

    /// What identifies its numbers, whichever networks play them.
    pub fn series(&self) -> String {
        identity(&self.task)
    }

    pub fn kind(&self) -> Kind {
        match self.task.kind {
            TaskKind::Games { .. } => Kind::Games,
            TaskKind::Pairs { .. } => Kind::Pairs,
        }
    }
}

fn identity(value: &impl Serialize) -> String {
    format!("{:016x}", checksum(&write(value)))
}

/// Numbers that a worker is to play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lease {
    /// Of which series of games they are.
    pub series: String,
    /// The numbers.
    pub numbers: Vec<u64>,
}

impl Lease {
    pub fn read(bytes: &[u8]) -> Option<Lease> {
        read::<Lease>(bytes).filter(|lease| (1..=MOST_NUMBERS).contains(&lease.numbers.len()))
    }
}

/// A worker, as it describes itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkerCard {
    /// Its name.
    pub name: String,
    /// The machine's name.
    pub machine: String,
    /// What it computes with.
    pub device: String,
    /// The version of its program.
    pub program: String,
    /// Threads that play.
    pub lanes: usize,
    /// Leases that it holds.
    pub leases: usize,
    /// Games of self-play that it has sent.
    pub games: u64,
    /// Pairs of games of matches that it has sent.
    pub pairs: u64,
    /// Positions of those games of self-play.
    pub positions: u64,
    /// Games and pairs per second in the last minute or so.
    pub per_second: f64,
    /// Positions of self-play per second in the last minute or so.
    pub positions_per_second: f64,
    /// Whether it has been told to leave.
    pub leaves: bool,
}

/// The trainer, as it describes itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TrainerCard {
    /// The run's name.
    pub run: String,
    /// Where it is kept: the machine and the folder.
    pub home: String,
    /// A number that no other trainer has, nor this one when it is started again.
    pub instance: u64,
    /// The version of its program.
    pub program: String,
    /// Games of self-play that it has taken since it began.
    pub games: u64,
    /// Their positions.
    pub positions: u64,
    /// Positions per second in the last minute or so.
    pub per_second: f64,
    /// Numbers that are to be played.
    pub open: u64,
    /// The share of positions from games that began with an earlier network than the newest, in this generation.
    pub stale_share: f64,
    /// Messages that were not results of the run.
    pub refused: u64,
    /// Workers that are shut out.
    pub shut: Vec<String>,
}

/// The bytes of a message.
pub fn write(value: &impl Serialize) -> Vec<u8> {
    // Only maps with keys that are not texts cannot be written.
    serde_json::to_vec(value).unwrap_or_default()
}

/// Reads a message. None if it is not one.
pub fn read<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    serde_json::from_slice(bytes).ok()
}

#[cfg(test)]
mod tests {
    use alfil_train::fleet::{Seat, Terms};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn other_versions_are_named_with_the_remedy() {
        let card = RunCard::new("chess");
        assert_eq!(card.mismatch(), None);
        let newer = RunCard { program: "9.9.9".to_owned(), ..card.clone() };
        let sentence = newer.mismatch().unwrap();
        assert!(sentence.contains("alfil 9.9.9") && sentence.ends_with("install the same version on both machines"));
        assert!(RunCard { protocol: 1, ..card.clone() }.mismatch().is_some());
        assert!(RunCard { behaviour: 1, ..card.clone() }.mismatch().is_some());
        // A program from before there was that number.
        let old = read::<RunCard>(br#"{"run": "chess", "protocol": 1, "program": "0.1.0", "chunks": 4}"#).unwrap();
        assert!(old.mismatch().is_some());
        assert!(RunCard { chunks: 3, ..card }.mismatch().is_some());
    }

    /// A few games of both kinds of search, at positions whose evaluation needs no network.
    fn played() -> u64 {
        use alfil_core::checksum::Fnv;
        use alfil_game::connect4::Connect4;
        use alfil_search::evaluators::Kind as Evaluators;
        use alfil_selfplay::{LaneContext, Lanes, SearchKind, SelfplaySettings, Tickets};

        let mut hash = Fnv::default();
        for kind in [SearchKind::Gumbel, SearchKind::Puct] {
            let mut settings = SelfplaySettings { at_once: 1, ..SelfplaySettings::default() };
            (settings.search.kind, settings.search.visits) = (kind, 24);
            let context = LaneContext::<Connect4>::open(settings, (), std::sync::Arc::new(Tickets::new(4)), 1).unwrap();
            let backend =
                Evaluators::Handcrafted(alfil_game::Knowledge::Full).backend::<Connect4>(&alfil_nn::Cpu).unwrap();
            let stop = std::sync::atomic::AtomicBool::new(false);
            let lanes = Lanes { context, lanes: 1, backend: &*backend, stop: &stop };
            lanes
                .run::<alfil_nn::EvaluatorError>(&mut |record, _| {
                    let bytes = record.map(|record| write(&record)).unwrap_or_default();
                    bytes.iter().for_each(|byte| hash.feed_word((*byte).into()));
                    Ok(())
                })
                .unwrap();
        }
        hash.finish()
    }

    #[test]
    fn the_program_plays_as_its_number_says() {
        let played = played();
        assert_eq!(played, BEHAVIOUR, "the program plays in another way than before: set BEHAVIOUR to {played:#x}");
    }

    proptest! {
        /// Messages with any byte changed, cut off or added are read as what they say or not at all.
        #[test]
        fn damaged_messages_do_no_harm(at in 0usize..400, byte: u8, cut in 0usize..400, more: Vec<u8>) {
            let terms = Terms {
                encoding: "tictactoe/stones".to_owned(), encoding_version: 1, rules: String::new(), seed: 7,
            };
            let seats = [Seat::Network { network: 0, visits: 3 }, Seat::Line("random".to_owned())];
            let kind = TaskKind::Pairs { players: seats, openings: 3 };
            let network = NetworkName { name: "a".to_owned(), digest: "SHA-256=b".to_owned() };
            let job = Job { task: Task { terms, kind }, networks: vec![network], lease_seconds: 30 };
            prop_assert_eq!(read::<Job>(&write(&job)).unwrap().id(), job.id());
            let lease = Lease { series: job.series(), numbers: vec![1, u64::MAX] };
            for whole in [write(&job), write(&lease), write(&RunCard::new("run")), write(&WorkerCard::default())] {
                let mut changed = whole.clone();
                let length = changed.len();
                changed[at % length] = byte;
                for bytes in [&changed[..], &whole[..cut % length], &[&whole[..], &more].concat(), &more] {
                    if let Some(job) = read::<Job>(bytes) {
                        prop_assert_eq!(read::<Job>(&write(&job)), Some(job));
                    }
                    if let Some(lease) = Lease::read(bytes) {
                        prop_assert_eq!(Lease::read(&write(&lease)), Some(lease));
                    }
                    let _ = (read::<RunCard>(bytes), read::<WorkerCard>(bytes), read::<TrainerCard>(bytes));
                }
            }
        }
    }

    #[test]
    fn leases_are_bounded() {
        let lease = |numbers: usize| write(&Lease { series: "a".to_owned(), numbers: (0..numbers as u64).collect() });
        assert_eq!(Lease::read(&lease(4096)).unwrap().numbers.len(), 4096);
        assert_eq!((Lease::read(&lease(0)), Lease::read(&lease(4097)), Lease::read(b"{}")), (None, None, None));
    }
}
