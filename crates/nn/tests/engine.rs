//! The engine computes what the definition says, on every instruction set that this machine has.
#![allow(clippy::unwrap_used)]

mod reference;

use std::sync::Arc;

use alfil_game::chess::{Az21, Az119};
use alfil_game::{Encoding, connect4, tictactoe};
use alfil_nn::{
    Activation, Architecture, Batch, Engine, HeadShape, Instructions, Model, Network, Outputs, PolicyShape, Size,
    ValueOutput,
};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Largest difference of any value or prior between engine and reference, over all instruction sets.
fn largest_difference<E: Encoding>(network: &Network, positions: usize) -> f64 {
    let batch = Batch::random::<E>(&network.architecture, positions, 7);
    let expected: Vec<_> =
        (0..positions).map(|position| reference::evaluate(network, &batch, position, E::head_output)).collect();
    let mut largest = 0.0f64;
    for instructions in Instructions::available() {
        let model = Model::with_instructions::<E>(network, instructions).unwrap();
        let mut outputs = Outputs::default();
        Engine::new(Arc::new(model)).evaluate(&batch, &mut outputs);
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
