//! The engine computes what the definition says, on every instruction set that this machine has.
#![allow(clippy::unwrap_used)]

mod reference;

use std::sync::Arc;

use alfil_game::chess::{Attacks, Az21, Az119};
use alfil_game::{Encoding, connect4, tictactoe};
use alfil_nn::{
    Activation, Algorithm, Architecture, Batch, Bundled, Choice, Deviation, EncodedNetwork, Engine, HeadShape,
    Instructions, Model, Network, Numbers, Outputs, Plan, PolicyShape, Precision, Size, TOLERANCE, TileSize,
    ValueOutput,
};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// An algorithm for all batches, in groups of three.
fn plan(tile: TileSize, numbers: Numbers) -> Plan {
    Plan::only(Choice { algorithm: Algorithm { tile, numbers }, group: 3 })
}

/// Largest difference of any value, prior or mean of a channel between engine and reference, over all instruction sets and tiles.
fn largest_difference<E: Encoding>(network: &Network, positions: usize) -> f64 {
    let batch = Batch::random::<E>(&network.architecture, positions, 7);
    let expected: Vec<_> =
        (0..positions).map(|position| reference::evaluate(network, &batch, position, E::head_output)).collect();
    let mut largest = 0.0f64;
    let encoded = EncodedNetwork::new::<E>(network).unwrap();
    let exact = |instructions| {
        let planned = |tile| Model::planned(&encoded, instructions, plan(tile, Numbers::Single));
        [Model::with_instructions::<E>(network, instructions).unwrap(), planned(TileSize::Two), planned(TileSize::Four)]
    };
    for model in Instructions::available().into_iter().flat_map(exact) {
        let (mut outputs, mut means) = (Outputs::default(), vec![f32::NAN; 3]);
        Engine::new(Arc::new(model)).evaluate_with_means(&batch, &mut outputs, &mut means);
        assert_eq!(means.len(), positions * network.architecture.filters);
        for (position, expected) in expected.iter().enumerate() {
            let mut compare = |found: f32, expected: f64| largest = largest.max((f64::from(found) - expected).abs());
            match expected.value[..] {
                [value] => compare(outputs.values[position], value),
                _ => <[f32; 3]>::from(outputs.wdl[position].0)
                    .iter()
                    .zip(&expected.value)
                    .for_each(|(f, e)| compare(*f, *e)),
            }
            if let Some(plies) = expected.moves_left {
                compare(outputs.moves_left[position], plies);
            }
            let means = &means[position * network.architecture.filters..];
            // Means have no bounds, unlike the outputs: large ones are as exact in proportion.
            let scaled = |mean: f64, e: f64| mean / e.abs().max(1.0);
            expected
                .means
                .iter()
                .zip(means)
                .for_each(|(e, f)| compare(scaled(f64::from(*f), *e) as f32, scaled(*e, *e)));
            let priors = outputs.priors(position);
            assert_eq!(priors.len(), expected.priors.len());
            priors.iter().zip(&expected.priors).for_each(|(f, e)| compare(*f, *e));
            assert!((priors.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        }
    }
    largest
}

fn architecture<E: Encoding>(size: &str) -> Architecture {
    Architecture::new::<E>(size.parse::<Size>().unwrap())
}

fn agrees<E: Encoding>(architecture: Architecture, positions: usize) {
    let network = Network::random::<E>(architecture, 11);
    let difference = largest_difference::<E>(&network, positions);
    println!("{} {}: {difference:.1e}", E::NAME, network.architecture.size());
    assert!(difference < 2e-5, "{difference}");
}

#[test]
fn every_board_and_size_agrees() {
    agrees::<Az21>(architecture::<Az21>("32x2"), 20);
    agrees::<Az119>(architecture::<Az119>("16x1"), 5);
    agrees::<connect4::Stones>(architecture::<connect4::Stones>("24x3"), 60);
    agrees::<tictactoe::Stones>(architecture::<tictactoe::Stones>("8x2"), 60);
    // Channels that fill neither vectors nor panels.
    agrees::<connect4::Stones>(architecture::<connect4::Stones>("5x2s3"), 30);
}

#[test]
fn every_kind_of_layer_agrees() {
    let mut everything = architecture::<Az21>("24x3s7");
    everything.blocks[1] = 0;
    everything.moves_left = Some(HeadShape { filters: 5, hidden: 9 });
    agrees::<Az21>(everything.clone(), 12);

    everything.activation = Activation::Mish;
    agrees::<Az21>(everything.clone(), 12);

    everything.policy = PolicyShape::Dense { filters: 3, outputs: Az21::POLICY_SIZE };
    everything.value.output = ValueOutput::Tanh;
    everything.value.head = HeadShape { filters: 1, hidden: 20 };
    agrees::<Az21>(everything, 12);
}

#[test]
fn weights_as_training_leaves_them_agree() {
    // Batch norms of rarely active channels fold to large scales; others to nearly nothing.
    let mut network = Network::random::<Az21>(architecture::<Az21>("32x4s8"), 3);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
    for block in &mut network.weights.blocks {
        for layer in [&mut block.first, &mut block.second] {
            let outputs = layer.biases.len();
            for output in 0..outputs {
                let scale = 10f32.powf(random.random_range(-2.0..1.0));
                let size = layer.weights.len() / outputs;
                layer.weights[output * size..][..size].iter_mut().for_each(|weight| *weight *= scale);
                layer.biases[output] = random.random_range(-3.0..1.0);
            }
        }
    }
    let difference = largest_difference::<Az21>(&network, 40);
    println!("trained-like: {difference:.1e}");
    assert!(difference < 1e-4, "{difference}");
}

#[test]
fn results_do_not_depend_on_the_batch() {
    let network = Network::random::<Az21>(architecture::<Az21>("32x2s4"), 5);
    let all = Batch::random::<Az21>(&network.architecture, 30, 8);
    let mut engine = Engine::new(Arc::new(Model::new::<Az21>(&network).unwrap()));
    let mut together = Outputs::default();
    engine.evaluate(&all, &mut together);
    let (mut again, mut means) = (Outputs::default(), Vec::new());
    engine.evaluate_with_means(&all, &mut again, &mut means);
    assert_eq!((&again.wdl, again.priors(7)), (&together.wdl, together.priors(7)), "means change nothing else");
    for count in [1, 7, 13] {
        let some = Batch::random::<Az21>(&network.architecture, count, 8);
        let mut outputs = Outputs::default();
        engine.evaluate(&some, &mut outputs);
        for position in 0..count {
            assert_eq!(outputs.wdl[position], together.wdl[position], "{position} of {count}");
            assert_eq!(outputs.priors(position), together.priors(position));
        }
    }
}

fn outputs_of<E: Encoding>(network: &Network, instructions: Instructions, plan: Plan, batch: &Batch) -> Outputs {
    let model = Model::planned(&EncodedNetwork::new::<E>(network).unwrap(), instructions, plan);
    let mut outputs = Outputs::default();
    Engine::new(Arc::new(model)).evaluate(batch, &mut outputs);
    outputs
}

/// The deviation of 16-bit numbers on every instruction set that this machine has.
fn deviations<E: Encoding>(network: &Network, tile: TileSize, numbers: Numbers) -> Vec<Deviation> {
    let batch = Batch::random::<E>(&network.architecture, 12, 21);
    let deviation = |instructions| {
        let outputs = |numbers| outputs_of::<E>(network, instructions, plan(tile, numbers), &batch);
        Deviation::of(&outputs(numbers), &outputs(Numbers::Single))
    };
    Instructions::available().into_iter().map(deviation).collect()
}

#[test]
fn sixteen_bits_stay_within_their_tolerances() {
    let bundled = Bundled::default_of("chess").unwrap().network().unwrap();
    assert_eq!(bundled.origin.encoding, Attacks::NAME);
    let mut trained_like = Network::random::<Az21>(architecture::<Az21>("32x4s8"), 3);
    for layer in trained_like.weights.blocks.iter_mut().map(|block| &mut block.first) {
        // A channel of weights too large for a half, and one of weights too small.
        layer.weights[..32 * 9].iter_mut().for_each(|weight| *weight *= 1e6);
        layer.weights[32 * 9..2 * 32 * 9].iter_mut().for_each(|weight| *weight *= 1e-6);
        layer.biases[0] = -1e9;
    }
    // Tolerances some three times what was measured; those of bf16 in large tiles are what the engine accepts.
    for (tile, numbers, value, policy) in [
        (TileSize::Two, Numbers::Half, 5e-4, 2e-6),
        (TileSize::Four, Numbers::Half, 2e-3, 2e-5),
        (TileSize::Two, Numbers::Brain, 5e-3, 2e-4),
        (TileSize::Four, Numbers::Brain, TOLERANCE.value, TOLERANCE.policy),
    ] {
        let measured =
            [deviations::<Attacks>(&bundled, tile, numbers), deviations::<Az21>(&trained_like, tile, numbers)];
        for deviation in measured.into_iter().flatten() {
            println!("{tile:?} {numbers:?}: {deviation:?}");
            assert!(deviation.is_within(&Deviation { value, policy }), "{tile:?} {numbers:?}: {deviation:?}");
            assert!(deviation.policy > 1e-12, "nothing was rounded: {deviation:?}");
        }
    }
}

#[test]
fn bf16_by_other_instructions_is_what_the_processor_computes() {
    // Eight lanes and sixteen have the same results up to here only in small tiles, whose transforms have no products.
    let network = Network::random::<connect4::Stones>(architecture::<connect4::Stones>("32x2"), 6);
    let batch = Batch::random::<connect4::Stones>(&network.architecture, 9, 2);
    let plan = || plan(TileSize::Two, Numbers::Brain);
    let all: Vec<Outputs> = Instructions::available()
        .into_iter()
        .filter(|instructions| instructions.key() != "plain")
        .map(|instructions| outputs_of::<connect4::Stones>(&network, instructions, plan(), &batch))
        .collect();
    for pair in all.windows(2) {
        let deviation = Deviation::of(&pair[0], &pair[1]);
        assert!(deviation.is_within(&Deviation { value: 1e-6, policy: 1e-9 }), "{deviation:?}");
    }
}

#[test]
fn what_games_are_played_with_follows_from_settings_alone() {
    let network = Network::random::<Az21>(architecture::<Az21>("32x2s4"), 5);
    let encoded = EncodedNetwork::new::<Az21>(&network).unwrap();
    for precision in [Precision::Full, Precision::Reduced] {
        let model = || Model::fixed(&encoded, Instructions::best(), precision);
        assert!(model().arithmetic().is_some());
        assert_eq!(model().arithmetic(), model().arithmetic());
        let all = Batch::random::<Az21>(&network.architecture, 19, 8);
        let one = Batch::random::<Az21>(&network.architecture, 1, 8);
        let (mut together, mut alone) = (Outputs::default(), Outputs::default());
        Engine::new(model()).evaluate(&all, &mut together);
        Engine::new(model()).evaluate(&one, &mut alone);
        assert_eq!(together.wdl[0], alone.wdl[0], "{precision:?}");
        assert_eq!(together.priors(0), alone.priors(0), "{precision:?}");
    }
}
