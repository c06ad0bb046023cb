//! `alfil games make`

use std::io::Write;
use std::path::PathBuf;

use alfil_core::numbers::count;
use alfil_game::{FullGame, with_game};
use alfil_games::{Made, Make};
use clap::Args;
use serde_json::json;

use crate::game::RulesText;
use crate::match_command::progress;
use crate::{Verdict, stop};

#[derive(Args)]
pub struct MakeCommand {
    /// The game's name
    game: String,
    /// The folder for the games, which must not exist yet
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// Games to play; of equal ones the first is kept
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    games: u64,
    /// The seed of all random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    rules: RulesText,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(command: &MakeCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    with_game!(&command.game, G => make::<G>(command, out))?
}

fn make<G: FullGame>(command: &MakeCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let make = Make::<G> {
        rules: command.rules.read::<G>()?,
        games: command.games,
        seed: command.seed,
        folder: &command.output,
    };
    let stop = stop::flag()?;
    let bar = progress(command.games)?;
    bar.set_message("games");
    let made = make.run(&mut |games| bar.set_position(games), &stop);
    bar.finish_and_clear();
    let made = made?;
    if command.json {
        writeln!(out, "{}", json!(made))?;
        return Ok(Verdict::Fine);
    }
    let Made { games, positions, dropped } = made;
    let (games, positions, folder) = (count(games), count(positions), command.output.display());
    writeln!(out, "{games} games with {positions} positions to label, in {folder}")?;
    if dropped > 0 {
        writeln!(out, "{} games were equal to others, or over at once", count(dropped))?;
    }
    Ok(Verdict::Fine)
}
