//! Other programs compute from our ONNX files what our engine computes.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use alfil_game::chess::{Az21, Lc0};
use alfil_game::{Encoding, connect4};
use alfil_nn::{
    Activation, Architecture, Batch, EncodedNetwork, Engine, HeadShape, Model, Network, Outputs, PolicyShape,
    ValueOutput, onnx,
};

/// Whether the Python package onnxruntime is installed.
fn is_installed() -> bool {
    let import = Command::new("python3").args(["-c", "import onnxruntime, numpy"]).output();
    import.is_ok_and(|output| output.status.success())
}

fn numbers(path: &Path) -> Vec<f32> {
    let bytes = std::fs::read(path).unwrap();
    bytes.chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect()
}

/// The largest difference between any output of onnxruntime and of the engine.
fn largest_difference<E: Encoding>(name: &str, architecture: Architecture) -> f32 {
    let network = Network::random::<E>(architecture, 4);
    let folder = std::env::temp_dir().join(format!("alfil-onnx-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let batch = Batch::random::<E>(&network.architecture, 12, 9);
    let planes: Vec<u8> = batch.planes().iter().flat_map(|number| number.to_le_bytes()).collect();
    std::fs::write(folder.join("planes"), planes).unwrap();
    let encoded = EncodedNetwork::new::<E>(&network).unwrap();
    std::fs::write(folder.join("model.onnx"), onnx::export_bytes(&encoded)).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/onnx/check.py");
    let run = Command::new("python3").arg(script).arg(&folder).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));

    let mut outputs = Outputs::default();
    Engine::new(Arc::new(Model::new::<E>(&network).unwrap())).evaluate(&batch, &mut outputs);
    let (policy, value) = (numbers(&folder.join("policy")), numbers(&folder.join("value")));
    let mut largest = 0.0f32;
    let mut compare = |ours: f32, theirs: f32| {
        assert!(ours.is_finite() && theirs.is_finite());
        largest = largest.max((ours - theirs).abs());
    };
    for position in 0..batch.len() {
        let logits = &policy[position * E::POLICY_SIZE..][..E::POLICY_SIZE];
        let legal: Vec<f32> = batch.indices(position).iter().map(|index| logits[*index as usize].exp()).collect();
        let sum: f32 = legal.iter().sum();
        outputs.priors(position).iter().zip(&legal).for_each(|(ours, theirs)| compare(*ours, theirs / sum));
        match outputs.wdl.get(position) {
            Some(wdl) => {
                let theirs = &value[3 * position..][..3];
                <[f32; 3]>::from(wdl.0).iter().zip(theirs).for_each(|(ours, theirs)| compare(*ours, *theirs));
            }
            None => compare(outputs.values[position], value[position]),
        }
        if let Some(plies) = outputs.moves_left.get(position) {
            compare(*plies, numbers(&folder.join("moves_left"))[position]);
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
    largest
}

#[test]
fn onnxruntime_computes_the_same() {
    if !is_installed() {
        return alfil_skipped::skip("networks as ONNX files", "onnxruntime");
    }
    let usual = Architecture::new::<Az21>("24x2s5".parse().unwrap());
    let mut leela = Architecture::new::<Lc0>("16x2s4".parse().unwrap());
    leela.activation = Activation::Mish;
    leela.moves_left = Some(HeadShape { filters: 5, hidden: 9 });
    let mut classical = Architecture::new::<Az21>("16x2".parse().unwrap());
    classical.policy = PolicyShape::Dense { filters: 3, outputs: Az21::POLICY_SIZE };
    classical.value.output = ValueOutput::Tanh;
    let small = Architecture::new::<connect4::Stones>("8x1".parse().unwrap());
    for difference in [
        largest_difference::<Az21>("usual", usual),
        largest_difference::<Lc0>("leela", leela),
        largest_difference::<Az21>("classical", classical),
        largest_difference::<connect4::Stones>("small", small),
    ] {
        assert!(difference < 1e-4, "{difference}");
    }
}
