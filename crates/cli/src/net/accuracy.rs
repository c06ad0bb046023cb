//! `alfil net accuracy`

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;

use alfil_core::numbers::count;
use alfil_core::wording::{cut, one_line};
use alfil_game::{FullGame, with_game};
use alfil_imitation::{Accuracy, AccuracyReport, By, Group, Mean, Selection, measure, svg};
use alfil_search::evaluators::Kind;
use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::game_set::{GamesOptions, predictors, read_set, say_stopped, short_name, with_margin};
use crate::match_command::progress;
use crate::{Verdict, stop};

/// Groups that tables and pictures show.
const SHOWN: usize = 20;

/// Characters of the first column.
const NAME: usize = 20;

#[derive(Args)]
pub struct AccuracyCommand {
    /// Networks, or other evaluators such as uniform
    #[arg(value_name = "NET", required = true)]
    nets: Vec<String>,
    /// A folder of games, or a PGN file, which may be packed (.gz, .zst)
    #[arg(value_name = "GAMES", required = true)]
    games: PathBuf,
    #[command(flatten)]
    options: GamesOptions,
    /// Count positions apart by the rating or the name of the player to move, or by ply
    #[arg(long, value_name = "WHAT")]
    by: Option<Apart>,
    /// Only this many positions, always the same ones
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    positions: Option<u64>,
    /// Write a chart of top-1 with its intervals
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Apart {
    Elo,
    Ply,
    Player,
}

impl From<Apart> for By {
    fn from(apart: Apart) -> By {
        match apart {
            Apart::Elo => By::Elo,
            Apart::Ply => By::Ply,
            Apart::Player => By::Player,
        }
    }
}

pub fn run(command: &AccuracyCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let (kinds, game) = command.options.evaluators(&command.nets)?;
    with_game!(&game, G => compare::<G>(command, &kinds, out))?
}

fn compare<G: FullGame>(command: &AccuracyCommand, kinds: &[Kind], out: &mut impl Write) -> anyhow::Result<Verdict> {
    let rules = command.options.rules.read::<G>()?;
    let mut predictors = predictors::<G>(&command.nets, kinds)?;
    let stop = stop::flag()?;
    let selection = Selection {
        player: None,
        held_out: command.options.held_out(),
        positions: command.positions.map(|positions| positions as usize),
    };
    let Some(set) = read_set::<G>(&command.games, selection, &rules, &stop)? else {
        bail!("stopped before all games were read");
    };
    let bar = progress(0)?;
    bar.set_message("positions predicted");
    let mut tell = |done: u64, of: u64| {
        bar.set_length(of);
        bar.set_position(done);
    };
    let by = command.by.map(By::from);
    let found = measure(&mut predictors, &set, &rules, by, &mut tell, &stop);
    bar.finish_and_clear();
    let Some(reports) = found?.into_iter().collect::<Option<Vec<_>>>() else {
        bail!("stopped before the first positions were predicted");
    };
    if let Some(path) = &command.svg {
        alfil_core::disk::write_whole(path, chart(command, &reports).as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    let is_stopped = stop.load(Relaxed);
    if command.json {
        let report = |(net, report): (&String, &AccuracyReport)| report_json(net, report, by, is_stopped);
        let mut all: Vec<Value> = command.nets.iter().zip(&reports).map(report).collect();
        let json = if all.len() == 1 { all.remove(0) } else { Value::from(all) };
        writeln!(out, "{json}")?;
        return Ok(Verdict::Fine);
    }
    print(command, &reports, out)?;
    say_stopped(is_stopped, out)?;
    Ok(Verdict::Fine)
}

fn report_json(net: &str, report: &AccuracyReport, by: Option<By>, is_stopped: bool) -> Value {
    let mut json = accuracy_json(&report.all);
    json["net"] = json!(net);
    if let Some(by) = by {
        let group = |(group, accuracy): (&Group, &Accuracy)| {
            let mut json = accuracy_json(accuracy);
            json["group"] = json!(group.to_string());
            json
        };
        json["by"] = json!(by.name());
        json["groups"] = report.groups.iter().map(group).collect();
    }
    if is_stopped {
        json["stopped"] = json!(true);
    }
    json
}

fn accuracy_json(accuracy: &Accuracy) -> Value {
    let Accuracy { positions, games, top1, top3, cross_entropy, value_mse } = accuracy;
    let interval = |mean: &Mean| mean.interval.map(|(low, high)| [low, high]);
    json!({
        "positions": positions, "games": games,
        "top1": top1.value, "top1_interval": interval(top1),
        "top3": top3.value, "top3_interval": interval(top3),
        "cross_entropy": cross_entropy.value, "cross_entropy_interval": interval(cross_entropy),
        "value_mse": value_mse.value, "value_mse_interval": interval(value_mse),
    })
}

/// The groups to show, in order: those with the most positions if there are too many.
fn shown(reports: &[AccuracyReport]) -> Vec<Group> {
    let mut groups: BTreeSet<&Group> = reports.iter().flat_map(|report| report.groups.keys()).collect();
    if groups.len() > SHOWN {
        let positions =
            |group: &Group| reports.iter().filter_map(|report| report.groups.get(group)).map(|a| a.positions).max();
        let mut most: Vec<&Group> = groups.into_iter().collect();
        most.sort_by_key(|group| std::cmp::Reverse(positions(group)));
        groups = most.into_iter().take(SHOWN).collect();
    }
    groups.into_iter().cloned().collect()
}

fn print(command: &AccuracyCommand, reports: &[AccuracyReport], out: &mut impl Write) -> anyhow::Result<()> {
    let Some(first) = reports.first() else { return Ok(()) };
    let groups = shown(reports);
    writeln!(out, "{} positions of {} games", count(first.all.positions), count(first.all.games))?;
    let mut row = |name: &str, cells: [&str; 5]| {
        let [positions, top1, top3, entropy, value] = cells;
        let name = cut(&one_line(name), NAME);
        writeln!(out, "{name:<NAME$} {positions:>9} {top1:>11} {top3:>11} {entropy:>12} {value:>12}")
    };
    row("", ["positions", "top-1 %", "top-3 %", "entropy", "value error"])?;
    let mut accuracy_row = |name: &str, accuracy: &Accuracy| {
        let Accuracy { positions, top1, top3, cross_entropy, value_mse, .. } = accuracy;
        let (top1, top3) = (with_margin(top1, 100.0, 1), with_margin(top3, 100.0, 1));
        let (entropy, value) = (with_margin(cross_entropy, 1.0, 3), with_margin(value_mse, 1.0, 3));
        row(name, [&count(*positions), &top1, &top3, &entropy, &value])
    };
    for (net, report) in command.nets.iter().zip(reports) {
        accuracy_row(&short_name(net, NAME), &report.all)?;
        for group in &groups {
            if let Some(accuracy) = report.groups.get(group) {
                accuracy_row(&format!("  {group}"), accuracy)?;
            }
        }
    }
    let all = reports.iter().map(|report| report.groups.len()).max().unwrap_or(0);
    if all > groups.len() {
        writeln!(out, "of {} groups the {} with the most positions are shown", count(all as u64), groups.len())?;
    }
    Ok(())
}

fn chart(command: &AccuracyCommand, reports: &[AccuracyReport]) -> String {
    let names: Vec<String> = command.nets.iter().map(|net| short_name(net, 60)).collect();
    let all = ("all positions".to_owned(), reports.iter().map(|report| Some(report.all)).collect());
    let row = |group: Group| {
        let of = reports.iter().map(|report| report.groups.get(&group).copied()).collect();
        (group.to_string(), of)
    };
    let rows: Vec<(String, Vec<Option<Accuracy>>)> =
        std::iter::once(all).chain(shown(reports).into_iter().map(row)).collect();
    let (positions, games) = reports.first().map_or((0, 0), |report| (report.all.positions, report.all.games));
    let source = short_name(&command.games.to_string_lossy(), 60);
    svg(&names, &rows, &format!("{} positions of {} games of {source}", count(positions), count(games)))
}
