//! `alfil net`

mod accuracy;
mod game_set;
mod identify;
mod overfit;

pub use game_set::short_name;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alfil_core::wording::one_line;
use alfil_game::{Encoding, Game, Notation, Wdl, with_encoding};
use alfil_nn::{
    Architecture, ArchitectureError, Batch, EncodedNetwork, Engine, Inference, Instructions, Model, Network, Outputs,
    PolicyShape, Size, ValueOutput, lc0, onnx,
};
use anyhow::{Context, ensure};
use clap::Subcommand;
use serde_json::json;

use crate::game::Place;
use crate::{Verdict, game, terminal, torch};

#[derive(Subcommand)]
pub enum NetCommand {
    /// Show what a network is made of and where it comes from
    Info {
        /// A network file, ours or Leela's
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show what a network says about a position
    Eval {
        /// A network file, ours or Leela's
        file: PathBuf,
        #[command(flatten)]
        place: Place,
        /// Compute on libtorch instead of our CPU engine: cpu, cuda, cuda:N or auto
        #[arg(long)]
        device: Option<String>,
    },
    /// Make an untrained network
    Random {
        /// The game it is for
        #[arg(long)]
        game: String,
        /// What it sees, such as chess/az119 [default: the game's first encoding]
        #[arg(long)]
        encoding: Option<String>,
        /// Filters x blocks, such as 64x6, or 64x6s8 with squeeze-excitation
        #[arg(long)]
        arch: Size,
        /// The seed of its weights
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// The network file to write
        #[arg(short, long)]
        output: PathBuf,
    },
    /// Turn a Leela network (.pb.gz) into one of our files
    Import {
        /// A Leela network of the residual family
        file: PathBuf,
        /// The network file to write
        #[arg(short, long)]
        output: PathBuf,
    },
    /// Turn a network with the encoding chess/lc0-112 into a Leela network, or any network into an ONNX file
    Export {
        /// A network file, ours or Leela's
        file: PathBuf,
        /// Write an ONNX file, for programs that compute networks of any kind
        #[arg(long)]
        onnx: bool,
        /// The file to write (.pb.gz, or .onnx)
        #[arg(short, long)]
        output: PathBuf,
    },
    /// Measure how often networks predict the moves of games, and their results
    Accuracy(accuracy::AccuracyCommand),
    /// Say which network's player games are of, by how likely their moves are
    Identify(identify::IdentifyCommand),
    /// Let a new network memorise one batch: shows that training works on this machine
    Overfit(overfit::Overfit),
    /// Compare the CPU engine with libtorch, on the CPU and on CUDA where present
    Check {
        /// A network file, ours or Leela's
        file: PathBuf,
        /// Random positions to compare on
        #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
        positions: u32,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub fn run(command: NetCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    match command {
        NetCommand::Info { file, json } => info(&file, json, out),
        NetCommand::Eval { file, place, device } => {
            let network = Network::open(&file)?;
            let encoding = network.origin.encoding.clone();
            with_encoding!(&encoding, E => eval_position::<E>(network, place, device, out))?
        }
        NetCommand::Random { game, encoding, arch, seed, output } => {
            let encodings = game::encoding_names(&game)?;
            let encoding = encoding.unwrap_or_else(|| encodings[0].to_owned());
            ensure!(
                encodings.contains(&encoding.as_str()),
                "{game} has no encoding '{encoding}': it has {}",
                encodings.join(", ")
            );
            let network = with_encoding!(&encoding, E => untrained::<E>(arch, seed))??;
            save(&network, &output, out)
        }
        NetCommand::Import { file, output } => {
            let network = lc0::import(&file).with_context(|| format!("cannot import {}", file.display()))?;
            save(&network, &output, out)
        }
        NetCommand::Export { file, onnx, output } => {
            let network = Network::open(&file)?;
            let exported = match onnx {
                true => export_onnx(&network, &output),
                false => lc0::export(&network, &output).map_err(anyhow::Error::from),
            };
            exported.with_context(|| format!("cannot export {}", file.display()))?;
            writeln!(out, "wrote {}", output.display())?;
            Ok(Verdict::Fine)
        }
        NetCommand::Accuracy(command) => accuracy::run(&command, out),
        NetCommand::Identify(command) => identify::run(&command, out),
        NetCommand::Overfit(command) => overfit::run(&command, out),
        NetCommand::Check { file, positions, json } => {
            let network = Network::open(&file)?;
            let encoding = network.origin.encoding.clone();
            with_encoding!(&encoding, E => check::<E>(network, positions as usize, json, out))?
        }
    }
}

fn save(network: &Network, path: &Path, out: &mut impl Write) -> anyhow::Result<Verdict> {
    network.save(path)?;
    writeln!(out, "wrote {}: {} for {}", path.display(), network.architecture.size(), network.origin.encoding)?;
    Ok(Verdict::Fine)
}

/// An untrained network for an encoding by its name.
pub fn untrained_for(encoding: &str, size: &str) -> anyhow::Result<Network> {
    let size = size.parse()?;
    Ok(with_encoding!(encoding, E => untrained::<E>(size, 1))??)
}

/// An untrained network of this size, if there can be one.
pub fn untrained<E: Encoding>(size: Size, seed: u64) -> Result<Network, ArchitectureError> {
    let architecture = Architecture::new::<E>(size);
    architecture.check()?;
    Ok(Network::random::<E>(architecture, seed))
}

fn export_onnx(network: &Network, output: &Path) -> anyhow::Result<()> {
    let bytes = with_encoding!(&network.origin.encoding, E => onnx::export_bytes(&EncodedNetwork::new::<E>(network)?))?;
    Ok(alfil_core::disk::write_whole(output, &bytes)?)
}

fn info(path: &Path, json: bool, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let network = Network::open(path)?;
    let Network { architecture, origin, .. } = &network;
    let parameters = network.parameters();
    if json {
        let report = json!({
            "file": path.display().to_string(),
            "size": architecture.size().to_string(),
            "parameters": parameters,
            "flops": architecture.flops(),
            "architecture": architecture,
            "origin": origin,
        });
        writeln!(out, "{report}")?;
        return Ok(Verdict::Fine);
    }
    // The values come from a file: they must not control the terminal.
    let mut row = |name: &str, value: String| writeln!(out, "{name:<12} {}", one_line(&value));
    row("size", format!("{} ({:.2} million parameters)", architecture.size(), parameters as f64 / 1e6))?;
    row("work", format!("{:.1} MFLOP per position", architecture.flops() as f64 / 1e6))?;
    row("game", origin.game.clone())?;
    row("encoding", format!("{} version {}", origin.encoding, origin.encoding_version))?;
    row("input", format!("{} planes of {}x{}", architecture.planes, architecture.height, architecture.width))?;
    row("activation", format!("{:?}", architecture.activation).to_lowercase())?;
    row(
        "policy",
        match architecture.policy {
            PolicyShape::Convolution { planes } => format!("3x3 convolutions to {planes} planes"),
            PolicyShape::Dense { filters, outputs } => format!("dense, from {filters} planes to {outputs} outputs"),
        },
    )?;
    let value = match architecture.value.output {
        ValueOutput::Wdl => "win, draw and loss",
        ValueOutput::Tanh => "one number",
    };
    row("value", value.to_owned())?;
    row("moves left", if architecture.moves_left.is_some() { "yes" } else { "no" }.to_owned())?;
    let known = [
        ("generation", origin.generation.map(|generation| generation.to_string())),
        ("parent", origin.parent.clone()),
        ("steps", origin.steps.map(|steps| steps.to_string())),
        ("rating", origin.rating.clone()),
        ("note", origin.note.clone()),
    ];
    for (name, value) in known {
        if let Some(value) = value {
            row(name, value)?;
        }
    }
    Ok(Verdict::Fine)
}

fn eval_position<E: Encoding>(
    network: Network,
    place: Place,
    device: Option<String>,
    out: &mut impl Write,
) -> anyhow::Result<Verdict> {
    let game: E::Game = place.reach()?;
    let mut moves = Vec::new();
    game.generate(&mut moves);
    ensure!(!moves.is_empty(), "the game is over: there are no moves to evaluate");
    let mut batch = Batch::new(&network.architecture);
    batch.push::<E>(&game, &moves);
    let mut outputs = Outputs::default();
    match device {
        None => Engine::new(Arc::new(Model::new::<E>(&network)?)).evaluate(&batch, &mut outputs),
        Some(device) => {
            let torch = torch::require()?;
            terminal::say(&format!("device: {}", torch.choose(&device)?));
            let loaded = torch.open(&device)?.load(&EncodedNetwork::new::<E>(&network)?)?;
            loaded.inference()?.evaluate(&batch, &mut outputs)?;
        }
    }

    let mut ranked: Vec<_> = moves.into_iter().zip(outputs.priors(0).iter().copied()).collect();
    ranked.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let (value, wdl, plies) = (outputs.values[0], outputs.wdl.first().map(|wdl| wdl.0), outputs.moves_left.first());
    if place.json {
        let moves: Vec<_> =
            ranked.iter().map(|(m, prior)| json!({"move": game.move_text(*m), "prior": prior})).collect();
        let wdl = wdl.map(<[f32; 3]>::from);
        writeln!(out, "{}", json!({"value": value, "wdl": wdl, "moves_left": plies, "moves": moves}))?;
        return Ok(Verdict::Fine);
    }
    writeln!(out, "{game}")?;
    writeln!(out, "value {value:+.4}")?;
    if let Some(Wdl { win, draw, loss }) = wdl {
        writeln!(out, "win {:.1} %, draw {:.1} %, loss {:.1} %", 100.0 * win, 100.0 * draw, 100.0 * loss)?;
    }
    if let Some(plies) = plies {
        writeln!(out, "{plies:.0} plies to the end")?;
    }
    for (m, prior) in ranked {
        let bar = "#".repeat((prior * 50.0).round() as usize);
        writeln!(out, "{:<8} {:>5.1} %  {bar}", game.move_name(m), 100.0 * prior)?;
    }
    Ok(Verdict::Fine)
}

/// Differences beyond this are mistakes, not rounding; 16-bit numbers get a hundred times as much.
const TOLERANCE: f32 = 1e-4;
const HALF_TOLERANCE: f32 = 1e-2;

fn check<E: Encoding>(network: Network, positions: usize, json: bool, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let comparisons = compare::<E>(&network, positions)?;
    let all_agree = comparisons.iter().all(Comparison::agrees);
    if json {
        let row = |found: &Comparison| json!({"evaluator": found.evaluator, "difference": found.difference, "agrees": found.agrees()});
        let rows: Vec<_> = comparisons.iter().map(row).collect();
        writeln!(out, "{}", json!({"positions": positions, "agree": all_agree, "evaluators": rows}))?;
    } else {
        for found in &comparisons {
            let verdict = if found.agrees() { "ok" } else { "WRONG" };
            writeln!(out, "{verdict:<6} {:.1e}  {}", found.difference, found.evaluator)?;
        }
        let best = Instructions::best().name();
        writeln!(out, "largest difference from the CPU engine on {best} in {positions} positions")?;
    }
    Ok(if all_agree { Verdict::Fine } else { Verdict::Failed })
}

/// An evaluator compared with the CPU engine.
pub struct Comparison {
    pub evaluator: String,
    /// The largest difference.
    pub difference: f32,
    tolerance: f32,
}

impl Comparison {
    /// Whether the difference is no more than rounding. NaN is more.
    pub fn agrees(&self) -> bool {
        self.difference <= self.tolerance
    }
}

/// Compares all evaluators of this machine with the CPU engine, on random positions.
pub fn compare<E: Encoding>(network: &Network, positions: usize) -> anyhow::Result<Vec<Comparison>> {
    let batch = Batch::random::<E>(&network.architecture, positions, 1);
    let best = Instructions::best().name();
    let engine = |instructions| -> anyhow::Result<Box<dyn Inference>> {
        Ok(Box::new(Engine::new(Arc::new(Model::with_instructions::<E>(network, instructions)?))))
    };
    let mut expected = Outputs::default();
    engine(Instructions::best())?.evaluate(&batch, &mut expected)?;
    let mut rivals: Vec<(String, f32, Box<dyn Inference>)> = Vec::new();
    for instructions in Instructions::available().into_iter().filter(|other| other.name() != best) {
        rivals.push((format!("CPU engine, {}", instructions.name()), TOLERANCE, engine(instructions)?));
    }
    if let Some(torch) = torch::find() {
        let encoded = EncodedNetwork::new::<E>(network)?;
        let on = |device: &str, half: bool| -> anyhow::Result<Box<dyn Inference>> {
            let device = if half { torch.open(device)? } else { torch.open_exact(device)? };
            Ok(device.load(&encoded)?.inference()?)
        };
        rivals.push(("libtorch, cpu".to_owned(), TOLERANCE, on("cpu", false)?));
        for number in 0..torch.cuda_devices() {
            let device = format!("cuda:{number}");
            rivals.push((format!("libtorch, {device}, 32 bits"), TOLERANCE, on(&device, false)?));
            rivals.push((format!("libtorch, {device}, 16 bits"), HALF_TOLERANCE, on(&device, true)?));
        }
    }
    let compare = |(evaluator, tolerance, mut inference): (String, f32, Box<dyn Inference>)| {
        let mut found = Outputs::default();
        inference.evaluate(&batch, &mut found)?;
        Ok(Comparison { evaluator, difference: largest_difference(&expected, &found, positions), tolerance })
    };
    rivals.into_iter().map(compare).collect()
}

/// The largest difference of any value, probability or prior; that of plies to the end is relative.
fn largest_difference(expected: &Outputs, found: &Outputs, positions: usize) -> f32 {
    let values = expected.values.iter().copied().zip(found.values.iter().copied());
    let shares = |outputs: &Outputs| outputs.wdl.iter().flat_map(|wdl| <[f32; 3]>::from(wdl.0)).collect::<Vec<f32>>();
    let wdl = shares(expected).into_iter().zip(shares(found));
    let priors = (0..positions)
        .flat_map(|position| expected.priors(position).iter().copied().zip(found.priors(position).iter().copied()));
    let absolute = values.chain(wdl).chain(priors).map(|(a, b)| (a - b).abs());
    let plies = expected.moves_left.iter().zip(&found.moves_left).map(|(a, b)| (a - b).abs() / a.max(1.0));
    // NaN must not pass for a small difference.
    absolute.chain(plies).fold(0.0, |largest, d| if d > largest || d.is_nan() { d } else { largest })
}
