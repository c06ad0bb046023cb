//! `alfil net overfit`

use std::io::Write;
use std::sync::Arc;

use alfil_game::{Encoding, Mover, Wdl, with_encoding};
use alfil_nn::learning::{
    Decay, EncodedArchitecture, Learner, LearningSettings, LossWeights, Losses, Optimizer, Samples, Schedule,
};
use alfil_nn::{Architecture, Engine, Model, Network, Origin, Outputs, Size};
use alfil_train::random_samples;
use clap::Args;
use serde_json::json;

use crate::{Verdict, torch};

#[derive(Args)]
pub struct Overfit {
    /// What the network sees
    #[arg(long, default_value = "chess/az21")]
    encoding: String,
    /// Filters x blocks of the network
    #[arg(long, default_value = "32x4")]
    arch: Size,
    /// Positions to memorise
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(2..=4096))]
    batch: u32,
    /// Training steps
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    steps: u64,
    /// Where to train: cpu, cuda, cuda:N or auto
    #[arg(long, default_value = "auto")]
    device: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Both losses have to fall below this. An untrained network has 1.1 in the value and 3 in chess's policy; a healthy
/// one that has memorised its positions has less than 0.01.
const ENOUGH: f64 = 0.05;

/// Lines of progress.
const LINES: u64 = 10;

pub fn run(overfit: &Overfit, out: &mut impl Write) -> anyhow::Result<Verdict> {
    with_encoding!(&overfit.encoding, E => learn::<E>(overfit, out))?
}

fn learn<E: Encoding>(overfit: &Overfit, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let architecture = Architecture::new::<E>(overfit.arch);
    let encoded = EncodedArchitecture::new::<E>(&architecture)?;
    let libtorch = torch::require()?;
    let device = libtorch.choose(&overfit.device)?;
    let devices = libtorch.devices(&overfit.device)?;
    let mut learner = libtorch.learner(encoded, settings(overfit.steps), &devices, 1)?;
    let mut samples = Samples::new(&architecture);
    random_samples::<E>(&Default::default(), &mut samples, overfit.batch as usize, 1);
    if !overfit.json {
        writeln!(out, "{} for {} on {device}: {} positions", overfit.arch, E::NAME, overfit.batch)?;
    }
    let mut losses = Losses::default();
    for step in 1..=overfit.steps {
        losses = learner.step(&samples)?;
        if !overfit.json && (step == 1 || step.is_multiple_of(overfit.steps.div_ceil(LINES))) {
            writeln!(out, "step {step:>6}   policy {:.4}   value {:.4}", losses.policy, losses.value)?;
            out.flush()?;
        }
    }
    let played = as_played::<E>(&architecture, learner.as_mut(), &samples)?;
    let trained = [losses.policy, losses.value];
    let passed = trained.iter().chain(&played).all(|loss| *loss < ENOUGH);
    if overfit.json {
        let report = json!({
            "encoding": E::NAME, "arch": overfit.arch.to_string(), "batch": overfit.batch, "steps": overfit.steps,
            "device": devices.join(","), "policy": trained[0], "value": trained[1],
            "engine_policy": played[0], "engine_value": played[1], "passed": passed,
        });
        writeln!(out, "{report}")?;
    } else {
        writeln!(out, "in the engine   policy {:.4}   value {:.4}", played[0], played[1])?;
        match (passed, trained.iter().all(|loss| *loss < ENOUGH)) {
            (true, _) => writeln!(out, "ok: the network has memorised the batch")?,
            (false, true) => writeln!(out, "WRONG: what was learnt is lost on the way to the CPU engine")?,
            (false, false) => {
                writeln!(out, "WRONG: after {} steps a loss is not below {ENOUGH}: suspect the learner", overfit.steps)?
            }
        }
    }
    Ok(if passed { Verdict::Fine } else { Verdict::Failed })
}

/// Nothing that keeps a network from memorising: no weight decay, no averaging. The rate falls so that the last steps
/// settle.
fn settings(steps: u64) -> LearningSettings {
    LearningSettings {
        optimizer: Optimizer { weight_decay: 0.0, ..Optimizer::default() },
        schedule: Schedule {
            rate: 0.003,
            warm_up: 10,
            decay: Decay::Cosine,
            decay_steps: steps,
            last_rate: 0.01,
            ..Schedule::default()
        },
        weights: LossWeights { moves_left: 0.0, ..LossWeights::default() },
        average: 0.0,
        mixed_precision: false,
        ..LearningSettings::default()
    }
}

/// The losses of policy and value in the CPU engine, with the network exported as in a run.
fn as_played<E: Encoding>(
    architecture: &Architecture,
    learner: &mut dyn Learner,
    samples: &Samples,
) -> anyhow::Result<[f64; 2]> {
    let weights = learner.export(&mut std::iter::once(samples.clone()))?;
    let network = Network { architecture: architecture.clone(), weights, origin: Origin::of::<E>() };
    let mut outputs = Outputs::default();
    Engine::new(Arc::new(Model::new::<E>(&network)?)).evaluate(samples.batch(), &mut outputs);
    let cross_entropy = |target: &[f32], found: &[f32]| -> f64 {
        let term = |(share, found): (&f32, &f32)| if *share > 0.0 { -f64::from(share * found.ln()) } else { 0.0 };
        target.iter().zip(found).map(term).sum()
    };
    let policy = (0..samples.len()).map(|n| cross_entropy(samples.policy(n), outputs.priors(n)));
    let shares = |wdl: &Mover<Wdl>| <[f32; 3]>::from(wdl.0);
    let pairs = samples.wdl().iter().zip(&outputs.wdl);
    let value = pairs.map(|(target, found)| cross_entropy(&shares(target), &shares(found)));
    let count = samples.len() as f64;
    Ok([policy.sum::<f64>() / count, value.sum::<f64>() / count])
}
