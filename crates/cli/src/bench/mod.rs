//! `alfil bench`

mod eval;
#[cfg(feature = "fleet")]
mod fleet;
mod selfplay;
mod train;
mod tree;
mod turns;

use std::io::Write;

use clap::Subcommand;

use crate::Verdict;

#[derive(Subcommand)]
pub enum BenchCommand {
    /// Evaluate positions as fast as possible, on the CPU engine and on libtorch in turns
    Eval(eval::Eval),
    /// Have workers send games to a trainer over a server of their own, as fast as possible
    #[cfg(feature = "fleet")]
    Fleet(fleet::FleetBench),
    /// Play games to learn from, on one lane and on two lanes in turns
    Selfplay(selfplay::SelfplayBench),
    /// Train a network, on one replica and on all in turns, and build batches for it
    Train(train::TrainBench),
    /// Search a chess middlegame with an evaluator that costs nothing, on one and two threads in turns
    Tree(tree::TreeBench),
    /// Play a game by alpha-beta over whole turns, and count its nodes
    Turns(turns::TurnsBench),
}

pub fn run(command: BenchCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    match command {
        BenchCommand::Eval(eval) => eval::run(eval, out),
        #[cfg(feature = "fleet")]
        BenchCommand::Fleet(bench) => fleet::run(&bench, out),
        BenchCommand::Selfplay(bench) => selfplay::run(&bench, out),
        BenchCommand::Train(bench) => train::run(&bench, out),
        BenchCommand::Tree(bench) => tree::run(&bench, out),
        BenchCommand::Turns(bench) => turns::run(&bench, out),
    }
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}
