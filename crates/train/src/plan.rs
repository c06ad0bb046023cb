//! Estimates what a run will take, from a few seconds of measurement.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use alfil_core::seed::derive;
use alfil_game::{Encoding, FullGame, Game, Mover, Wdl};
use alfil_nn::Network;
use alfil_nn::learning::{Samples, Target};
use alfil_search::evaluators::Uniform;
use alfil_search::{EvaluatorError, spawn_scoped};
use alfil_selfplay::{
    Cheap, Counts, GameRecord, Lane, LaneContext, Resign, SearchKind, SearchSettings, SelfplaySettings, Temperature,
    Tickets, packed_size,
};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::phase::GateKind;
use crate::run::RunError;
use crate::{Config, Machine, Run};

/// An estimate of what a run will take on this machine, measured with an untrained network.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Positions played per second; 0 if games are played in no stage.
    pub positions_per_second: f64,
    /// Positions evaluated per second; 0 if nothing is played.
    pub evaluations_per_second: f64,
    /// Plies per game. Untrained networks play longer or shorter games than trained ones. Of the folders' games, if no others are
    /// learnt from.
    pub length: f64,
    /// Whether that is the length of games of random moves, because none of the network's games ended.
    pub is_random_length: bool,
    /// Positions learnt from per second.
    pub samples_per_second: f64,
    /// Games and positions in folders, and the seconds of training that an epoch takes; none if there are no folders.
    pub folders: Option<FolderPlan>,
    /// Seconds of self-play per generation.
    pub selfplay: f64,
    /// Seconds of training per generation.
    pub training: f64,
    /// Seconds of the gate per generation, at most; 0 without a gate.
    pub gate: f64,
    /// Parameters of the network.
    pub parameters: u64,
    /// Bytes of memory: trees, evaluation cache, the weights and the copies that training keeps of them, games that
    /// wait to be learnt from. Does not include libtorch itself and what it needs for a step.
    pub memory: u64,
    /// Bytes on disk of a position that was played.
    pub position_disk: f64,
    /// Bytes on disk of the games of a generation.
    pub games_disk: u64,
    /// Bytes on disk of a network.
    pub network_disk: u64,
}

/// The games in folders that a run learns from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FolderPlan {
    /// Games.
    pub games: u64,
    /// Their positions.
    pub positions: u64,
    /// Seconds of training until each has been learnt from once, those of other positions between them included.
    pub epoch: f64,
}

/// The name of the lanes in messages.
const PART: &str = "self-play";

/// Copies of the weights that training keeps: weights, gradient, two of the optimizer, the average.
const COPIES: u64 = 5;

/// Moves per game, on average, that are needed to measure the speed of moves. All games begin at the same time: with
/// fewer, the speed follows from the evaluations.
const ENOUGH_MOVES: u64 = 4;

/// Games of random moves to estimate the length of games from.
const RANDOM_GAMES: u64 = 64;

impl Plan {
    /// The same for a stage of the run, whose games, visits, batches, gate and size of the network differ from those that were
    /// measured.
    pub fn adapted(&self, measured: &Config, stage: &Config) -> Plan {
        let visits = |config: &Config| config.selfplay.cheap.mean_visits(config.selfplay.search.visits);
        let work = |config: &Config| visits(config) * flops(config);
        let positions_per_second = self.positions_per_second * work(measured) / work(stage);
        let slower = flops(stage) / flops(measured);
        let positions = positions(stage, self.length);
        let samples_per_second = self.samples_per_second / slower;
        let folders = self.folders.map(|folders| FolderPlan {
            epoch: epoch_seconds(stage, folders.positions, samples_per_second),
            ..folders
        });
        Plan {
            positions_per_second,
            folders,
            selfplay: selfplay_seconds(positions, positions_per_second),
            training: training_seconds(stage, self.length, samples_per_second),
            gate: gate_seconds(stage, self.length, self.evaluations_per_second / slower),
            games_disk: (positions * self.position_disk) as u64,
            ..self.clone()
        }
    }
}

/// The work of an evaluation.
fn flops(config: &Config) -> f64 {
    config.architecture().map_or(1.0, |architecture| architecture.flops() as f64)
}

/// Positions that are played per generation, if games have this many plies.
fn positions(config: &Config, length: f64) -> f64 {
    if config.plays_games() { config.selfplay.games as f64 * length } else { 0.0 }
}

/// Seconds of self-play per generation.
fn selfplay_seconds(positions: f64, positions_per_second: f64) -> f64 {
    if positions == 0.0 { 0.0 } else { positions / positions_per_second }
}

/// Seconds of training until each position of the folders has been learnt from once.
fn epoch_seconds(config: &Config, positions: u64, samples_per_second: f64) -> f64 {
    positions as f64 * (1.0 - config.window.sampling.held_out) / config.folder_share() / samples_per_second
}

/// Seconds of training per generation, if games have this many plies. For a generation after the first ones, which may have
/// another reuse.
fn training_seconds(config: &Config, length: f64, samples_per_second: f64) -> f64 {
    let steps = config.steps((config.selfplay.games as f64 * length) as u64, u64::MAX);
    steps as f64 * config.training.batch as f64 / samples_per_second
}

/// Seconds of the gate per generation, at most.
fn gate_seconds(config: &Config, length: f64, evaluations_per_second: f64) -> f64 {
    let games = if config.gate_kind() == GateKind::None { 0.0 } else { config.gate.games as f64 };
    if games == 0.0 { 0.0 } else { games * length * f64::from(config.gate.visits) / evaluations_per_second }
}

/// Estimates what the first stage of a run will take, from measurements of about `time`.
pub fn plan<E: Encoding>(config: &Config, machine: &Machine, time: Duration) -> Result<Plan, RunError> {
    let rules = Run::<E>::check(config)?;
    let dataset = config.dataset::<E::Game>(&rules)?;
    let plays = |config: &Config| config.plays_games() || config.gate_kind() != GateKind::None;
    let plays = config.resolved().iter().any(|(_, config)| plays(config));
    let config = &config.at(1, 0.0);
    let (architecture, mut learner) = machine.learner::<E>(config, config.seed)?;
    let weights = learner.export(&mut std::iter::empty())?;
    let network = Network { architecture: architecture.clone(), weights, origin: alfil_nn::Origin::of::<E>() };
    let (counts, records, seconds) = match plays {
        true => play::<E>(config, &rules, machine, &network, time / 2)?,
        false => (Counts::default(), Vec::new(), 1.0),
    };
    let mut samples = Samples::new(&architecture);
    random_samples::<E>(&rules, &mut samples, config.training.batch, config.seed);
    // The first step warms libtorch up.
    learner.step(&samples)?;
    let began = Instant::now();
    let mut steps = 0;
    while began.elapsed() < time / 2 {
        learner.step(&samples)?;
        steps += 1;
    }
    let samples_per_second = (steps * config.training.batch) as f64 / began.elapsed().as_secs_f64();
    let played: usize = records.iter().map(|record| record.plies.len()).sum();
    let settings = &config.selfplay;
    // Short games end first: moves made per finished game say more than the mean length of the finished ones.
    let length = match records.len() {
        _ if !config.plays_games() => dataset.positions() as f64 / dataset.games() as f64,
        0 => random_length::<E::Game>(settings, &rules, config.seed)?,
        games => counts.moves as f64 / games as f64,
    };
    let positions = positions(config, length);
    let evaluations_per_second = counts.evaluations as f64 / seconds;
    let under_way = (machine.lanes.max(1) * settings.at_once) as u64;
    let positions_per_second = if counts.moves < ENOUGH_MOVES * under_way {
        evaluations_per_second / settings.cheap.mean_visits(settings.search.visits)
    } else {
        counts.moves as f64 / seconds
    };
    let parameters = network.parameters();
    let folders = (!dataset.folders().is_empty()).then(|| FolderPlan {
        games: dataset.games(),
        positions: dataset.positions(),
        epoch: epoch_seconds(config, dataset.positions(), samples_per_second),
    });
    let trees = if plays { machine.lanes * settings.at_once * settings.search.tree_bytes() + machine.cache } else { 0 };
    let position_disk = if played == 0 { 50.0 } else { packed_size::<E::Game>(&records)? as f64 / played as f64 };
    Ok(Plan {
        positions_per_second,
        evaluations_per_second,
        length,
        is_random_length: config.plays_games() && records.is_empty(),
        samples_per_second,
        folders,
        selfplay: selfplay_seconds(positions, positions_per_second),
        training: training_seconds(config, length, samples_per_second),
        gate: gate_seconds(config, length, evaluations_per_second),
        parameters,
        memory: trees as u64 + 4 * parameters * COPIES + alfil_selfplay::replay::POOL_BYTES,
        position_disk,
        games_disk: (positions * position_disk) as u64,
        network_disk: 4 * parameters,
    })
}

/// Mean plies of games of nearly random moves that begin and are adjudicated as these settings say.
fn random_length<G: FullGame>(settings: &SelfplaySettings, rules: &G::Rules, seed: u64) -> Result<f64, RunError> {
    let settings = SelfplaySettings {
        search: SearchSettings {
            kind: SearchKind::Gumbel,
            visits: 2,
            considered: 2,
            gumbel_scale: 1.0,
            ..settings.search
        },
        cheap: Cheap::default(),
        temperature: Temperature { plies: u32::MAX, ..Temperature::ALPHA_ZERO },
        resign: Resign::default(),
        ..settings.clone()
    };
    let context = LaneContext::<G>::open(settings, rules.clone(), Arc::new(Tickets::new(RANDOM_GAMES)), seed)?;
    let mut lane = Lane::new(context, Box::new(Uniform::default()));
    while lane.is_busy() {
        lane.step(&mut drop)?;
    }
    Ok(lane.counts().mean_length())
}

/// Plays for about `time`. Returns the work done, the games that ended, and the seconds it took.
fn play<E: Encoding>(
    config: &Config,
    rules: &<E::Game as Game>::Rules,
    machine: &Machine,
    network: &Network,
    time: Duration,
) -> Result<(Counts, Vec<GameRecord>, f64), RunError> {
    let backend = machine.backend::<E>(network)?;
    let tickets = Arc::new(Tickets::endless());
    let context = LaneContext::<E::Game>::open(config.selfplay.clone(), rules.clone(), tickets, config.seed)?;
    let stop = AtomicBool::new(false);
    let began = Instant::now();
    let mut counts = Vec::new();
    let mut records = Vec::new();
    std::thread::scope(|scope| {
        let mut lanes = Vec::new();
        let started = (0..machine.lanes.max(1) as u64).try_for_each(|number| {
            let (context, stop, backend) = (context.clone(), &stop, &backend);
            let play = move || -> Result<(Counts, Vec<GameRecord>), EvaluatorError> {
                let mut lane = Lane::new(context, backend.evaluator(number)?);
                let mut records = Vec::new();
                // At least one step is measured, however long it takes.
                lane.step(&mut |record| records.push(record))?;
                while !stop.load(Relaxed) {
                    lane.step(&mut |record| records.push(record))?;
                }
                Ok((lane.counts(), records))
            };
            lanes.push(spawn_scoped(PART, scope, play)?);
            Ok::<_, EvaluatorError>(())
        });
        if started.is_ok() {
            std::thread::sleep(time);
        }
        stop.store(true, Relaxed);
        // Join all lanes before returning the first failure.
        let ended: Vec<_> = lanes.into_iter().map(|lane| lane.join()).collect();
        started?;
        for lane in ended {
            let (count, games) = lane.map_err(|panic| EvaluatorError::panicked(PART, &*panic))??;
            counts.push(count);
            records.extend(games);
        }
        Ok::<_, RunError>(())
    })?;
    Ok((Counts::sum(counts), records, began.elapsed().as_secs_f64()))
}

/// Positions of random games with meaningless targets that are always the same for the same position: a network can
/// memorise them.
pub fn random_samples<E: Encoding>(rules: &<E::Game as Game>::Rules, samples: &mut Samples, count: usize, seed: u64) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(derive(seed, &[]));
    let mut game = E::Game::new(rules);
    let mut moves = Vec::new();
    while samples.len() < count {
        if game.legal_moves(&mut moves).is_some() {
            game = E::Game::new(rules);
            continue;
        }
        let mut of_position = Xoshiro256PlusPlus::seed_from_u64(derive(seed, &[game.key()]));
        let mut policy = vec![0.0; moves.len()];
        policy[of_position.random_range(0..moves.len())] = 1.0;
        let wdl = Mover([Wdl::WIN, Wdl::DRAW, Wdl::LOSS][of_position.random_range(0..3)]);
        let moves_left = Some(of_position.random_range(0..100) as f32);
        let reply = [(of_position.random_range(0..E::POLICY_SIZE as u32), 1.0)];
        samples.push::<E>(&game, &moves, Target { policy: &policy, wdl, moves_left, reply: &reply }, None);
        game.play(moves[random.random_range(0..moves.len())]);
    }
}
