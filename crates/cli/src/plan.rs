//! `alfil plan`

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use alfil_game::with_encoding;
use alfil_nn::{Cpu, Device};
use alfil_train::{Config, Machine, Plan, plan};
use clap::Args;
use serde_json::json;

use crate::Verdict;
use crate::time::clock;
use crate::train::machine;

#[derive(Args)]
pub struct PlanCommand {
    /// The configuration file
    config: PathBuf,
    /// Set a key of the configuration, such as training.batch=128; can be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Seconds to measure for
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(command: PlanCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let config = Config::load(&command.config, &command.set)?;
    let machine = machine(&config)?;
    let time = Duration::from_secs(command.seconds);
    let found = with_encoding!(&config.encoding, E => plan::<E>(&config, &machine, time))??;
    if command.json { print_json(&found, out) } else { print(&found, &config, &machine, out) }
}

fn print(plan: &Plan, config: &Config, machine: &Machine, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let where_played = if machine.device.name() == Cpu.name() { "the CPU engine" } else { "CUDA" };
    let generation = if machine.overlap {
        plan.selfplay.max(plan.training + plan.gate)
    } else {
        plan.selfplay + plan.training + plan.gate
    };
    writeln!(out, "network      {} with {} parameters", config.network.size, plan.parameters)?;
    writeln!(
        out,
        "self-play    {:.0} positions/s, {:.0} evaluations/s on {} lanes ({where_played})",
        plan.positions_per_second, plan.evaluations_per_second, machine.lanes
    )?;
    writeln!(out, "training     {:.0} samples/s", plan.samples_per_second)?;
    writeln!(
        out,
        "generation   {}: games {}, training {}, gate at most {}{}",
        clock(generation),
        clock(plan.selfplay),
        clock(plan.training),
        clock(plan.gate),
        if machine.overlap { ", self-play in parallel" } else { "" }
    )?;
    // Perhaps no game has ended while measuring.
    let whose = if plan.is_random_length { "those of random moves" } else { "an untrained network's" };
    writeln!(out, "             if games are as long as {whose}: {:.0} plies", plan.length)?;
    if config.generations > 0 {
        let whole = generation * f64::from(config.generations);
        writeln!(out, "run          {} for {} generations, without ratings", clock(whole), config.generations)?;
    }
    writeln!(out, "memory       {}, and what libtorch needs", bytes(plan.memory))?;
    writeln!(
        out,
        "disk         {} of games per generation, {} per network",
        bytes(plan.games_disk),
        bytes(plan.network_disk)
    )?;
    Ok(Verdict::Fine)
}

/// A readable size.
pub fn bytes(count: u64) -> String {
    match count as f64 {
        count if count >= 1e9 => format!("{:.1} GB", count / 1e9),
        count if count >= 1e6 => format!("{:.1} MB", count / 1e6),
        count => format!("{:.0} kB", count / 1e3),
    }
}

fn print_json(plan: &Plan, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let report = json!({
        "parameters": plan.parameters, "positions_per_second": plan.positions_per_second,
        "evaluations_per_second": plan.evaluations_per_second, "samples_per_second": plan.samples_per_second,
        "length": plan.length, "selfplay_seconds": plan.selfplay, "training_seconds": plan.training,
        "gate_seconds": plan.gate, "memory_bytes": plan.memory, "games_bytes": plan.games_disk,
        "network_bytes": plan.network_disk,
    });
    writeln!(out, "{report}")?;
    Ok(Verdict::Fine)
}
