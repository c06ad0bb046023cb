//! `alfil study`

mod branching;
mod figures;
mod figures_table;
mod histogram;
mod plot;
mod sample;

use std::io::Write;

use clap::Subcommand;

use crate::Verdict;

#[derive(Subcommand)]
pub enum StudyCommand {
    /// Count legal moves by ply and the length of games, compared with another game
    Branching(branching::Branching),
}

pub fn run(command: StudyCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    match command {
        StudyCommand::Branching(command) => branching::run(&command, out),
    }
}
