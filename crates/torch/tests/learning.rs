//! A learner learns, resumes where it stopped, and exports what it has learnt.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::iter::{empty, once};
use std::sync::Arc;

use alfil_game::chess::{Az21, Lc0};
use alfil_game::{Encoding, Game, Mover, Wdl, connect4, tictactoe};
use alfil_nn::learning::{
    Decay, EncodedArchitecture, LearnError, Learner, LearningSettings, Loss, LossWeights, Losses, Optimizer,
    OptimizerKind, Samples, Schedule, Target,
};
use alfil_nn::{
    Activation, Architecture, Engine, HeadShape, Model, Network, Origin, Outputs, PolicyShape, ValueOutput, Weights,
    lc0,
};
use alfil_torch::{Device, TorchLearner};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use safetensors::SafeTensors;

const ADAMW: Optimizer =
    Optimizer { kind: OptimizerKind::AdamW, momentum: 0.9, beta1: 0.9, beta2: 0.999, weight_decay: 1e-4 };
const SGD: Optimizer = Optimizer { kind: OptimizerKind::Sgd, ..ADAMW };
const PLAIN: Optimizer = Optimizer { momentum: 0.0, weight_decay: 0.0, ..SGD };

fn settings(optimizer: Optimizer, rate: f64) -> LearningSettings {
    LearningSettings {
        optimizer,
        schedule: Schedule { rate, warm_up: 0, ..Schedule::default() },
        clip: 0.0,
        weights: LossWeights { moves_left: 1.0, ..LossWeights::default() },
        average: 0.0,
        mixed_precision: false,
    }
}

fn architecture<E: Encoding>(size: &str) -> Architecture {
    let mut architecture = Architecture::new::<E>(size.parse().unwrap());
    architecture.value.head = HeadShape { filters: 4, hidden: 16 };
    architecture
}

/// Everything that the default architecture does not have.
fn unusual() -> Architecture {
    let mut architecture = architecture::<Lc0>("16x2s4");
    architecture.activation = Activation::Mish;
    architecture.policy = PolicyShape::Dense { filters: 4, outputs: Lc0::POLICY_SIZE };
    architecture.value.output = ValueOutput::Tanh;
    architecture.moves_left = Some(HeadShape { filters: 4, hidden: 16 });
    architecture
}

fn encoded<E: Encoding>(architecture: &Architecture) -> EncodedArchitecture<'_> {
    EncodedArchitecture::new::<E>(architecture).unwrap()
}

fn learner<E: Encoding>(architecture: &Architecture, settings: &LearningSettings) -> TorchLearner {
    TorchLearner::new(encoded::<E>(architecture), settings.clone(), &[Device::Cpu], 7).unwrap()
}

/// Positions of random games with random targets, of which one in `without` has neither a policy nor plies left nor a reply (0:
/// all have them).
fn samples<E: Encoding>(architecture: &Architecture, count: usize, seeds: [u64; 2], without: usize) -> Samples {
    let [mut games, mut targets] = seeds.map(Xoshiro256PlusPlus::seed_from_u64);
    let mut samples = Samples::new(architecture);
    let (mut game, mut moves) = (E::Game::new(&Default::default()), Vec::new());
    while samples.len() < count {
        if game.legal_moves(&mut moves).is_some() {
            game = E::Game::new(&Default::default());
            continue;
        }
        if games.random_range(0..3) == 0 {
            let mut policy: Vec<f32> = moves.iter().map(|_| targets.random_range(0.0f32..1.0).powi(8)).collect();
            let sum: f32 = policy.iter().sum();
            policy.iter_mut().for_each(|share| *share /= sum);
            let wdl = Mover([Wdl::WIN, Wdl::DRAW, Wdl::LOSS][targets.random_range(0..3)]);
            let moves_left = targets.random_range(0.0..60.0);
            let learnt = without == 0 || !(samples.len() + 1).is_multiple_of(without);
            let policy = if learnt { policy.as_slice() } else { &[] };
            let reply = [((samples.len() * 7_919 % E::POLICY_SIZE) as u32, 1.0)];
            let reply = if learnt { &reply[..] } else { &[] };
            let target = Target { policy, wdl, moves_left: learnt.then_some(moves_left), reply };
            samples.push::<E>(&game, &moves, target, None);
        }
        game.play(moves[games.random_range(0..moves.len())]);
    }
    samples
}

fn tensors(learner: &TorchLearner) -> BTreeMap<String, Vec<f32>> {
    let state = learner.state().unwrap();
    let tensors = SafeTensors::deserialize(&state).unwrap();
    let numbers = |bytes: &[u8]| bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    tensors.tensors().into_iter().map(|(name, view)| (name, numbers(view.data()))).collect()
}

/// The largest difference between two sets of tensors.
fn distance(a: &BTreeMap<String, Vec<f32>>, b: &BTreeMap<String, Vec<f32>>) -> f32 {
    assert!(a.keys().eq(b.keys()));
    let pairs = a.values().flatten().zip(b.values().flatten());
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

fn network<E: Encoding>(architecture: &Architecture, weights: Weights) -> Network {
    Network { architecture: architecture.clone(), weights, origin: Origin::of::<E>() }
}

/// The losses of a network as it plays, computed independently of the learner.
fn losses_in_play<E: Encoding>(network: &Network, samples: &Samples) -> Losses {
    let mut outputs = Outputs::default();
    Engine::new(Arc::new(Model::new::<E>(network).unwrap())).evaluate(samples.batch(), &mut outputs);
    let mut losses = Losses::default();
    let (mut policies, mut lengths, count) = (0.0, 0.0, samples.len() as f64);
    for sample in 0..samples.len() {
        let (priors, shares) = (outputs.priors(sample), samples.policy(sample));
        let pairs = || priors.iter().zip(shares).filter(|(_, share)| **share > 0.0);
        losses.policy -= pairs().map(|(prior, share)| f64::from(share * prior.ln())).sum::<f64>();
        losses.policy_entropy -= pairs().map(|(_, share)| f64::from(share * share.ln())).sum::<f64>();
        if samples.has_policy(sample) {
            policies += 1.0;
            let best = |numbers: &[f32]| (0..numbers.len()).max_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
            losses.agreement += f64::from(best(priors) == best(shares));
        }
        let Mover(wdl) = samples.wdl()[sample];
        losses.value += match outputs.wdl.get(sample) {
            Some(Mover(found)) => {
                let pairs = <[f32; 3]>::from(wdl).into_iter().zip(<[f32; 3]>::from(*found));
                -pairs.map(|(share, p)| f64::from(share * p.ln())).sum::<f64>()
            }
            None => f64::from(outputs.values[sample] - wdl.value()).powi(2),
        };
        if let (Some(plies), Some(expected)) = (outputs.moves_left.get(sample), samples.moves_left()[sample]) {
            lengths += 1.0;
            let error = f64::from(plies - expected).abs() / 20.0;
            losses.moves_left += if error < 0.5 { error * error / 2.0 } else { 0.5 * (error - 0.25) };
        }
    }
    for policy in [&mut losses.policy, &mut losses.policy_entropy, &mut losses.agreement] {
        *policy /= policies;
    }
    losses.value /= count;
    losses.moves_left /= f64::max(lengths, 1.0);
    losses
}

fn assert_same(a: Losses, b: Losses, tolerance: f64) {
    let terms = Loss::ALL.map(|loss| (a[loss], b[loss]));
    for (x, y) in terms.into_iter().chain([(a.policy_entropy, b.policy_entropy), (a.agreement, b.agreement)]) {
        assert!((x - y).abs() <= tolerance * (1.0 + x.abs()), "{a:?} {b:?}");
    }
}

fn overfits<E: Encoding>(architecture: Architecture, optimizer: Optimizer, rate: f64, steps: usize) {
    let batch = samples::<E>(&architecture, 32, [1, 2], 4);
    let mut learner = learner::<E>(&architecture, &LearningSettings { average: 0.9, ..settings(optimizer, rate) });
    let first = learner.step(&batch).unwrap();
    let mut last = first;
    for _ in 0..steps {
        last = learner.step(&batch).unwrap();
    }
    let measured = learner.measure(&batch).unwrap();
    println!("{} {}: {first:.3?} {last:.3?} {measured:.3?}", E::NAME, architecture.size());
    for found in [last, measured] {
        assert!(found.policy - found.policy_entropy < 0.05, "{found:?}");
        assert!(found.value < 0.05, "{found:?}");
        assert!(found.moves_left < 0.1, "{found:?}");
        // Not all: some have two moves that are nearly equal.
        assert!(found.agreement > 0.7, "{found:?}");
    }
}

#[test]
fn one_batch_is_memorised() {
    overfits::<Az21>(architecture::<Az21>("16x2s4"), ADAMW, 0.01, 150);
    overfits::<Lc0>(unusual(), ADAMW, 0.01, 200);
    overfits::<connect4::Stones>(architecture::<connect4::Stones>("16x2"), SGD, 0.1, 250);
}

#[test]
fn the_reply_is_learnt_in_training_only_and_its_head_may_come_and_go() {
    type E = Az21;
    let small = architecture::<E>("16x2");
    let plain = settings(ADAMW, 0.01);
    let weights = LossWeights { reply: 0.5, ..plain.weights };
    let mut replying = learner::<E>(&small, &LearningSettings { weights, ..plain.clone() });
    let batch = samples::<E>(&small, 32, [1, 2], 4);
    let first = replying.step(&batch).unwrap();
    assert!((first.reply - (E::POLICY_PLANES as f64 * 64.0).ln()).abs() < 0.5, "{first:?}");
    let last = (0..200).map(|_| replying.step(&batch).unwrap()).last().unwrap();
    let measured = replying.measure(&batch).unwrap();
    assert!(last.reply < 0.05 && measured.reply < 0.1, "{last:?} {measured:?}");

    // What is exported is what a learner without the head exports.
    let state = replying.state().unwrap();
    let mut without = learner::<E>(&small, &plain);
    without.restore(&state).unwrap();
    assert!(
        tensors(&replying).contains_key("reply.output.weight")
            && !tensors(&without).contains_key("reply.output.weight")
    );
    assert_eq!(replying.export(&mut empty()).unwrap(), without.export(&mut empty()).unwrap());
    assert_eq!(without.measure(&batch).unwrap(), Losses { reply: 0.0, ..measured });

    // The head begins anew in a learner that goes on from a state without it.
    let mut again = learner::<E>(&small, &LearningSettings { weights, ..plain });
    let new = tensors(&again)["reply.output.weight"].clone();
    again.restore(&without.state().unwrap()).unwrap();
    assert_eq!(tensors(&again)["reply.output.weight"], new);
    assert_eq!(tensors(&again)["stem.weight"], tensors(&without)["stem.weight"]);
    assert!(again.step(&batch).unwrap().reply > 3.0);
}

#[test]
fn a_new_network_has_no_preferences() {
    let architecture = architecture::<Az21>("32x3s4");
    let batch = samples::<Az21>(&architecture, 64, [1, 2], 0);
    let weights = learner::<Az21>(&architecture, &settings(SGD, 0.1)).export(&mut once(batch.clone())).unwrap();
    let mut outputs = Outputs::default();
    let model = Model::new::<Az21>(&network::<Az21>(&architecture, weights)).unwrap();
    Engine::new(Arc::new(model)).evaluate(batch.batch(), &mut outputs);
    assert!(outputs.values.iter().all(|value| value.abs() < 0.4));
    for sample in 0..batch.len() {
        let even = 1.0 / outputs.priors(sample).len() as f32;
        assert!(outputs.priors(sample).iter().all(|prior| (prior / even).ln().abs() < 1.0));
    }
}

#[test]
fn a_short_step_lowers_the_loss_as_its_gradient_predicts() {
    let architecture = unusual();
    let batch = samples::<Lc0>(&architecture, 32, [1, 2], 2);
    let weight = 0.7;
    for loss in Loss::ALL {
        let mut weights = LossWeights::default();
        Loss::ALL.into_iter().for_each(|other| weights[other] = if other == loss { weight } else { 0.0 });
        let learner = |rate| learner::<Lc0>(&architecture, &LearningSettings { weights, ..settings(PLAIN, rate) });
        let first = learner(0.0).step(&batch).unwrap();
        // A step that should lower the loss by a thousandth: some terms are much steeper than others.
        let promised = 0.001 * weight * first[loss];
        let mut learner = learner(promised / first.gradient.powi(2));
        let (before, after) = (learner.step(&batch).unwrap()[loss], learner.step(&batch).unwrap()[loss]);
        assert_eq!(before, first[loss]);
        let kept = weight * (before - after) / promised;
        assert!((kept - 1.0).abs() < 0.05, "{loss:?}: {before} {after} {kept}");
    }
}

#[test]
fn two_replicas_learn_what_one_does() {
    type E = connect4::Stones;
    let architecture = architecture::<E>("16x2s4");
    // The same positions twice, so that the statistics of the batch norms are those of the whole in each half; with
    // other targets, and with policies for fewer.
    let half = samples::<E>(&architecture, 24, [1, 2], 0);
    let mut batch = half.clone();
    batch.append(&samples::<E>(&architecture, 24, [1, 3], 2));
    assert_eq!(batch.batch().planes_of(3), batch.batch().planes_of(27));

    let settings = settings(PLAIN, 0.5);
    let mut one = learner::<E>(&architecture, &settings);
    let mut two =
        TorchLearner::new(encoded::<E>(&architecture), settings.clone(), &[Device::Cpu, Device::Cpu], 7).unwrap();
    let before = tensors(&one);
    assert_eq!(distance(&before, &tensors(&two)), 0.0);
    for _ in 0..3 {
        let (whole, parts) = (one.step(&batch).unwrap(), two.step(&batch).unwrap());
        assert_same(whole, parts, 1e-4);
        assert!((whole.gradient / parts.gradient - 1.0).abs() < 1e-3);
    }
    // Variances are divided by n - 1, and n is half as large.
    let (one, two) = (tensors(&one), tensors(&two));
    assert!(distance(&before, &one) > 0.1);
    assert!(distance(&one, &two) < 2e-3, "{}", distance(&one, &two));
}

#[test]
fn more_replicas_than_samples_do_no_harm() {
    type E = tictactoe::Stones;
    let architecture = architecture::<E>("16x2");
    let mut learner =
        TorchLearner::new(encoded::<E>(&architecture), settings(SGD, 0.1), &[Device::Cpu, Device::Cpu, Device::Cpu], 7)
            .unwrap();
    let losses = learner.step(&samples::<E>(&architecture, 2, [1, 2], 0)).unwrap();
    assert!(losses.gradient > 0.0);
    assert_eq!(learner.steps(), 1);
    assert_eq!(learner.step(&Samples::new(&architecture)).unwrap(), Losses::default());
    assert_eq!(learner.steps(), 1);
}

#[test]
fn a_position_without_moves_teaches_its_value() {
    type E = tictactoe::Stones;
    let architecture = architecture::<E>("8x1");
    let mut batch = samples::<E>(&architecture, 4, [1, 2], 0);
    let target = Target { policy: &[], wdl: Mover(Wdl::WIN), moves_left: Some(0.0), reply: &[] };
    batch.push::<E>(&tictactoe::TicTacToe::new(&()), &[], target, None);
    let mut learner = learner::<E>(&architecture, &settings(SGD, 0.1));
    assert!(learner.step(&batch).unwrap().gradient > 0.0);
    let mut alone = Samples::new(&architecture);
    alone.push::<E>(&tictactoe::TicTacToe::new(&()), &[], target, None);
    let losses = learner.step(&alone).unwrap();
    assert_eq!((losses.policy, losses.policy_entropy, losses.agreement), (0.0, 0.0, 0.0));
    assert!(losses.gradient > 0.0 && losses.value > 0.0);
}

fn resumes<E: Encoding>(architecture: &Architecture, optimizer: Optimizer, devices: &[Device]) {
    let settings = LearningSettings { average: 0.99, clip: 1.0, ..settings(optimizer, 0.01) };
    let new = |seed| TorchLearner::new(encoded::<E>(architecture), settings.clone(), devices, seed).unwrap();
    let batch = |step: u64| samples::<E>(architecture, 16, [step, 100 + step], 3);
    let mut whole = new(7);
    (0..20).for_each(|step| _ = whole.step(&batch(step)).unwrap());
    let mut first = new(7);
    (0..10).for_each(|step| _ = first.step(&batch(step)).unwrap());
    let mut second = new(8);
    second.restore(&first.state().unwrap()).unwrap();
    assert_eq!(second.steps(), 10);
    (10..20).for_each(|step| _ = second.step(&batch(step)).unwrap());
    assert!(whole.state().unwrap() == second.state().unwrap());
}

#[test]
fn a_restored_learner_continues_to_the_last_bit() {
    resumes::<Az21>(&architecture::<Az21>("16x2s4"), SGD, &[Device::Cpu]);
    resumes::<connect4::Stones>(&architecture::<connect4::Stones>("16x2"), ADAMW, &[Device::Cpu, Device::Cpu]);
    resumes::<Lc0>(&unusual(), ADAMW, &[Device::Cpu]);
}

#[test]
fn changed_settings_are_those_of_a_learner_that_was_restored_with_them() {
    type E = connect4::Stones;
    let architecture = architecture::<E>("16x2");
    let batch = |step: u64| samples::<E>(&architecture, 16, [step, 100 + step], 3);
    for (average, later) in [(0.0, 0.99), (0.9, 0.99), (0.9, 0.0)] {
        let before = LearningSettings { average, ..settings(ADAMW, 0.01) };
        let optimizer = Optimizer { beta1: 0.8, beta2: 0.99, weight_decay: 0.1, ..ADAMW };
        let weights = LossWeights { value: 2.0, ..LossWeights::default() };
        let after = LearningSettings { average: later, clip: 0.5, weights, ..settings(optimizer, 0.003) };
        let mut changed = learner::<E>(&architecture, &before);
        (0..5).for_each(|step| _ = changed.step(&batch(step)).unwrap());
        let mut restored = learner::<E>(&architecture, &after);
        restored.restore(&changed.state().unwrap()).unwrap();
        let mut unchanged = learner::<E>(&architecture, &before);
        unchanged.restore(&changed.state().unwrap()).unwrap();
        changed.change(after).unwrap();
        for step in 5..10 {
            for learner in [&mut changed, &mut restored, &mut unchanged] {
                learner.step(&batch(step)).unwrap();
            }
        }
        assert!(changed.state().unwrap() == restored.state().unwrap());
        assert!(tensors(&changed)["stem.weight"] != tensors(&unchanged)["stem.weight"]);
    }
    let refused = learner::<E>(&architecture, &settings(ADAMW, 0.1)).change(settings(SGD, 0.1));
    assert!(matches!(refused, Err(LearnError::State(_))), "{refused:?}");
}

/// The outputs of two networks on some positions differ by no more than the rounding of their weights explains.
fn assert_same_outputs<E: Encoding>(a: &Network, b: &Network, batch: &Samples) {
    let [a, b] = [a, b].map(|network| {
        let mut outputs = Outputs::default();
        Engine::new(Arc::new(Model::new::<E>(network).unwrap())).evaluate(batch.batch(), &mut outputs);
        outputs
    });
    let near = |a: &[f32], b: &[f32]| {
        assert_eq!(a.len(), b.len());
        for (x, y) in a.iter().zip(b) {
            assert!((x - y).abs() < 1e-4 * (1.0 + x.abs()), "{x} {y}");
        }
    };
    near(&a.values, &b.values);
    near(&a.moves_left, &b.moves_left);
    (0..batch.len()).for_each(|sample| near(a.priors(sample), b.priors(sample)));
}

fn begins<E: Encoding>(start: &Network) {
    let architecture = &start.architecture;
    let batch = samples::<E>(architecture, 64, [1, 2], 4);
    let others = samples::<E>(architecture, 64, [3, 4], 0);
    let played = losses_in_play::<E>(start, &batch);
    for average in [0.0, 0.9] {
        // Without positions: the same when it is exported, and when it is measured.
        let mut learner = learner::<E>(architecture, &LearningSettings { average, ..settings(PLAIN, 0.0) });
        assert!(learner.begin_with(start, &mut empty()).unwrap().is_empty());
        let exported = network::<E>(architecture, learner.export(&mut empty()).unwrap());
        assert_same_outputs::<E>(start, &exported, &others);
        let measured = learner.measure(&batch).unwrap();
        assert_same(measured, played, 1e-3);
        // With positions: also when it learns from them, and the step is none with a rate of 0.
        assert!(learner.begin_with(start, &mut once(batch.clone())).unwrap().is_empty());
        let exported = network::<E>(architecture, learner.export(&mut empty()).unwrap());
        assert_same_outputs::<E>(start, &exported, &others);
        assert_eq!(learner.steps(), 0);
        let learnt = learner.step(&batch).unwrap();
        // Only while it learns may fewer than 0 plies be left.
        assert_same(Losses { moves_left: measured.moves_left, ..learnt }, measured, 1e-3);
    }
    // What it knows is not lost as it goes on.
    let mut learner = learner::<E>(architecture, &settings(SGD, 0.001));
    learner.begin_with(start, &mut once(batch.clone())).unwrap();
    (0..10).for_each(|_| _ = learner.step(&batch).unwrap());
    let total = |losses: Losses| losses.policy + losses.value;
    assert!(total(learner.step(&batch).unwrap()) < total(played));
}

#[test]
fn a_learner_begins_with_a_network_as_it_plays() {
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/connect4.safetensors");
    begins::<connect4::Stones>(&Network::load(shipped.as_ref()).unwrap());
    begins::<Az21>(&Network::random::<Az21>(architecture::<Az21>("16x2s4"), 5));
    begins::<Lc0>(&Network::random::<Lc0>(unusual(), 6));
    let leela = Network::random::<Lc0>(architecture::<Lc0>("16x2s4"), 7);
    begins::<Lc0>(&lc0::import_bytes(&lc0::export_bytes(&leela).unwrap()).unwrap());
}

#[test]
fn heads_of_another_shape_begin_with_random_weights_and_another_tower_is_refused() {
    type E = connect4::Stones;
    let start = Network::random::<E>(architecture::<E>("16x2s4"), 5);
    let batch = samples::<E>(&start.architecture, 32, [1, 2], 0);
    let mut larger = start.architecture.clone();
    larger.value.head = HeadShape { filters: 8, hidden: 32 };
    larger.moves_left = Some(HeadShape { filters: 4, hidden: 8 });
    let mut learner_of_larger = learner::<E>(&larger, &settings(SGD, 0.1));
    let random = learner_of_larger.export(&mut empty()).unwrap();
    assert_eq!(learner_of_larger.begin_with(&start, &mut once(batch.clone())).unwrap(), ["value", "moves_left"]);
    let exported = network::<E>(&larger, learner_of_larger.export(&mut empty()).unwrap());
    assert_eq!(exported.weights.value.hidden, random.value.hidden);
    assert_eq!(exported.weights.moves_left.as_ref().unwrap().output, random.moves_left.unwrap().output);
    let [policy, known] = [&exported, &start].map(|network| losses_in_play::<E>(network, &batch).policy);
    assert!((policy - known).abs() < 1e-4, "{policy} {known}");
    let without = Network { architecture: larger.clone(), ..exported };
    assert!(learner::<E>(&start.architecture, &settings(SGD, 0.1)).begin_with(&without, &mut empty()).is_ok());
    let refused = learner::<E>(&architecture::<E>("16x3s4"), &settings(SGD, 0.1)).begin_with(&start, &mut empty());
    let refused = refused.unwrap_err().to_string();
    assert!(refused.starts_with("its tower is 16x2s4 with ") && refused.contains(", and 16x3s4 with "), "{refused}");
}

#[test]
fn a_state_of_another_learner_is_refused() {
    type E = tictactoe::Stones;
    let small = architecture::<E>("8x1");
    let mut sgd = learner::<E>(&small, &settings(SGD, 0.1));
    let state = sgd.state().unwrap();
    let refused = |result: Result<(), LearnError>| matches!(result, Err(LearnError::State(_)));
    assert!(refused(learner::<E>(&small, &settings(ADAMW, 0.1)).restore(&state)));
    assert!(refused(learner::<E>(&architecture::<E>("8x2"), &settings(SGD, 0.1)).restore(&state)));
    // Cut off, and with bytes changed: an error or, if a number was hit, none, but no panic.
    for end in (0..state.len()).step_by(7) {
        assert!(refused(sgd.restore(&state[..end])));
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    for _ in 0..500 {
        let mut damaged = state.clone();
        let at = random.random_range(0..damaged.len().min(4_000));
        damaged[at] = random.random();
        let _ = sgd.restore(&damaged);
        let garbage: Vec<u8> = (0..random.random_range(0..200)).map(|_| random.random()).collect();
        assert!(refused(sgd.restore(&garbage)));
    }
    let refused_state = sgd.state().unwrap();
    assert!(refused(sgd.restore(&state[..state.len() - 1])));
    assert!(sgd.state().unwrap() == refused_state);
    // An average starts from the weights if the state has none.
    let averaged = LearningSettings { average: 0.9, ..settings(SGD, 0.1) };
    let mut averaging = learner::<E>(&small, &averaged);
    averaging.restore(&state).unwrap();
    let tensors = tensors(&averaging);
    assert_eq!(tensors["average.stem.weight"], tensors["stem.weight"]);
    sgd.restore(&averaging.state().unwrap()).unwrap();
    assert!(sgd.state().unwrap() == state);
}

fn exports<E: Encoding>(architecture: &Architecture, average: f64) {
    let settings = LearningSettings { average, ..settings(ADAMW, 0.01) };
    let mut learner = learner::<E>(architecture, &settings);
    let batches: Vec<Samples> = (0..4).map(|seed| samples::<E>(architecture, 32, [seed, 5 + seed], 5)).collect();
    for step in 0..40 {
        learner.step(&batches[step % batches.len()]).unwrap();
    }
    let state = learner.state().unwrap();

    // With the learner's own statistics the network that plays is the one that was measured.
    let exported = network::<E>(architecture, learner.export(&mut empty()).unwrap());
    let mut all = Samples::new(architecture);
    batches.iter().for_each(|batch| all.append(batch));
    let measured = learner.measure(&all).unwrap();
    assert_same(losses_in_play::<E>(&exported, &all), measured, 1e-4);
    assert_eq!(Network::from_bytes(&exported.to_bytes().unwrap()).unwrap(), exported);

    // With the statistics of the samples it is about the same.
    let gathered = network::<E>(architecture, learner.export(&mut batches.iter().cloned()).unwrap());
    let in_play = losses_in_play::<E>(&gathered, &all);
    println!("{} {measured:.4?} {in_play:.4?}", E::NAME);
    assert!((in_play.policy - measured.policy).abs() < 0.25);
    assert!(state == learner.state().unwrap());

    // The statistics of batches together are those of the whole, where nothing else normed comes before.
    let whole = learner.export(&mut once(all)).unwrap().stem;
    let parts = gathered.weights.stem;
    for (a, b) in whole.weights.iter().zip(&parts.weights).chain(whole.biases.iter().zip(&parts.biases)) {
        assert!((a - b).abs() <= 1e-4 * (1.0 + a.abs()), "{a} {b}");
    }
}

#[test]
fn an_exported_network_plays_as_it_was_measured() {
    exports::<Az21>(&architecture::<Az21>("16x2s4"), 0.0);
    exports::<Lc0>(&unusual(), 0.9);
    // Its policy indices are not in the order of the head's outputs.
    exports::<Lc0>(&architecture::<Lc0>("8x1"), 0.0);
    exports::<connect4::Stones>(&architecture::<connect4::Stones>("16x2"), 0.9);
}

#[test]
fn an_average_lags_behind_the_weights() {
    type E = tictactoe::Stones;
    let architecture = architecture::<E>("16x2");
    let batch = samples::<E>(&architecture, 32, [1, 2], 0);
    let mut averaging = learner::<E>(&architecture, &LearningSettings { average: 0.99, ..settings(SGD, 0.1) });
    let mut raw = learner::<E>(&architecture, &settings(SGD, 0.1));
    let mut expected: Option<Vec<f32>> = None;
    for t in 0..10u32 {
        let before = expected.unwrap_or_else(|| tensors(&averaging)["stem.weight"].clone());
        averaging.step(&batch).unwrap();
        raw.step(&batch).unwrap();
        let kept = 0.99f32.min((1 + t) as f32 / (10 + t) as f32);
        let now = tensors(&averaging);
        let mixed = before.iter().zip(&now["stem.weight"]).map(|(old, new)| kept * old + (1.0 - kept) * new);
        let mixed: Vec<f32> = mixed.collect();
        assert!(mixed.iter().zip(&now["average.stem.weight"]).all(|(a, b)| (a - b).abs() < 1e-5));
        assert_eq!(now["stem.weight"], tensors(&raw)["stem.weight"]);
        expected = Some(mixed);
    }
    let stem = |learner: &mut TorchLearner| learner.export(&mut once(batch.clone())).unwrap().stem;
    assert_ne!(stem(&mut averaging), stem(&mut raw));
}

#[test]
fn the_schedule_and_the_clip_are_applied() {
    type E = tictactoe::Stones;
    let architecture = architecture::<E>("8x1");
    let batch = samples::<E>(&architecture, 32, [1, 2], 0);
    let clip = 0.01;
    let (rate_steps, rate_factors) = (vec![3, 5], vec![0.5, 0.0]);
    let schedule =
        Schedule { rate: 0.8, warm_up: 2, decay: Decay::Steps, rate_steps, rate_factors, ..Schedule::default() };
    let mut learner = learner::<E>(&architecture, &LearningSettings { clip, schedule, ..settings(PLAIN, 0.0) });
    let parameters = |learner: &TorchLearner| {
        let mut tensors = tensors(learner);
        tensors
            .retain(|name, _| !name.ends_with(".mean") && !name.ends_with(".variance") && !name.contains("velocity"));
        tensors
    };
    // A clipped gradient has the norm `clip`, so a step has the length rate times `clip`.
    for rate in [0.4, 0.8, 0.8, 0.4, 0.4, 0.0] {
        let before = parameters(&learner);
        assert!(learner.step(&batch).unwrap().gradient > clip);
        let after = parameters(&learner);
        let pairs = before.values().flatten().zip(after.values().flatten());
        let length = pairs.map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>().sqrt();
        assert!((length - rate * clip).abs() < 1e-5, "{length} {rate}");
    }
}

#[test]
fn divergence_is_detected() {
    type E = tictactoe::Stones;
    let architecture = architecture::<E>("8x1");
    let batch = samples::<E>(&architecture, 32, [1, 2], 0);
    let mut learner = learner::<E>(&architecture, &settings(PLAIN, 1e30));
    let result = (0..10).find_map(|_| learner.step(&batch).err());
    assert!(matches!(result, Some(LearnError::Diverged { .. })), "{result:?}");
}

#[test]
fn samples_of_another_game_are_refused() {
    let architecture = architecture::<connect4::Stones>("8x1");
    let mut learner = learner::<connect4::Stones>(&architecture, &settings(SGD, 0.1));
    let other = Architecture::new::<tictactoe::Stones>("8x1".parse().unwrap());
    let batch = samples::<tictactoe::Stones>(&other, 4, [1, 2], 0);
    assert!(matches!(learner.step(&batch), Err(LearnError::Samples)));
    assert!(matches!(learner.measure(&batch), Err(LearnError::Samples)));
    assert!(matches!(learner.export(&mut once(batch)), Err(LearnError::Samples)));
    let no_device = TorchLearner::new(encoded::<connect4::Stones>(&architecture), settings(SGD, 0.1), &[], 7);
    assert!(no_device.is_err());
}

/// A damaged state is refused, or it is a state like another: what was read is written and read again as the same.
#[test]
fn damaged_states_are_read_or_refused() {
    type E = tictactoe::Stones;
    let small = architecture::<E>("4x1");
    let state = learner::<E>(&small, &settings(ADAMW, 0.1)).state().unwrap();
    let [mut one, mut other] = [0, 0].map(|_| learner::<E>(&small, &settings(ADAMW, 0.1)));
    for seed in 0..2_000 {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut bytes = state.clone();
        for _ in 0..random.random_range(1..4) {
            // Half of the changes are in the header, the first part of the file.
            let most = if random.random() { bytes.len() } else { bytes.len().min(4096) };
            let at = random.random_range(0..most.max(1));
            match random.random_range(0..4) {
                0 => bytes.truncate(at),
                1 => bytes[at] = random.random(),
                2 => bytes.insert(at, random.random()),
                _ => bytes[at] ^= 1 << random.random_range(0..8),
            }
            if bytes.is_empty() {
                break;
            }
        }
        if one.restore(&bytes).is_ok() {
            let again = one.state().unwrap();
            other.restore(&again).unwrap();
            assert_eq!(other.state().unwrap(), again, "seed {seed}");
        }
    }
}
