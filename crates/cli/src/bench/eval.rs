//! `alfil bench eval`

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use alfil_game::{Encoding, with_encoding};
use alfil_nn::{
    Batch, Calibration, Choice, EncodedNetwork, Engine, INSTRUCTION_NAMES, Inference, Instructions, Measurement, Model,
    Network, Outputs, Peak, Precision, Size,
};
use anyhow::Context;
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use serde_json::json;

use super::median;
use crate::net::untrained;
use crate::{Verdict, terminal, torch};

#[derive(Args)]
pub struct Eval {
    /// A network file instead of untrained networks
    #[arg(conflicts_with_all = ["arch", "encoding"])]
    file: Option<PathBuf>,
    /// Sizes of the untrained networks
    #[arg(long, value_delimiter = ',', default_value = "64x6")]
    arch: Vec<Size>,
    /// What the untrained networks see
    #[arg(long, default_value = "chess/az119")]
    encoding: String,
    /// Positions per batch
    #[arg(long, value_delimiter = ',', default_value = "1,8,32,128", value_parser = clap::value_parser!(u32).range(1..=4096))]
    batch: Vec<u32>,
    /// Evaluators in parallel, each on its own thread
    #[arg(long, value_delimiter = ',', default_value = "1", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Vec<u32>,
    /// Compare with another evaluator
    #[arg(long)]
    against: Option<Rival>,
    /// Where libtorch computes: cpu, cuda, cuda:N or auto [default: cpu]
    #[arg(long, requires = "against")]
    device: Option<String>,
    /// How exactly the CPU engine computes: full, or reduced
    #[arg(long, value_parser = PossibleValuesParser::new([Precision::Full.text(), Precision::Reduced.text()]), default_value = "reduced")]
    precision: String,
    /// Hold the CPU engine to an instruction set
    #[arg(long, value_parser = PossibleValuesParser::new(INSTRUCTION_NAMES))]
    instructions: Option<String>,
    /// Show what was measured to choose how each network is computed
    #[arg(long)]
    explain: bool,
    /// Measure again how each network is computed fastest, and keep that in place of what was measured before
    #[arg(long)]
    remeasure: bool,
    /// Measurements of each, taken in turns; the median counts
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Seconds per measurement
    #[arg(long, default_value_t = 0.4)]
    seconds: f64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Rival {
    /// libtorch, one thread per evaluator
    Torch,
}

pub fn run(eval: Eval, out: &mut impl Write) -> anyhow::Result<Verdict> {
    if eval.against.is_some() {
        torch::require()?;
    }
    anyhow::ensure!(eval.seconds > 0.0 && eval.seconds <= 600.0, "--seconds must be more than 0 and at most 600");
    match &eval.file {
        Some(path) => {
            let network = Network::open(path)?;
            let encoding = network.origin.encoding.clone();
            with_encoding!(&encoding, E => measure_all::<E>(Some(vec![network]), &eval, out))?
        }
        None => with_encoding!(&eval.encoding, E => measure_all::<E>(None, &eval, out))?,
    }
}

fn measure_all<E: Encoding>(
    networks: Option<Vec<Network>>,
    eval: &Eval,
    out: &mut impl Write,
) -> anyhow::Result<Verdict> {
    let networks = match networks {
        Some(networks) => networks,
        None => eval.arch.iter().map(|size| untrained::<E>(*size, 1)).collect::<Result<_, _>>()?,
    };
    let instructions = match &eval.instructions {
        None => Instructions::best(),
        Some(name) => {
            Instructions::named(name).with_context(|| format!("this processor has no {name} instructions"))?
        }
    };
    let precision = Precision::named(&eval.precision).unwrap_or(Precision::Full);
    if eval.remeasure {
        for network in &networks {
            Calibration::again(&network.architecture, instructions, precision);
        }
    }
    let peak = Peak::measure(instructions);
    let mut rows = Vec::new();
    if eval.explain && !eval.json {
        networks.iter().try_for_each(|network| explain(network, instructions, precision, out))?;
    }
    if !eval.json {
        write!(out, "{:<10} {:>6} {:>8} {:>12} {:>6}", "network", "batch", "threads", "positions/s", "peak")?;
        write!(out, "{}", if eval.against.is_some() { "   libtorch   ratio" } else { "" })?;
        writeln!(out, "  computed")?;
    }
    for network in &networks {
        let model = Model::calibrated(&EncodedNetwork::new::<E>(network)?, instructions, precision);
        let name = network.architecture.size().to_string();
        for &threads in &eval.threads {
            for &size in &eval.batch {
                let batch = Batch::random::<E>(&network.architecture, size as usize, 1);
                let (cpu, rival) = measure::<E>(&model, network, &batch, threads, eval)?;
                let gflops = cpu * network.architecture.flops() as f64 / 1e9;
                let ratio = rival.map(|rival| cpu / rival);
                let Choice { algorithm, group } = model.plan().choice(size as usize);
                // What the tower multiplies, as the algorithm does it, and the weights that pass by for it.
                let share = cpu / f64::from(threads) * peak.seconds(&network.architecture, algorithm);
                if !eval.json {
                    write!(out, "{name:<10} {size:>6} {threads:>8} {cpu:>12.0} {:>5.0}%", 100.0 * share)?;
                    if let (Some(rival), Some(ratio)) = (rival, ratio) {
                        write!(out, " {rival:>10.0} {ratio:>7.2}")?;
                    }
                    writeln!(out, "  {algorithm}, {group} at once")?;
                    out.flush()?;
                }
                rows.push(json!({
                    "arch": name, "batch": size, "threads": threads, "cpu": cpu, "gflops": gflops, "peak": share,
                    "algorithm": algorithm.to_string(), "group": group, "torch": rival, "ratio": ratio,
                }));
            }
        }
    }
    if eval.json {
        writeln!(out, "{}", serde_json::Value::from(rows))?;
    } else {
        writeln!(
            out,
            "{} instructions, peak in the cache {:.0} GFLOP/s with 32-bit numbers{}; memory {:.1} GB/s",
            instructions.name(),
            peak.single / 1e9,
            peak.brain.map_or(String::new(), |brain| format!(" and {:.0} with bf16", brain / 1e9)),
            peak.memory / 1e9,
        )?;
        writeln!(
            out,
            "peak: the share of it that the products of the tower reach alone, transforms and heads included"
        )?;
    }
    Ok(Verdict::Fine)
}

/// What was measured to choose how a network is computed, fastest first.
fn explain(
    network: &Network,
    instructions: Instructions,
    precision: Precision,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let began = Instant::now();
    let mut measured = Calibration::measure(&network.architecture, instructions, precision).measured;
    let elapsed = began.elapsed().as_secs_f64() * 1e3;
    measured.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    writeln!(out, "{}: the tower alone, measured in {elapsed:.0} ms", network.architecture.size())?;
    for Measurement { choice: Choice { algorithm, group }, seconds } in measured {
        let weights = algorithm.weight_bytes(&network.architecture) as f64 / f64::from(1 << 20);
        let at_once = format!("{group} at once");
        writeln!(
            out,
            "  {:<22} {at_once:>10} {:>9.0} positions/s {weights:>7.1} MB of weights",
            algorithm.to_string(),
            1.0 / seconds
        )?;
    }
    writeln!(out)?;
    Ok(())
}

/// Positions per second on the CPU engine and on the rival, if there is one: medians of rounds taken in turns.
fn measure<E: Encoding>(
    model: &Arc<Model>,
    network: &Network,
    batch: &Batch,
    threads: u32,
    eval: &Eval,
) -> anyhow::Result<(f64, Option<f64>)> {
    let mut engines: Vec<Box<dyn Inference>> = Vec::new();
    let mut rivals: Vec<Box<dyn Inference>> = Vec::new();
    for _ in 0..threads {
        engines.push(Box::new(Engine::new(Arc::clone(model))));
        if let Some(Rival::Torch) = eval.against {
            let (torch, device) = (torch::require()?, eval.device.as_deref().unwrap_or("cpu"));
            if eval.device.is_some() && rivals.is_empty() {
                terminal::say(&format!("libtorch: {}", torch.choose(device)?));
            }
            rivals.push(torch.open(device)?.load(&EncodedNetwork::new::<E>(network)?)?.inference()?);
        }
    }
    let (mut cpu, mut rival) = (Vec::new(), Vec::new());
    for _ in 0..eval.rounds {
        cpu.push(rate(&mut engines, batch, eval.seconds)?);
        if eval.against.is_some() {
            rival.push(rate(&mut rivals, batch, eval.seconds)?);
        }
    }
    Ok((median(cpu), eval.against.map(|_| median(rival))))
}

/// Positions per second of all evaluators together.
fn rate(evaluators: &mut [Box<dyn Inference>], batch: &Batch, seconds: f64) -> anyhow::Result<f64> {
    for evaluator in evaluators.iter_mut() {
        evaluator.evaluate(batch, &mut Outputs::default())?; // warm up
    }
    let limit = Duration::from_secs_f64(seconds);
    let run = |evaluator: &mut Box<dyn Inference>| -> anyhow::Result<f64> {
        let mut outputs = Outputs::default();
        let started = Instant::now();
        let mut batches = 0u64;
        while started.elapsed() < limit {
            evaluator.evaluate(batch, &mut outputs)?;
            batches += 1;
        }
        Ok(batches as f64 * batch.len() as f64 / started.elapsed().as_secs_f64())
    };
    std::thread::scope(|scope| {
        let handles: Vec<_> = evaluators.iter_mut().map(|evaluator| scope.spawn(|| run(evaluator))).collect();
        handles.into_iter().map(|handle| handle.join().unwrap_or_else(|_| anyhow::bail!("an evaluator panicked"))).sum()
    })
}
