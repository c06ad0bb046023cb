//! `alfil plan`

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use alfil_core::numbers::count;
use alfil_game::with_encoding;
use alfil_nn::{Cpu, Device};
use alfil_train::config::{Border, Stage};
use alfil_train::{Config, FolderPlan, Machine, Plan, plan};
use clap::Args;
use serde_json::json;

use crate::Verdict;
use crate::time::{self, clock};
use crate::train::machine;

#[derive(Args)]
pub struct PlanCommand {
    /// The configuration file
    config: PathBuf,
    /// Set a key of the configuration, such as training.batch=128; can be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// The time that the run will be given, as for alfil train
    #[arg(long = "for", value_name = "TIME", value_parser = time::parse)]
    time: Option<Duration>,
    /// Seconds to measure for
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(command: PlanCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let config = Config::load_for(&command.config, &command.set, command.time.map(time::hours))?;
    let machine = machine(&config)?;
    let time = Duration::from_secs(command.seconds);
    let found = with_encoding!(&config.encoding, E => plan::<E>(&config, &machine, time))??;
    if command.json { print_json(&found, &config, out) } else { print(&found, &config, &machine, out) }
}

/// The stages that change how long a generation takes: when they begin, and what they take if all before them have begun.
fn stages(plan: &Plan, config: &Config) -> Vec<(Border, Plan)> {
    let first = config.at(1, 0.0);
    let mut stages: Vec<(Border, Plan)> = Vec::new();
    let (mut generation, mut hours) = (1, 0.0);
    for Stage { from, .. } in config.stages.iter() {
        match *from {
            Border::Generation(border) => generation = border,
            Border::Hours(border) => hours = border,
        }
        let adapted = plan.adapted(&first, &config.at(generation, hours));
        let last = stages.last().map_or(plan, |(_, last)| last);
        let times = |plan: &Plan| [plan.selfplay, plan.training, plan.gate];
        let differs = times(last).into_iter().zip(times(&adapted)).any(|(a, b)| (a - b).abs() > 1e-9 * a);
        if differs {
            stages.push((*from, adapted));
        }
    }
    stages
}

/// The times of a generation in words.
fn generation_line(plan: &Plan, machine: &Machine) -> String {
    let games = if plan.selfplay > 0.0 { format!("games {}, ", clock(plan.selfplay)) } else { String::new() };
    format!(
        "{}: {games}training {}, gate at most {}{}",
        clock(generation_seconds(plan, machine)),
        clock(plan.training),
        clock(plan.gate),
        if machine.overlap && plan.selfplay > 0.0 { ", self-play in parallel" } else { "" }
    )
}

fn generation_seconds(plan: &Plan, machine: &Machine) -> f64 {
    match machine.overlap {
        true => plan.selfplay.max(plan.training + plan.gate),
        false => plan.selfplay + plan.training + plan.gate,
    }
}

/// The seconds of this many generations: `each` is what one takes at first, and `stages` when that changes, and to what.
fn run_seconds(mut each: f64, stages: impl IntoIterator<Item = (Border, f64)>, generations: u32) -> f64 {
    let (mut seconds, mut done) = (0.0, 0);
    for (from, later) in stages {
        let begins = match from {
            Border::Generation(first) => first.saturating_sub(1),
            // A generation keeps the settings that it began with.
            Border::Hours(hours) => done + ((hours * 3_600.0 - seconds) / each).ceil().max(0.0) as u32,
        };
        let begins = begins.clamp(done, generations);
        seconds += each * f64::from(begins - done);
        (done, each) = (begins, later);
    }
    seconds + each * f64::from(generations - done)
}

fn print(plan: &Plan, config: &Config, machine: &Machine, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let where_played = if machine.device.name() == Cpu.name() { "the CPU engine" } else { "CUDA" };
    writeln!(out, "network      {} with {} parameters", config.network.size, plan.parameters)?;
    if let Some(FolderPlan { games, positions, .. }) = plan.folders {
        writeln!(out, "folders      {} games with {} positions", count(games), count(positions))?;
    }
    let plays = plan.evaluations_per_second > 0.0;
    if plays {
        writeln!(
            out,
            "self-play    {:.0} positions/s, {:.0} evaluations/s on {} lanes ({where_played})",
            plan.positions_per_second, plan.evaluations_per_second, machine.lanes
        )?;
    }
    writeln!(out, "training     {:.0} samples/s", plan.samples_per_second)?;
    writeln!(out, "generation   {}", generation_line(plan, machine))?;
    if plays {
        // Perhaps no game has ended while measuring.
        let whose = match plan.is_random_length {
            _ if plan.selfplay == 0.0 => "those of the folders",
            true => "those of random moves",
            false => "an untrained network's",
        };
        writeln!(out, "             if games are as long as {whose}: {:.0} plies", plan.length)?;
    }
    if let Some(FolderPlan { epoch, .. }) = plan.folders.filter(|folders| folders.epoch.is_finite()) {
        writeln!(out, "epoch        {} of training", clock(epoch))?;
    }
    let stages = stages(plan, config);
    for (from, plan) in &stages {
        writeln!(out, "stage        {from}: {}", generation_line(plan, machine))?;
    }
    if config.generations > 0 {
        let later = stages.iter().map(|(from, plan)| (*from, generation_seconds(plan, machine)));
        let whole = run_seconds(generation_seconds(plan, machine), later, config.generations);
        writeln!(out, "run          {} for {} generations, without ratings", clock(whole), config.generations)?;
    }
    writeln!(out, "memory       {}, and what libtorch needs", bytes(plan.memory))?;
    let games = if plan.games_disk > 0 {
        format!("{} of games per generation, ", bytes(plan.games_disk))
    } else {
        String::new()
    };
    writeln!(out, "disk         {games}{} per network", bytes(plan.network_disk))?;
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

fn print_json(plan: &Plan, config: &Config, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let stage = |(from, plan): (Border, Plan)| {
        json!({
            "from": from.to_string(), "selfplay_seconds": plan.selfplay, "training_seconds": plan.training,
            "gate_seconds": plan.gate,
        })
    };
    let report = json!({
        "parameters": plan.parameters, "positions_per_second": plan.positions_per_second,
        "evaluations_per_second": plan.evaluations_per_second, "samples_per_second": plan.samples_per_second,
        "length": plan.length, "selfplay_seconds": plan.selfplay, "training_seconds": plan.training,
        "gate_seconds": plan.gate, "memory_bytes": plan.memory, "games_bytes": plan.games_disk,
        "network_bytes": plan.network_disk,
        "folders": plan.folders.map(|FolderPlan { games, positions, epoch }| {
            json!({"games": games, "positions": positions, "epoch_seconds": epoch})
        }),
        "stages": stages(plan, config).into_iter().map(stage).collect::<Vec<_>>(),
    });
    writeln!(out, "{report}")?;
    Ok(Verdict::Fine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_takes_what_its_stages_take() {
        let at = Border::Generation;
        assert_eq!(run_seconds(10.0, [], 6), 60.0);
        assert_eq!(run_seconds(10.0, [(at(3), 20.0), (at(5), 30.0)], 6), 20.0 + 40.0 + 60.0);
        assert_eq!(run_seconds(10.0, [(at(9), 20.0)], 6), 60.0, "a stage that never begins");
        // The fourth generation begins after half a minute, a little later than its border.
        let hours = Border::Hours(25.0 / 3_600.0);
        assert_eq!(run_seconds(10.0, [(hours, 100.0)], 5), 230.0);
        assert_eq!(run_seconds(10.0, [(at(4), 20.0), (hours, 100.0)], 5), 30.0 + 200.0);
    }
}
