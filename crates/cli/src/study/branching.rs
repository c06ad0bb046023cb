//! `alfil study branching`

use std::io::Write;
use std::path::PathBuf;

use alfil_arena::player::GRAMMAR;
use alfil_game::Game;
use alfil_game::registry::{self, GameVisitor};
use anyhow::{Context, ensure};
use clap::Args;
use indicatif::ProgressBar;
use serde_json::json;

use super::figures::Figures;
use super::plot::svg;
use super::sample::{RANDOM_PLIES, Sample};
use super::table::Table;
use crate::Verdict;
use crate::match_command::{entrant, progress};

#[derive(Args)]
#[command(after_help = GRAMMAR)]
pub struct Branching {
    /// The game's name: alfil game list shows them
    game: String,
    /// Games to play of each
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    games: u64,
    /// The game to set beside it
    #[arg(long, value_name = "GAME", default_value = registry::names()[0])]
    against: String,
    /// Who plays against itself
    #[arg(long, value_name = "LINE", default_value = "random")]
    player: String,
    /// What all chance follows from
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
    names.dedup();
    // What cannot be played or written should show before any game is played.
    for name in &names {
        registry::with_game(name, Check(command))??;
    }
    if let Some(folder) = command.plot.as_ref().and_then(|path| path.parent()) {
        let exists = folder.as_os_str().is_empty() || folder.is_dir();
        ensure!(exists, "cannot write --plot: there is no folder {}", folder.display());
    }
    let bar = progress(command.games * names.len() as u64)?;
    let mut all = Vec::new();
    for name in names {
        bar.set_message(name.to_owned());
        all.push(registry::with_game(name, Play { command, bar: &bar })??);
    }
    bar.finish_and_clear();
    if let Some(path) = &command.plot {
        let picture = svg(&all, &title(command));
        alfil_nn::write_whole(path, picture.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if command.json {
        let games: Vec<_> = all.iter().map(Figures::json).collect();
        let Branching { player, games: each, seed, .. } = command;
        writeln!(out, "{}", json!({"player": player, "games": each, "seed": seed, "studies": games}))?;
    } else {
        let random = format!("The first {RANDOM_PLIES} plies of each are at random.");
        write!(out, "{}, seed {}.\n{random}\n\n{}", title(command), command.seed, Table(&all))?;
    }
    Ok(Verdict::Fine)
}

fn title(command: &Branching) -> String {
    format!("{} games each, {} against itself", command.games, command.player)
}

struct Check<'a>(&'a Branching);

impl GameVisitor for Check<'_> {
    type Output = anyhow::Result<()>;

    fn visit<G: Game>(self) -> anyhow::Result<()> {
        entrant::<G>(&self.0.player).map(drop)
    }
}

struct Play<'a> {
    command: &'a Branching,
    bar: &'a ProgressBar,
}

impl GameVisitor for Play<'_> {
    type Output = anyhow::Result<Figures>;

    fn visit<G: Game>(self) -> anyhow::Result<Figures> {
        let Branching { player, games, seed, .. } = self.command;
        let sample = Sample::play(&entrant::<G>(player)?, *games, *seed, &|| self.bar.inc(1))?;
        Ok(Figures { game: G::NAME, sample })
    }
}
