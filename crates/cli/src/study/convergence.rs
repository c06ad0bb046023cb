//! `alfil study convergence`

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;

use alfil_arena::exam::Exam;
use alfil_core::numbers::count;
use alfil_core::svg::Unit;
use alfil_game::{FullGame, with_game};
use anyhow::{Context, ensure};
use clap::Args;
use serde_json::json;

use super::curves::Curves;
use crate::game::RulesText;
use crate::match_command::{Arena, entrant, progress};
use crate::{Verdict, stop};

/// Kocsis and Szepesvári (2006) prove that the probability that UCT chooses a move that minimax would not goes to zero, as a power of
/// the number of its simulations. Here it is measured with an exact solver.
#[derive(Args)]
pub struct Convergence {
    /// The game's name: one with an exact solver
    #[arg(default_value = "tictactoe")]
    game: String,
    /// Random games per move, from few to many
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', default_value = "10,30,100,300,1000,3000,10000")]
    rollouts: Vec<u32>,
    /// Positions, each from another game of varied play
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    positions: u32,
    /// The seed of the positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    rules: RulesText,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Draw the shares
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

pub fn run(command: &Convergence, out: &mut impl Write) -> anyhow::Result<Verdict> {
    with_game!(&command.game, G => study::<G>(command, out))?
}

fn study<G: FullGame>(command: &Convergence, out: &mut impl Write) -> anyhow::Result<Verdict> {
    ensure!(G::oracle().is_some(), "{} has no exact solver to compare with: try connect4, nim or tictactoe", G::NAME);
    let fine = !command.rollouts.is_empty() && command.rollouts.iter().all(|rollouts| *rollouts > 0);
    ensure!(fine, "--rollouts takes numbers above 0, with commas between them");
    let rules = command.rules.read::<G>()?;
    let stop = stop::flag()?;
    let bar = progress(command.positions.into())?;
    bar.set_message("positions solved");
    let mut tell = |done: u64, _: u64| bar.set_position(done);
    let exam = Exam::<G>::new(command.positions as usize, None, &rules, command.seed, &mut tell, &stop)?;
    let mut wrong: Vec<(u32, f64)> = Vec::new();
    for rollouts in &command.rollouts {
        let Some(exam) = exam.as_ref().filter(|_| !stop.load(Relaxed)) else { break };
        let player = entrant::<G>(&format!("uct:rollouts={rollouts}"))?;
        bar.set_message(player.name.clone());
        let mark = exam.mark(&player, Arena::threads(1), &mut tell, &stop)?;
        if !stop.load(Relaxed) {
            wrong.push((*rollouts, 1.0 - mark.share_of_choices()));
        }
    }
    bar.finish_and_clear();
    let stopped = stop.load(Relaxed);
    if let Some(path) = &command.plot {
        let log = |rollouts: u32| f64::from(rollouts).log10();
        let points = wrong.iter().map(|(rollouts, share)| (log(*rollouts), *share)).collect();
        let title = format!("UCT in {}: moves that perfect play would not choose", G::NAME);
        let axes = ["random games per move, as a power of ten", "share of the positions where the choice matters"];
        let curves = vec![(format!("{} positions", command.positions), points)];
        let picture = Curves { title: &title, axes, unit: Unit::Share, curves }.svg();
        alfil_core::disk::write_whole(path, picture.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    if command.json {
        let points: Vec<_> =
            wrong.iter().map(|(rollouts, share)| json!({"rollouts": rollouts, "wrong": share})).collect();
        writeln!(
            out,
            "{}",
            json!({"game": G::NAME, "positions": command.positions, "stopped": stopped, "points": points})
        )?;
        return Ok(Verdict::Fine);
    }
    writeln!(out, "{:>10}  wrong, where the choice matters", "rollouts")?;
    for (rollouts, share) in wrong {
        writeln!(out, "{:>10}  {:5.1} %", count(rollouts.into()), 100.0 * share)?;
    }
    if stopped {
        writeln!(out, "stopped before the end")?;
    }
    Ok(Verdict::Fine)
}
