//! `alfil games`

mod import;
mod stats;

use std::io::Write;

use clap::Subcommand;

use crate::Verdict;

#[derive(Subcommand)]
pub enum GamesCommand {
    /// Make games of PGN files into a folder of games to learn from
    Import(Box<import::ImportCommand>),
    /// Say what is in a folder of games
    Stats(stats::StatsCommand),
}

pub fn run(command: GamesCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    match command {
        GamesCommand::Import(command) => import::run(&command, out),
        GamesCommand::Stats(command) => stats::run(&command, out),
    }
}
