//! Leela networks give what Leela's own program gives. The networks are not ours and not part of the project: where the
//! folder with them is not beside the clone, these tests say so and check only what needs none.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::path::PathBuf;
use std::sync::Arc;

use alfil_game::chess::{Chess, Lc0, Rules};
use alfil_game::{Game, play_line};
use alfil_nn::lc0::{export_bytes, import, import_bytes};
use alfil_nn::{
    Activation, Architecture, Batch, Engine, HeadShape, Instructions, Model, Network, Outputs, PolicyShape, ValueOutput,
};
use serde_json::Value;

fn shared(path: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(path);
    if !path.exists() {
        alfil_skipped::skip("a comparison with Leela's own program", "the folder shared beside this clone");
        return None;
    }
    Some(path)
}

fn evaluate(engine: &mut Engine, game: &Chess) -> (Vec<(String, f64)>, Outputs) {
    let mut moves = Vec::new();
    game.generate(&mut moves);
    let mut batch = Batch::new(engine.model().architecture());
    batch.push::<Lc0>(game, &moves);
    let mut outputs = Outputs::default();
    engine.evaluate(&batch, &mut outputs);
    let priors = moves.iter().zip(outputs.priors(0)).map(|(&m, &prior)| (game.move_text(m), f64::from(prior)));
    (priors.collect(), outputs)
}

/// Checks all records of a golden file; returns how many.
fn check_golden(file: &str, network_of: impl Fn(&str) -> String, tolerance: f64) -> Option<usize> {
    let records: Value = serde_json::from_slice(&std::fs::read(shared(file)?).unwrap()).unwrap();
    let mut engines: Vec<(String, Vec<Engine>)> = Vec::new();
    let mut checked = 0;
    for record in records["records"].as_array().unwrap() {
        let name = record["net"].as_str().unwrap();
        if !engines.iter().any(|(loaded, _)| loaded == name) {
            let network = import(&shared(&network_of(name))?).unwrap();
            let model = |instructions| Arc::new(Model::with_instructions::<Lc0>(&network, instructions).unwrap());
            let all = Instructions::available().into_iter().map(|instructions| Engine::new(model(instructions)));
            engines.push((name.to_owned(), all.collect()));
        }
        let engines = &mut engines.iter_mut().find(|(loaded, _)| loaded == name).unwrap().1;
        let rules = Rules::default();
        let mut game = match record["root"].as_str().unwrap() {
            "startpos" => Chess::new(&rules),
            fen => Chess::from_position(fen, &rules).unwrap(),
        };
        for m in record["moves"].as_array().unwrap() {
            play_line(&mut game, m.as_str().unwrap()).unwrap();
        }
        for engine in engines {
            let (priors, outputs) = evaluate(engine, &game);
            let near = |what: &str, found: f64, expected: &Value| {
                let expected = expected.as_f64().unwrap();
                assert!((found - expected).abs() <= tolerance, "{record}: {what} is {found}");
            };
            assert_eq!(priors.len() as u64, record["legal"].as_u64().unwrap(), "{record}");
            for top in record["top"].as_array().unwrap() {
                let name = top["move"].as_str().unwrap();
                let (_, prior) =
                    priors.iter().find(|(m, _)| m == name).unwrap_or_else(|| panic!("no {name}: {record}"));
                near(name, *prior, &top["p"]);
            }
            near("q", outputs.values[0].into(), &record["q"]);
            if let Some(wdl) = record["wdl"].as_array() {
                wdl.iter()
                    .zip(<[f32; 3]>::from(outputs.wdl[0].0))
                    .for_each(|(expected, found)| near("wdl", found.into(), expected));
            }
            let plies = ["moves_left", "m", "mlh"].iter().find_map(|key| record.get(key)).filter(|m| m.is_number());
            if let Some(plies) = plies {
                let found = f64::from(outputs.moves_left[0]);
                assert!((found - plies.as_f64().unwrap()).abs() < 1e-3, "{record}: moves left {found}");
            }
            let entropy: f64 = priors.iter().map(|(_, p)| -p * p.max(1e-30).ln()).sum();
            assert!((entropy - record["entropy"].as_f64().unwrap()).abs() < 1e-3, "{record}: entropy {entropy}");
        }
        checked += 1;
    }
    println!("{file}: {checked} records");
    Some(checked)
}

#[test]
fn maia_networks_give_the_golden_outputs() {
    let network = |name: &str| format!("networks/{name}.pb.gz");
    if let Some(checked) = check_golden("golden/maia-golden.json", network, 2e-5) {
        assert_eq!(checked, 120);
    }
}

#[test]
fn other_kinds_of_networks_give_the_golden_outputs() {
    let network = |name: &str| format!("golden/{name}.pb.gz");
    if let Some(checked) = check_golden("golden/synth-golden.json", network, 2e-5) {
        assert_eq!(checked, 16);
    }
}

/// One of each kind of layer.
fn all_kinds() -> Vec<Network> {
    let mut one = Architecture::new::<Lc0>("12x3s4".parse().unwrap());
    one.blocks[1] = 0;
    one.moves_left = Some(HeadShape { filters: 3, hidden: 5 });
    let mut other = one.clone();
    other.activation = Activation::Mish;
    other.policy = PolicyShape::Dense { filters: 2, outputs: 1_858 };
    other.value.output = ValueOutput::Tanh;
    [one, other].map(|architecture| Network::random::<Lc0>(architecture, 6)).into()
}

#[test]
fn exported_networks_read_back() {
    for network in all_kinds() {
        let again = import_bytes(&export_bytes(&network).unwrap()).unwrap();
        assert_eq!(again.architecture, network.architecture);
        let mut game = Chess::new(&Rules::default());
        play_line(&mut game, "e4 c5 Nf3").unwrap();
        let [before, after] =
            [&network, &again].map(|n| evaluate(&mut Engine::new(Arc::new(Model::new::<Lc0>(n).unwrap())), &game));
        // Weights were rounded to 16 bits.
        assert!((before.1.values[0] - after.1.values[0]).abs() < 2e-3);
        for (before, after) in before.0.iter().zip(&after.0) {
            assert!((before.1 - after.1).abs() < 2e-3, "{before:?} {after:?}");
        }
        // What was rounded once stays as it is.
        let third = import_bytes(&export_bytes(&again).unwrap()).unwrap();
        let largest = again.weights.stem.weights.iter().zip(&third.weights.stem.weights).map(|(a, b)| (a - b).abs());
        assert!(largest.fold(0.0, f32::max) < 1e-4);
    }
}

#[test]
fn a_squeeze_of_no_channels_is_refused() {
    let mut network = all_kinds().remove(0);
    let squeeze = network.weights.blocks[0].squeeze.as_mut().unwrap();
    squeeze.reduce.weights.clear();
    squeeze.reduce.biases.clear();
    squeeze.expand.weights.clear();
    let error = import_bytes(&export_bytes(&network).unwrap()).unwrap_err().to_string();
    assert!(error.contains("residual 0 se 1"), "{error}");
}

#[test]
fn networks_of_other_kinds_are_refused_with_a_reason() {
    // Field numbers as in the notes on the format: an encoder in the weights, an attention policy, ONNX.
    let message = |weights: &[u8], extra: &[u8]| {
        let mut bytes = vec![0x0d, 0xc0, 0x01, 0, 0];
        bytes.extend([0x52, weights.len() as u8]);
        bytes.extend(weights);
        bytes.extend(extra);
        import_bytes(&bytes).unwrap_err().to_string()
    };
    assert!(message(&[0xda, 0x01, 0], &[]).contains("attention-body (transformer)"));
    assert!(message(&[0x8a, 0x01, 0], &[]).contains("attention policy head"));
    assert!(message(&[], &[0x5a, 0]).contains("ONNX"));
    assert!(message(&[], &[0x22, 4, 0x12, 2, 0x18, 6]).contains("attention-body (transformer)"));
    assert!(message(&[], &[]).contains("'input' is missing"));
    assert!(import_bytes(b"").unwrap_err().to_string().contains("not a Leela network"));
    assert!(import_bytes(b"2\n0.1 0.2").unwrap_err().to_string().contains("old text format"));
}
