//! `alfil tune`

use std::io::Write;
use std::path::PathBuf;

use alfil_arena::player::{GRAMMAR, PlayerLine};
use alfil_arena::tune::{Parameter, TuneReport, TuneSettings, tune};
use alfil_game::{FullGame, registry, with_game};
use anyhow::ensure;
use clap::Args;
use serde_json::json;

use crate::match_command::{Arena, entrant, progress};
use crate::{Verdict, stop};

#[derive(Args)]
#[command(after_help = GRAMMAR)]
pub struct TuneCommand {
    /// The player, without the numbers that are tuned
    player: String,
    /// A number to tune: its key, where it begins and its range, as in cpuct=1.7:0.5..4
    #[arg(long = "number", value_name = "KEY=START:LEAST..MOST", required = true)]
    numbers: Vec<Parameter>,
    /// The game's name
    #[arg(long, default_value = registry::DEFAULT)]
    game: String,
    /// Iterations: in each, all numbers change at once
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    iterations: u64,
    /// Pairs of games per iteration
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pairs: u64,
    /// How much numbers change in the first iteration, as a share of their range
    #[arg(long, default_value_t = 0.1)]
    change: f64,
    /// How far numbers move in the first iteration if one side wins all games, as a share of their range
    #[arg(long, default_value_t = 0.1)]
    step: f64,
    /// Keep every finished iteration here; the same command resumes from it
    #[arg(long, value_name = "FILE")]
    state: PathBuf,
    #[command(flatten)]
    arena: Arena,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(command: &TuneCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    for (flag, share) in [("--change", command.change), ("--step", command.step)] {
        ensure!(share > 0.0 && share <= 0.5, "{flag} should be more than 0 and at most 0.5");
    }
    with_game!(&command.game, G => play::<G>(command, out))?
}

fn play<G: FullGame>(command: &TuneCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let TuneCommand { player, numbers, iterations, pairs, .. } = command;
    // A typo should not wait for the first games.
    player.parse::<PlayerLine>()?;
    let starts: Vec<f64> = numbers.iter().map(|number| number.start).collect();
    let report = TuneReport { parameters: numbers.clone(), iterations: Vec::new() };
    let threads = entrant::<G>(&report.line(player, &starts))?.threads;
    let settings = TuneSettings {
        iterations: *iterations,
        pairs: *pairs,
        concurrency: command.arena.concurrency(threads),
        seed: command.arena.seed,
        change: command.change,
        step: command.step,
    };
    let stop = stop::flag()?;
    let bar = progress(*iterations)?;
    let mut tell = |report: &TuneReport| {
        let now = report.parameters.iter().zip(report.values());
        let now: Vec<String> = now.map(|(parameter, value)| format!("{} {value:.3}", parameter.key)).collect();
        bar.set_message(now.join(", "));
        bar.set_position(report.iterations.len() as u64);
    };
    let openings = command.arena.openings::<G>()?;
    let report = tune(player, numbers.clone(), settings, openings, &command.state, &mut tell, &stop)?;
    bar.finish_and_clear();
    let late = report.late();
    if command.json {
        let numbers = report.parameters.iter().zip(report.values()).zip(&late).map(|((parameter, value), (mean, spread))| {
            json!({"key": parameter.key, "start": parameter.start, "value": value, "mean": mean, "spread": spread})
        });
        let numbers: Vec<_> = numbers.collect();
        writeln!(out, "{}", json!({"iterations": report.iterations.len(), "numbers": numbers}))?;
        return Ok(Verdict::Fine);
    }
    writeln!(out, "{} iterations of {} games", report.iterations.len(), 2 * pairs)?;
    writeln!(out, "{:<24} {:>9} {:>9} {:>11} {:>7}", "", "start", "now", "late mean", "spread")?;
    for ((parameter, value), (mean, spread)) in report.parameters.iter().zip(report.values()).zip(&late) {
        writeln!(out, "{:<24} {:>9.4} {value:>9.4} {mean:>11.4} {spread:>7.4}", parameter.key, parameter.start)?;
    }
    let means: Vec<f64> = late.into_iter().map(|(mean, _)| mean).collect();
    writeln!(out, "\nWhether these are better only a match can say:")?;
    let (new, old) = (report.line(player, &means), report.line(player, &starts));
    writeln!(out, "alfil match --game {} '{new}' '{old}' --games 2000 --sprt elo0=0,elo1=10", command.game)?;
    Ok(Verdict::Fine)
}
