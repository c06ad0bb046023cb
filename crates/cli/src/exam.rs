//! `alfil exam`

use alfil_game::References;
use std::io::Write;
use std::sync::atomic::Ordering::Relaxed;

use alfil_arena::exam::{Exam, Mark};
use alfil_arena::player::GRAMMAR;
use alfil_game::{FullGame, registry, with_game};
use anyhow::{Context, bail, ensure};
use clap::Args;
use serde_json::json;

use crate::game::RulesText;
use crate::match_command::{Arena, entrant, progress};
use crate::{Verdict, stop};

#[derive(Args)]
#[command(after_help = GRAMMAR)]
pub struct ExamCommand {
    /// Players; a network with visits=1 plays by its policy alone
    #[arg(value_name = "PLAYER", required = true)]
    players: Vec<String>,
    /// The game's name [default: the first that has an exact solver]
    #[arg(long)]
    game: Option<String>,
    /// Positions, each from another game of varied play
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    positions: u32,
    /// Positions after this many plies or more [default: as many as make the solver quick]; earlier ones can take it minutes each
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..1_000))]
    from_ply: Option<u32>,
    /// The seed of the positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    rules: RulesText,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(command: ExamCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let game = command.game.clone().map_or_else(first_solved, Ok)?;
    with_game!(&game, G => examine::<G>(command, out))?
}

fn first_solved() -> anyhow::Result<String> {
    let is_solved = |name: &&&str| with_game!(name, G => G::oracle().is_some()).unwrap_or(false);
    Ok(registry::names().iter().find(is_solved).context("no game has an exact solver")?.to_string())
}

fn examine<G: FullGame>(command: ExamCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let players = command.players.iter().map(|line| entrant::<G>(line)).collect::<anyhow::Result<Vec<_>>>()?;
    let rules = command.rules.read::<G>()?;
    ensure!(G::oracle().is_some(), "{} has no exact solver to examine players with", G::NAME);
    let stop = stop::flag()?;
    let bar = progress(command.positions.into())?;
    bar.set_message("positions solved");
    let mut count = |done: u64, _: u64| bar.set_position(done);
    let exam = Exam::<G>::new(command.positions as usize, command.from_ply, &rules, command.seed, &mut count, &stop)?;
    if exam.as_ref().is_some_and(Exam::is_empty) {
        bail!("no game of varied play has a position after that many plies: choose a smaller --from-ply");
    }
    for player in players.iter().take_while(|_| !stop.load(Relaxed)) {
        let Some(exam) = &exam else { break };
        bar.set_message(player.name.clone());
        let mark = exam.mark(player, Arena::threads(player.threads), &mut count, &stop)?;
        if command.json {
            writeln!(out, "{}", to_json(&player.name, &mark))?;
        } else {
            bar.suspend(|| writeln!(out, "{}", in_words(&player.name, &mark)).and_then(|()| out.flush()))?;
        }
    }
    bar.finish_and_clear();
    if stop.load(Relaxed) {
        writeln!(out, "{}", if command.json { r#"{"stopped":true}"# } else { "stopped before the end" })?;
    }
    Ok(Verdict::Fine)
}

fn in_words(name: &str, mark: &Mark) -> String {
    let Mark { positions, right, choices, right_choices } = mark;
    let (all, hard) = (100.0 * mark.share(), 100.0 * mark.share_of_choices());
    format!("{all:5.1} % ({right}/{positions})   where it matters {hard:5.1} % ({right_choices}/{choices})   {name}")
}

fn to_json(name: &str, mark: &Mark) -> serde_json::Value {
    json!({
        "player": name, "positions": mark.positions, "right": mark.right, "share": mark.share(),
        "choices": mark.choices, "right_choices": mark.right_choices, "share_of_choices": mark.share_of_choices(),
    })
}
