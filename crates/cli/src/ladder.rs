//! `alfil ladder`

use std::io::Write;
use std::path::{Path, PathBuf};

use alfil_arena::ladder::{Climb, Ladder, svg};
use alfil_arena::player::GRAMMAR;
use alfil_game::{FullGame, registry, with_game};
use alfil_train::RunDirectory;
use anyhow::{Context, anyhow, bail, ensure};
use clap::Args;

use crate::match_command::{Arena, entrant, progress};
use crate::{Verdict, stop};

/// The largest Elo of an anchor, on either side of 0.
const MOST_ELO: f64 = 10_000.0;

#[derive(Args)]
#[command(after_help = GRAMMAR)]
pub struct LadderCommand {
    /// Network files, folders of them (a run's stands for its promoted networks), or any players
    #[arg(required = true, value_name = "PLAYER")]
    players: Vec<String>,
    /// The game's name
    #[arg(long, default_value = registry::DEFAULT)]
    game: String,
    /// A player whose rating is given, and the rating
    #[arg(long, default_value = "random=0", value_name = "PLAYER=ELO")]
    anchor: String,
    /// Games per player, except the anchor: on average, and half as many at least; those in the state file count
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(2..=10_000_000))]
    games: u64,
    #[command(flatten)]
    arena: Arena,
    /// Keep every result here; later ladders with this file continue from it. alfil web shows those in data/contests whose
    /// names end in .jsonl
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Draw the ratings
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(command: LadderCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let game = command.game.clone();
    with_game!(&game, G => climb::<G>(command, out))?
}

fn climb<G: FullGame>(command: LadderCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let anchor = command.anchor.rsplit_once('=');
    let anchor = anchor.and_then(|(line, elo)| Some((line, elo.parse::<f64>().ok()?)));
    let (anchor, anchor_elo) = anchor
        .ok_or_else(|| anyhow!("--anchor '{}' should be a player and its Elo, as in random=0", command.anchor))?;
    ensure!(anchor_elo.abs() <= MOST_ELO, "--anchor should be from {} to {MOST_ELO} Elo", -MOST_ELO);
    let mut lines = vec![anchor.to_owned()];
    for line in &command.players {
        lines.extend(expand(line)?);
    }
    let players = lines.iter().map(|line| entrant::<G>(line)).collect::<anyhow::Result<Vec<_>>>()?;
    let threads = players.iter().map(|player| player.threads).max().unwrap_or(1);
    // Fail now rather than after a night of games.
    let folder = command.svg.as_ref().and_then(|path| path.parent()).filter(|folder| !folder.as_os_str().is_empty());
    let missing = |folder: &&Path| !folder.is_dir();
    if let Some(folder) = folder.filter(missing) {
        bail!("cannot write --svg: there is no folder {}", folder.display());
    }
    let ladder = Ladder {
        players,
        anchor: 0,
        anchor_elo,
        games: command.games,
        newcomer: None,
        concurrency: command.arena.concurrency(threads),
        seed: command.arena.seed,
        openings: command.arena.openings()?,
        state: command.state,
    };
    let bar = progress(0)?;
    let mut tell = |climb: Climb<'_>| {
        bar.set_length(climb.target);
        bar.set_message(climb.between.join(" - "));
        bar.set_position(climb.games);
    };
    let stop = stop::flag()?;
    let standings = ladder.run(&mut tell, &stop)?;
    bar.finish_and_clear();
    if let Some(path) = &command.svg {
        let picture = svg(&standings);
        alfil_core::disk::write_whole(path, picture.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    if command.json {
        writeln!(out, "{}", standings.json())?
    } else {
        write!(out, "{standings}")?
    }
    Ok(if standings.faults == 0 { Verdict::Fine } else { Verdict::Failed })
}

/// The players of a line: a folder, perhaps with a colon and keys, stands for the networks in it.
fn expand(line: &str) -> anyhow::Result<Vec<String>> {
    let (folder, keys) = match line.rsplit_once(':').filter(|(_, keys)| keys.contains('=')) {
        Some((folder, keys)) => (folder, format!(":{keys}")),
        None => (line, String::new()),
    };
    if !Path::new(folder).is_dir() {
        return Ok(vec![line.to_owned()]);
    }
    let run = RunDirectory::new(folder);
    let folder = if run.has_begun() { run.networks() } else { PathBuf::from(folder) };
    let mut paths = alfil_core::disk::list(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
    // The candidate of a run under way may disappear at any time.
    let is_network = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".safetensors") && !name.starts_with("candidate-")
    };
    paths.retain(is_network);
    if paths.is_empty() {
        bail!("there are no networks in {}", folder.display());
    }
    Ok(paths.iter().map(|path| format!("{}{keys}", path.display())).collect())
}
