//! `alfil insight compare`

use std::io::Write;
use std::path::PathBuf;

use alfil_core::numbers::count;
use alfil_core::wording::{cut, one_line};
use alfil_insight::chess::{Mistake, Vectors};
use alfil_insight::profile::{Split, split_half};
use alfil_insight::read_errors;
use anyhow::bail;
use clap::Args;
use serde_json::json;

use super::{ModelOption, check_outputs};
use crate::Verdict;

#[derive(Args)]
pub struct CompareCommand {
    /// Tables of mistakes that alfil insight extract --player has written, one for each player
    #[arg(required = true, num_args = 2..=100)]
    tables: Vec<PathBuf>,
    #[command(flatten)]
    model: ModelOption,
    /// Random orders of the games that the result is compared with
    #[arg(long, default_value_t = 999, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    permutations: u32,
    /// The seed of all random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(command: &CompareCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    // A table named twice would be one player's halves beside themselves.
    check_outputs([], &command.tables)?;
    let model = command.model.read()?;
    let tables = command.tables.iter().map(|table| Ok(read_errors(table)?)).collect::<anyhow::Result<Vec<_>>>()?;
    let mut players = Vec::new();
    for (path, records) in command.tables.iter().zip(&tables) {
        let mistakes: Vec<Mistake<'_>> = records.iter().filter_map(Mistake::read).collect();
        if mistakes.is_empty() {
            bail!("{} has no mistakes in chess", path.display());
        }
        let vectors = Vectors::of(&model.vectors, &mistakes)?;
        players.push((mistakes, vectors));
    }
    let pairs: Vec<(&[Mistake<'_>], &Vectors)> =
        players.iter().map(|(mistakes, vectors)| (&mistakes[..], vectors)).collect();
    let Split { distances: found, chance } = split_half(&pairs, &model, command.permutations, command.seed);
    let name = |at: usize| one_line(&command.tables[at].file_stem().unwrap_or_default().to_string_lossy());
    if command.json {
        let own = found.own.iter().enumerate();
        let others = found.others.iter();
        let report = json!({
            "own": own.map(|(at, distance)| json!({"player": name(at), "distance": distance})).collect::<Vec<_>>(),
            "others": others.map(|((a, b), distance)| json!({"players": [name(*a), name(*b)], "distance": distance}))
                .collect::<Vec<_>>(),
            "gap": found.gap,
            "chance": chance,
            "permutations": command.permutations,
        });
        writeln!(out, "{report}")?;
        return Ok(Verdict::Fine);
    }
    writeln!(out, "distances between the halves of players' games")?;
    for (at, distance) in found.own.iter().enumerate() {
        let mistakes = count(players[at].0.len() as u64);
        writeln!(out, "  {:<40} {distance:>7.3}  ({mistakes} mistakes)", cut(&name(at), 40))?;
    }
    for ((one, other), distance) in &found.others {
        let pair = format!("{} – {}", cut(&name(*one), 18), cut(&name(*other), 18));
        writeln!(out, "  {pair:<40} {distance:>7.3}")?;
    }
    writeln!(
        out,
        "those of different players are {:.3} farther apart; by chance they would be in {:.4} of {} random orders",
        found.gap,
        chance,
        count(command.permutations.into())
    )?;
    Ok(Verdict::Fine)
}
