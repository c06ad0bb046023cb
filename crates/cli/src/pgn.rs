//! `alfil pgn`

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use alfil_game::pgn::{PgnError, PgnReader};
use alfil_game::{FullGame, registry, with_game};
use anyhow::Context;
use clap::Subcommand;
use serde_json::json;

use crate::Verdict;
use crate::game::RulesText;

/// Bad games that JSON lists; the others are only counted, so that memory does not grow with the file.
const MOST_LISTED: usize = 1_000;

#[derive(Subcommand)]
pub enum PgnCommand {
    /// Read all games of a file, report the bad ones (JSON lists the first 1000), and count
    Check {
        /// A PGN file
        file: PathBuf,
        /// The game's name
        #[arg(long, default_value = registry::DEFAULT)]
        game: String,
        #[command(flatten)]
        rules: RulesText,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub fn run(command: PgnCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    match command {
        PgnCommand::Check { file, game, rules, json } => {
            with_game!(&game, G => check::<G>(&file, rules.read::<G>()?, json, out))?
        }
    }
}

fn check<G: FullGame>(path: &Path, rules: G::Rules, json: bool, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let cannot_read = || format!("cannot read {}", path.display());
    let file = alfil_core::disk::open(path).with_context(cannot_read)?;
    let started = Instant::now();
    let (mut games, mut bad, mut plies) = (0u64, 0u64, 0u64);
    let mut listed = Vec::new();
    for game in PgnReader::<G, _>::new(file).with_rules(rules) {
        match game {
            Ok(game) => {
                games += 1;
                plies += game.moves.len() as u64;
            }
            Err(PgnError::Game { number, reason }) => {
                bad += 1;
                if !json {
                    writeln!(out, "game {number}: {reason}")?;
                } else if listed.len() < MOST_LISTED {
                    listed.push(json!({"game": number, "reason": reason}));
                }
            }
            Err(PgnError::Io(error)) => return Err(error).with_context(cannot_read),
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    // Every game has one more position than moves.
    let rate = ((plies + games) as f64 / seconds.max(1e-9)).round();
    if json {
        let report = json!({
            "file": path.display().to_string(),
            "games": games,
            "plies": plies,
            "bad_games": bad,
            "bad": listed,
            "positions_per_second": rate,
        });
        writeln!(out, "{report}")?;
    } else {
        writeln!(out, "{games} good games, {bad} bad, {plies} plies, {rate} positions/s")?;
    }
    Ok(if bad > 0 { Verdict::Failed } else { Verdict::Fine })
}
