//! `alfil study branching`

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use alfil_arena::player::GRAMMAR;
use alfil_game::{FullGame, registry, with_game};
use anyhow::{Context, ensure};
use clap::Args;
use indicatif::ProgressBar;
use serde_json::json;

use super::figures::Figures;
use super::figures_table::FiguresTable;
use super::plot::svg;
use super::sample::{Games, RANDOM_PLIES, Sample};
use crate::game::RulesText;
use crate::match_command::{entrant, progress};
use crate::net::short_name;
use crate::{Verdict, stop};

#[derive(Args)]
#[command(after_help = GRAMMAR)]
pub struct Branching {
    /// The game's name: alfil game list shows them
    game: String,
    /// Games to play of each
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    games: u64,
    #[command(flatten)]
    rules: RulesText,
    /// The game to compare it with, by its usual rules
    #[arg(long, value_name = "GAME", default_value = registry::names()[0])]
    against: String,
    /// Games of others to compare it with instead: a PGN file, packed or not, or a folder of games
    #[arg(long, value_name = "FILE", conflicts_with = "against")]
    collection: Option<PathBuf>,
    /// The player of both sides
    #[arg(long, value_name = "LINE", default_value = "random")]
    player: String,
    /// The seed of all random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Draw the figures
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

pub fn run(command: &Branching, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let mut names = vec![command.game.as_str(), command.against.as_str()];
    names.truncate(if command.collection.is_some() { 1 } else { 2 });
    names.dedup();
    // Fail before any game is played, not after all of them.
    for name in &names {
        with_game!(name, G => check::<G>(command))??;
    }
    if let Some(folder) = command.plot.as_ref().and_then(|path| path.parent()) {
        let exists = folder.as_os_str().is_empty() || folder.is_dir();
        ensure!(exists, "cannot write --plot: there is no folder {}", folder.display());
    }
    let bar = progress(command.games * names.len() as u64)?;
    let stop = stop::flag()?;
    let mut all = Vec::new();
    if let Some(path) = &command.collection {
        bar.set_message(path.display().to_string());
        all.push(with_game!(&command.game, G => collect::<G>(command, path, &bar, &stop))??);
        bar.set_position(0);
    }
    for name in names {
        if stop.load(Relaxed) {
            break;
        }
        bar.set_message(name.to_owned());
        all.push(with_game!(name, G => play::<G>(command, &bar, &stop))??);
    }
    bar.finish_and_clear();
    let stopped = stop.load(Relaxed);
    all.retain(|figures| figures.sample.lengths.total() > 0);
    ensure!(!all.is_empty(), "stopped before a game had ended");
    if let Some(path) = &command.plot {
        let picture = svg(&all, &title(command));
        alfil_core::disk::write_whole(path, picture.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    if command.json {
        let games: Vec<_> = all.iter().map(Figures::json).collect();
        let Branching { player, games: each, seed, rules, .. } = command;
        let report = json!({
            "player": player, "games": each, "seed": seed, "rules": rules.text(), "stopped": stopped, "studies": games,
        });
        writeln!(out, "{report}")?;
    } else {
        let random = format!("The first {RANDOM_PLIES} plies of each game are random.");
        write!(out, "{}, seed {}.\n{random}\n\n{}", title(command), command.seed, FiguresTable(&all))?;
        if stopped {
            let played = |figures: &Figures| format!("{} games of {}", figures.sample.lengths.total(), figures.game);
            writeln!(out, "stopped after {}", all.iter().map(played).collect::<Vec<_>>().join(" and "))?;
        }
    }
    Ok(Verdict::Fine)
}

fn title(command: &Branching) -> String {
    let rules = match command.rules.text() {
        "" => String::new(),
        rules => format!(", {} by the rules {rules}", command.game),
    };
    format!("{} games each, {} against itself{rules}", command.games, command.player)
}

/// The options of the rules are for the game, not for the one that it is compared with.
fn rules<G: FullGame>(command: &Branching) -> anyhow::Result<G::Rules> {
    if command.game == G::NAME { command.rules.read::<G>() } else { Ok(G::Rules::default()) }
}

fn check<G: FullGame>(command: &Branching) -> anyhow::Result<()> {
    rules::<G>(command)?;
    entrant::<G>(&command.player).map(drop)
}

fn play<G: FullGame>(command: &Branching, bar: &ProgressBar, stop: &AtomicBool) -> anyhow::Result<Figures> {
    let Branching { player, games, seed, .. } = command;
    let games = Games { rules: rules::<G>(command)?, count: *games, seed: *seed };
    let sample = Sample::play(&entrant::<G>(player)?, &games, &|| bar.inc(1), stop)?;
    Ok(Figures { game: G::NAME.to_owned(), sample })
}

fn collect<G: FullGame>(
    command: &Branching,
    path: &Path,
    bar: &ProgressBar,
    stop: &AtomicBool,
) -> anyhow::Result<Figures> {
    let sample = Sample::read::<G>(path, &rules::<G>(command)?, &|games| bar.set_position(games), stop)?;
    Ok(Figures { game: short_name(&path.display().to_string(), 20), sample })
}
