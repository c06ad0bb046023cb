//! `alfil doctor`

mod resources;

use std::io::Write;
use std::path::Path;

use alfil_game::chess::Az21;
use alfil_nn::Instructions;
use anyhow::ensure;
use clap::Args;
use serde_json::{Value, json};

use crate::net::{compare, untrained};
use crate::plan::bytes;
use crate::{Verdict, torch};
use resources::Disk;
pub use resources::{Memory, memory};

/// Check what this machine can compute with.
#[derive(Args)]
pub struct Doctor {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Free memory and disk, in bytes, that training needs at least.
const LEAST_FREE: u64 = 1 << 30;

/// Positions that evaluators are compared on.
const POSITIONS: usize = 20;

/// Environment variables that change how libtorch or we compute, and how.
const VARIABLES: &[(&str, &str)] = &[
    ("LD_PRELOAD", "may change how memory is allocated"),
    ("LD_LIBRARY_PATH", "may put another libtorch before ours"),
    ("RAYON_NUM_THREADS", "limits the threads that build batches"),
    ("CUDA_VISIBLE_DEVICES", "hides the other CUDA devices"),
    ("CUDA_LAUNCH_BLOCKING", "makes CUDA slow"),
    ("ATEN_CPU_CAPABILITY", "limits the instructions of libtorch"),
];

/// What was found.
struct Findings {
    threads: usize,
    memory: Option<Memory>,
    disk: Option<Disk>,
    libtorch: Option<(&'static str, usize, String)>,
    /// The largest difference between evaluators, or what is wrong with them.
    check: Result<f32, String>,
    /// Variables that are set.
    variables: Vec<(&'static str, &'static str)>,
}

pub fn run(doctor: &Doctor, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let findings = Findings::look();
    let troubles = findings.troubles();
    if doctor.json {
        findings.print_json(&troubles, out)?;
    } else {
        findings.print(&troubles, out)?;
    }
    Ok(if troubles.is_empty() { Verdict::Fine } else { Verdict::Failed })
}

impl Findings {
    fn look() -> Findings {
        // Runs are kept there; the first one creates it.
        let data = Path::new("data");
        let is_set = |(name, _): &&(&str, &str)| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        Findings {
            libtorch: torch::find()
                .map(|torch| (torch.version(), torch.cuda_devices(), torch.choose("auto").unwrap_or_default())),
            threads: alfil_core::cores(),
            memory: resources::memory(),
            disk: resources::disk(if data.is_dir() { data } else { Path::new(".") }),
            check: self_check().map_err(|error| format!("{error:#}")),
            variables: VARIABLES.iter().filter(is_set).copied().collect(),
        }
    }

    /// What keeps this machine from training.
    fn troubles(&self) -> Vec<String> {
        let mut troubles = Vec::new();
        if self.libtorch.is_none() {
            troubles.push("this alfil has no libtorch: build it with the default features".to_owned());
        }
        if let Err(why) = &self.check {
            troubles.push(why.clone());
        }
        if let Some(memory) = self.memory.filter(|memory| memory.free < LEAST_FREE) {
            troubles.push(format!("there is only {} of free memory", bytes(memory.free)));
        }
        match &self.disk {
            Some(disk) if !disk.writable => troubles.push(format!("the folder {} cannot be written to", disk.folder)),
            Some(disk) if disk.free < LEAST_FREE => {
                troubles.push(format!("there is only {} free on the disk of {}", bytes(disk.free), disk.folder));
            }
            _ => {}
        }
        troubles
    }

    fn print(&self, troubles: &[String], out: &mut impl Write) -> anyhow::Result<()> {
        let mut row = |name: &str, text: String| writeln!(out, "{name:<9} {text}");
        row("alfil", env!("CARGO_PKG_VERSION").to_owned())?;
        row("CPU", format!("{} threads, {} instructions", self.threads, Instructions::best().name()))?;
        if let Some(memory) = self.memory {
            row("memory", format!("{}, {} of it free", bytes(memory.all), bytes(memory.free)))?;
        }
        if let Some(disk) = &self.disk {
            row("disk", format!("{} free for {}", bytes(disk.free), disk.folder))?;
        }
        match &self.libtorch {
            Some((version, devices, auto)) => {
                row("libtorch", version.to_string())?;
                row("CUDA", format!("{devices} device{}", if *devices == 1 { "" } else { "s" }))?;
                row("auto", auto.clone())?;
            }
            None => row("libtorch", "not in this build".to_owned())?,
        }
        match &self.check {
            Ok(difference) => row("check", format!("all evaluators agree within {difference:.0e}"))?,
            Err(_) => row("check", "WRONG".to_owned())?,
        }
        for (name, why) in &self.variables {
            row("note", format!("{name} is set: it {why}"))?;
        }
        for trouble in troubles {
            row("WRONG", trouble.clone())?;
        }
        if troubles.is_empty() {
            row("verdict", "ready to train".to_owned())?;
        } else {
            row("verdict", "not ready to train".to_owned())?;
        }
        Ok(())
    }

    fn print_json(&self, troubles: &[String], out: &mut impl Write) -> anyhow::Result<()> {
        let libtorch = self.libtorch.as_ref();
        let report = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "threads": self.threads,
            "instructions": Instructions::best().name(),
            "memory": self.memory.map(|memory| json!({"bytes": memory.all, "free": memory.free})),
            "disk": self.disk.as_ref().map(|disk| json!({"folder": disk.folder, "free": disk.free, "writable": disk.writable})),
            "libtorch": libtorch.map(|(version, cuda, auto)| json!({"version": version, "cuda": cuda, "device": auto})),
            "difference": self.check.as_ref().map_or(Value::Null, |difference| json!(difference)),
            "environment": self.variables.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
            "troubles": troubles,
            "ready": troubles.is_empty(),
        });
        Ok(writeln!(out, "{report}")?)
    }
}

/// Evaluates a small network with all evaluators. Returns the largest difference.
fn self_check() -> anyhow::Result<f32> {
    let network = untrained::<Az21>("32x2s4".parse()?, 1)?;
    let comparisons = compare::<Az21>(&network, POSITIONS)?;
    for found in &comparisons {
        ensure!(found.agrees(), "{} differs from the CPU engine by {:.1e}", found.evaluator, found.difference);
    }
    Ok(comparisons.iter().map(|found| found.difference).fold(0.0, f32::max))
}
