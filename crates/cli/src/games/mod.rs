//! `alfil games`

mod import;
mod label;
mod make;
mod stats;

use std::io::Write;

use clap::Subcommand;

use crate::Verdict;

#[derive(Subcommand)]
pub enum GamesCommand {
    /// Make games of PGN files into a folder of games to learn from
    Import(Box<import::ImportCommand>),
    /// Play varied games for a teacher to label: random openings, and mistakes
    Make(make::MakeCommand),
    /// Have a teacher, such as a UCI engine, judge the positions of a folder of games
    Label(label::LabelCommand),
    /// Say what is in a folder of games
    Stats(stats::StatsCommand),
}

pub fn run(command: GamesCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    match command {
        GamesCommand::Import(command) => import::run(&command, out),
        GamesCommand::Make(command) => make::run(&command, out),
        GamesCommand::Label(command) => label::run(&command, out),
        GamesCommand::Stats(command) => stats::run(&command, out),
    }
}
