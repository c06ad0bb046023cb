//! `alfil study`

mod branching;
mod convergence;
mod curves;
mod figures;
mod figures_table;
mod histogram;
mod plot;
mod pruning;
mod sample;

use std::io::Write;

use clap::Subcommand;

use crate::Verdict;

#[derive(Subcommand)]
pub enum StudyCommand {
    /// Count legal moves by ply and the length of games, compared with another game
    Branching(branching::Branching),
    /// How the moves of plain Monte Carlo tree search become those of perfect play, the longer it searches
    Convergence(convergence::Convergence),
    /// What alpha-beta and its enhancements save compared with minimax, depth by depth
    Pruning(pruning::Pruning),
}

pub fn run(command: StudyCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    match command {
        StudyCommand::Branching(command) => branching::run(&command, out),
        StudyCommand::Convergence(command) => convergence::run(&command, out),
        StudyCommand::Pruning(command) => pruning::run(&command, out),
    }
}
