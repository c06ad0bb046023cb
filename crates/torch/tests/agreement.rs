//! The CPU engine and libtorch give the same answers.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use alfil_game::chess::{Az21, Az119, Lc0};
use alfil_game::{Encoding, connect4, tictactoe};
use alfil_nn::{
    Activation, Architecture, Batch, EncodedNetwork, Engine, HeadShape, Model, Network, Outputs, PolicyShape,
    ValueOutput,
};
use alfil_torch::{Device, Precision, TorchEvaluator};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const POSITIONS: usize = 1_000;

/// Scales as batch norms have them after training: a few channels large, many small.
fn trained_like(network: &mut Network) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(10);
    for block in &mut network.weights.blocks {
        for layer in [&mut block.first, &mut block.second] {
            let size = layer.weights.len() / layer.biases.len();
            for (kernel, bias) in layer.weights.chunks_exact_mut(size).zip(&mut layer.biases) {
                let scale = 10f32.powf(random.random_range(-2.0..1.0));
                kernel.iter_mut().for_each(|weight| *weight *= scale);
                *bias = random.random_range(-3.0..1.0);
            }
        }
    }
}

fn compare<E: Encoding>(network: &Network) {
    let batch = Batch::random::<E>(&network.architecture, POSITIONS, 9);
    let (mut ours, mut theirs) = (Outputs::default(), Outputs::default());
    Engine::new(Arc::new(Model::new::<E>(network).unwrap())).evaluate(&batch, &mut ours);
    TorchEvaluator::new(&EncodedNetwork::new::<E>(network).unwrap(), Device::Cpu, Precision::Single)
        .unwrap()
        .evaluate(&batch, &mut theirs)
        .unwrap();
    let mut largest = 0.0f32;
    for position in 0..POSITIONS {
        let priors = ours.priors(position).iter().zip(theirs.priors(position));
        let values = [(&ours.values[position], &theirs.values[position])];
        for (a, b) in priors.chain(values) {
            assert!(a.is_finite() && b.is_finite());
            largest = largest.max((a - b).abs());
        }
        if let (Some(a), Some(b)) = (ours.wdl.get(position), theirs.wdl.get(position)) {
            let pairs = <[f32; 3]>::from(a.0).into_iter().zip(<[f32; 3]>::from(b.0));
            largest = pairs.fold(largest, |largest, (a, b)| largest.max((a - b).abs()));
        }
        if let (Some(a), Some(b)) = (ours.moves_left.get(position), theirs.moves_left.get(position)) {
            assert!((a - b).abs() < 1e-3);
        }
    }
    println!("{} {}: {largest:.1e}", E::NAME, network.architecture.size());
    assert!(largest <= 1e-4, "{} {}: {largest}", E::NAME, network.architecture.size());
}

fn both_kinds<E: Encoding>(architecture: Architecture) {
    let mut network = Network::random::<E>(architecture, 12);
    compare::<E>(&network);
    trained_like(&mut network);
    compare::<E>(&network);
}

fn architecture<E: Encoding>(size: &str) -> Architecture {
    Architecture::new::<E>(size.parse().unwrap())
}

#[test]
fn chess_networks_agree() {
    both_kinds::<Az119>(architecture::<Az119>("64x6"));
    both_kinds::<Az21>(architecture::<Az21>("48x3s6"));
    let mut other = architecture::<Lc0>("32x2s4");
    other.activation = Activation::Mish;
    other.moves_left = Some(HeadShape { filters: 4, hidden: 16 });
    both_kinds::<Lc0>(other.clone());
    other.policy = PolicyShape::Dense { filters: 8, outputs: Lc0::POLICY_SIZE };
    other.value.output = ValueOutput::Tanh;
    both_kinds::<Lc0>(other);
}

#[test]
fn networks_of_other_boards_agree() {
    both_kinds::<connect4::Stones>(architecture::<connect4::Stones>("64x5"));
    both_kinds::<tictactoe::Stones>(architecture::<tictactoe::Stones>("16x3"));
}
