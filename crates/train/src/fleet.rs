//! The contract of a fleet: other machines that play for a run.
//!
//! A run says what is to be played (a [`Task`]) and gives out the numbers of the games that may begin; a [`Fleet`] has them played,
//! and hands what comes back to a [`Referee`] of the run, which trusts nothing in it. What a number stands for is the same
//! wherever it is played.

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use alfil_arena::contest::Record;
use alfil_arena::player::{PlayerLine, TreeSettings};
use alfil_core::checksum::Fnv;
use alfil_core::settings;
use alfil_game::{Encoding, Game};
use alfil_nn::{Device, Network};
use alfil_search::evaluators::NetworkBackend;
use alfil_search::{Backend, Evaluation};
use alfil_selfplay::{GameRecord, Ply, Ticket};
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use crate::run::RunError;

settings! {
    /// How other machines play for the run, where it is trained with --fleet.
    #[derive(Copy)]
    pub struct FleetSettings {
        /// Games of self-play that a worker is given at once.
        pub lease_games: u64 = 8, in 1..=1024;
        /// Seconds after which the games of a worker that shows no sign of life are given to another one. A worker whose games
        /// have not gone on for ten times as long ends.
        pub lease_seconds: u64 = 30, in 2..=3600;
        /// The share of positions that may come from games which began with an earlier network than the newest; games beyond it
        /// are played again. 0 takes none of them.
        pub stale_share: f64 = 0.5, in 0.0..=1.0;
        /// The share of games and pairs that is played again here, to compare: exactly where the worker's evaluators say that
        /// they give the same bits, by their first moves elsewhere.
        pub replay_share: f64 = 0.002, in 0.0..=1.0;
        /// After this many messages that are not results of the run, a worker is shut out.
        pub strikes: u32 = 3, in 1..=1000;
    }
}

/// What games follow from, beside their numbers and the contents of the networks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// The name of the encoding, which names the game as well.
    pub encoding: String,
    /// Its version.
    pub encoding_version: u32,
    /// The options of the rules; empty for the usual ones.
    pub rules: String,
    /// The seed of all chance.
    pub seed: u64,
}

/// Something to be played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// The game, and what chance follows from.
    pub terms: Terms,
    /// What a number stands for.
    pub kind: TaskKind,
}

/// What a number stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum TaskKind {
    /// A game of self-play, by the task's only network.
    Games {
        /// The settings of self-play, as a configuration has them.
        settings: String,
        /// The positions that games may begin from.
        listed: Vec<String>,
    },
    /// A pair of games of a match.
    Pairs {
        /// The two players.
        players: [Seat; 2],
        /// The seed of the openings.
        openings: u64,
    },
}

/// A player of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Seat {
    /// A network of the task.
    Network {
        /// Its place among the task's networks.
        network: usize,
        /// Visits per move.
        visits: u32,
    },
    /// A player that needs nothing but its line.
    Line(String),
}

/// How a network plays in the matches of a run.
pub fn match_settings(visits: u32) -> TreeSettings {
    TreeSettings { visits: Some(visits), ..TreeSettings::default() }
}

/// Whether a line names a player that needs no file and no program: the only ones that may come from elsewhere.
pub fn is_harmless(line: &str) -> bool {
    line.parse::<PlayerLine>().is_ok_and(|player| player.is_self_contained())
}

/// What comes back for a number.
#[derive(Clone, Debug, PartialEq)]
pub enum Played {
    /// A game of self-play.
    Game(Box<GameRecord>),
    /// A pair of games of a match.
    Pair(Box<[Record; 2]>),
}

impl Played {
    /// Its number.
    pub fn number(&self) -> u64 {
        match self {
            Played::Game(record) => record.number,
            Played::Pair(pair) => pair[0].pair,
        }
    }

    /// Positions to learn from.
    pub fn positions(&self) -> u64 {
        match self {
            Played::Game(record) => record.plies.len() as u64,
            Played::Pair(_) => 0,
        }
    }

    /// Whether this, which was played here, and `theirs` can be the same number played by the same networks. `exactly` is for
    /// evaluators that give the same bits. With others games part sooner or later, so only the first decision is compared, which
    /// differs now and then by chance, and nearly always where nobody searched.
    pub fn agrees(&self, theirs: &Played, exactly: bool) -> bool {
        match (self, theirs) {
            (Played::Game(own), Played::Game(game)) if exactly => own == game,
            (Played::Game(own), Played::Game(game)) => {
                let decides = own.plies.first().zip(game.plies.first());
                own.start == game.start && decides.is_some_and(|(own, theirs)| is_near(own, theirs))
            }
            (Played::Pair(own), Played::Pair(pair)) => {
                let mut games = own.iter().zip(&**pair);
                // Notes have times in them.
                let same = |(own, game): (&Record, &Record)| {
                    (&own.start, &own.moves, &own.end) == (&game.start, &game.moves, &game.end)
                        && own.score.to_bits() == game.score.to_bits()
                };
                let begins = |(own, game): (&Record, &Record)| {
                    let first = |game: &Record| game.moves.split(' ').nth(game.book).map(str::to_owned);
                    own.start == game.start && first(own) == first(game)
                };
                if exactly { games.all(same) } else { games.any(begins) }
            }
            _ => false,
        }
    }
}

/// Points of 2 by which the values of two searches of one position may differ where evaluators round differently.
const NEAR_VALUE: f32 = 0.2;

/// The share of a policy that may lie elsewhere then.
const NEAR_POLICY: f32 = 0.5;

/// Whether two searches of one position can have been by the same network.
fn is_near(own: &Ply, theirs: &Ply) -> bool {
    let values = (own.value().0 - theirs.value().0).abs() <= NEAR_VALUE;
    let (Some(one), Some(other)) = (own.coded_policy(), theirs.coded_policy()) else {
        return values && own.has_policy() == theirs.has_policy();
    };
    let other: BTreeMap<u16, f32> = other.collect();
    // Half the sum of differences is the share that lies elsewhere: what the one has and the other has not.
    let elsewhere: f32 = one.map(|(code, share)| (share - other.get(&code).unwrap_or(&0.0)).max(0.0)).sum();
    values && elsewhere <= NEAR_POLICY
}

/// What a fleet is to play.
pub struct Order<'a> {
    /// What a number stands for.
    pub task: Task,
    /// The networks that play from now on. Another answer than the last one is a newer network: games that began with the one
    /// before are stale.
    pub networks: &'a dyn Fn() -> Vec<Arc<Network>>,
    /// The next number to be played, if one may begin now.
    pub next: &'a dyn Fn() -> Ticket,
    /// Whether to stop at once: what has been kept by then counts.
    pub stop: &'a dyn Fn() -> bool,
    /// How it is played.
    pub settings: FleetSettings,
}

/// Judges what workers send, for a run. Errors complete the sentence "the result is not one of this run: …".
pub trait Referee {
    /// Reads the bytes of a message.
    fn read(&self, bytes: &[u8]) -> Result<Vec<Played>, String>;

    /// Whether this can be what was asked for: every move legal, the result by the rules.
    fn check(&mut self, played: &Played) -> Result<(), String>;

    /// Who plays numbers here as well. None where nobody does.
    fn judge(&self) -> Option<Box<dyn Judge>>;

    /// What this machine's evaluators answer, as a number: workers with the same one give the same bits.
    fn arithmetic(&mut self, networks: &[Arc<Network>]) -> Result<u64, RunError>;

    /// Keeps results. They are on the disk when this returns.
    fn keep(&mut self, played: Vec<Played>) -> Result<(), RunError>;
}

/// Plays numbers here as well: to compare, or because no worker can. Has a thread of its own.
pub trait Judge: Send {
    /// Whether a number played twice is the same: no player looks at a clock.
    fn is_repeatable(&self) -> bool;

    /// Plays a number with these networks. None if it was told to stop.
    fn play(&mut self, networks: &[Arc<Network>], number: u64, stop: &AtomicBool) -> Result<Option<Played>, RunError>;
}

/// Other machines that play for a run.
pub trait Fleet: Send + Sync {
    /// Has all numbers of an order played, each of which reaches the referee once. Returns when all are kept, or when told to stop.
    fn play(&self, order: &Order<'_>, referee: &mut dyn Referee) -> Result<(), RunError>;

    /// What the fleet has done since this was last asked.
    fn metrics(&self) -> FleetMetrics;

    /// Who has played since this process began, and how they do now.
    fn workers(&self) -> Vec<WorkerNow>;
}

/// A worker as the trainer sees it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkerNow {
    /// Its name.
    pub name: String,
    /// What it has done since the trainer began. Its rate is that of the last minute or so.
    pub done: WorkerMetrics,
    /// Seconds since its last result.
    pub quiet: f64,
    /// Whether it is shut out.
    pub shut: bool,
}

/// What a fleet has done for a generation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FleetMetrics {
    /// By worker.
    pub workers: BTreeMap<String, WorkerMetrics>,
    /// The share of positions from games that began with an earlier network than the newest.
    pub stale_share: f64,
    /// Stale games that were too many, and were played again.
    pub discarded: u64,
    /// Results that had arrived already.
    pub duplicates: u64,
    /// Games and pairs that were played again here, and agreed.
    pub replayed: u64,
    /// Those that were played again here because no message could hold them.
    pub own: u64,
}

/// What a worker has done for a generation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkerMetrics {
    /// Games of self-play.
    pub games: u64,
    /// Their positions.
    pub positions: u64,
    /// Pairs of games of matches.
    pub pairs: u64,
    /// Messages that were not results of the run.
    pub refused: u64,
    /// Positions per second; of a generation, over the time since the one before was finished.
    pub per_second: f64,
}

impl AddAssign for WorkerMetrics {
    /// Adds counts. Rates are not added.
    fn add_assign(&mut self, more: WorkerMetrics) {
        self.games += more.games;
        self.positions += more.positions;
        self.pairs += more.pairs;
        self.refused += more.refused;
    }
}

/// Plies of the random game whose positions show how a device computes.
const SAMPLE: usize = 12;

/// What a device's evaluators answer in some positions, and the system's functions to some numbers, as a number: machines that
/// have the same one give the same bits there.
pub fn arithmetic<E: Encoding>(
    networks: &[Arc<Network>],
    device: &dyn Device,
    rules: &<E::Game as Game>::Rules,
) -> Result<u64, RunError> {
    let mut hash = Fnv::default();
    // Searches use these, and systems round them differently.
    for number in 1..100 {
        let number = f64::from(number) / 7.0;
        for function in [f64::ln, f64::exp, f64::sqrt] {
            hash.feed_word(function(number).to_bits());
        }
        hash.feed_word((number as f32).ln().to_bits().into());
        hash.feed_word((number as f32).exp().to_bits().into());
    }
    for network in networks {
        let mut evaluator = NetworkBackend::<E>::new(network, device)?.evaluator(0)?;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let (mut game, mut moves) = (E::Game::new(rules), Vec::new());
        for _ in 0..SAMPLE {
            if game.legal_moves(&mut moves).is_some() {
                break;
            }
            evaluator.add(&game, &moves);
            let Some(m) = moves.choose(&mut random) else { break };
            game.play(*m);
        }
        evaluator.run(&mut |_, Evaluation { priors, wdl, .. }| {
            let values = <[f32; 3]>::from(wdl.0);
            priors.iter().chain(&values).for_each(|number| hash.feed_word(number.to_bits().into()));
        })?;
    }
    Ok(hash.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_players_that_need_nothing_are_sent_to_others() {
        for line in
            ["random", "oracle", "alphabeta:depth=2", "minimax", "uct:rollouts=5,name=x", "handcrafted:visits=3"]
        {
            assert!(is_harmless(line), "{line}");
        }
        let book = "alphabeta:depth=2,book=/etc/passwd";
        for line in [book, "random:book=x", "uci:stockfish,movetime=1", "trained", "net.safetensors", "nonsense", ""] {
            assert!(!is_harmless(line), "{line}");
        }
    }
}
