//! The `alfil` command: one file or folder per subcommand.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod analyse;
mod bench;
mod book;
mod config;
mod counters;
mod doctor;
mod evaluator;
mod exam;
#[cfg(feature = "fleet")]
mod fleet;
mod game;
mod games;
mod insight;
mod keys;
mod ladder;
mod match_command;
mod net;
mod outcome;
mod pgn;
mod plan;
mod play;
mod primer;
mod probe;
mod report;
mod review;
mod search;
mod selfplay;
mod stop;
mod study;
mod suite;
mod terminal;
mod time;
mod torch;
mod trace;
mod train;
mod tune;
mod uci;
mod usage;
#[cfg(feature = "web")]
mod web;

pub use torch::Libtorch;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// A self-play learning system for board games.
#[derive(Parser)]
#[command(name = "alfil", version, max_term_width = 100)]
struct Arguments {
    /// Write what the program does to standard error: error, warn, info, debug or trace
    #[arg(long, global = true, value_name = "LEVEL", value_parser = trace::level(), hide_possible_values = true)]
    trace: Option<tracing::Level>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List, draw, check and solve games
    #[command(subcommand)]
    Game(game::GameCommand),
    /// Make, inspect, convert and run networks
    #[command(subcommand)]
    Net(net::NetCommand),
    /// Read games in PGN files
    #[command(subcommand)]
    Pgn(pgn::PgnCommand),
    /// Bring in games of people and other programs, to learn from
    #[command(subcommand)]
    Games(games::GamesCommand),
    /// Make and look into opening books, for every game
    #[command(subcommand)]
    Book(book::BookCommand),
    /// Search a position and show what each of its moves is worth
    Search(search::SearchCommand),
    /// Play games to learn from
    Selfplay(selfplay::SelfplayCommand),
    /// Train a network: begin a run, or resume one
    Train(train::TrainCommand),
    /// Play for a run that is trained elsewhere
    #[cfg(feature = "fleet")]
    Worker(fleet::WorkerCommand),
    /// Look at the machines that play for a run
    #[cfg(feature = "fleet")]
    #[command(subcommand)]
    Fleet(fleet::FleetCommand),
    /// Measure this machine for a few seconds, and estimate what a run will take
    Plan(plan::PlanCommand),
    /// Show a run as a page for the browser
    Report(report::ReportCommand),
    /// Play a game in the terminal
    Play(play::PlayCommand),
    /// Play games, look into searches and watch runs in the browser
    #[cfg(feature = "web")]
    Web(web::WebCommand),
    /// Play in any program that speaks UCI
    Uci(uci::EngineOptions),
    /// Show the best moves of a position
    Analyse(analyse::Analyse),
    /// Judge every move of games, and show where they were lost
    Review(review::ReviewCommand),
    /// Find players' mistakes in many games, and what they have in common
    #[command(subcommand)]
    Insight(insight::InsightCommand),
    /// Let two players play against each other, and say who is stronger
    Match(match_command::MatchCommand),
    /// Rate many players, with the pairings that tell most
    Ladder(ladder::LadderCommand),
    /// Find numbers that make a player stronger, by playing
    Tune(tune::TuneCommand),
    /// Check players' moves with the game's exact solver
    Exam(exam::ExamCommand),
    /// Measure what a network sees of hanging pieces, and how often its searches blunder
    Probe(probe::ProbeCommand),
    /// Have players solve positions with known best moves, side by side
    Suite(suite::SuiteCommand),
    /// Gather statistics of games and searches
    #[command(subcommand)]
    Study(study::StudyCommand),
    /// Exercises in computing with chess, each with a picture
    #[command(subcommand)]
    Primer(primer::PrimerCommand),
    /// Check and explain configurations
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// Measure speed
    #[command(subcommand)]
    Bench(bench::BenchCommand),
    /// Check what this machine can compute with
    Doctor(doctor::Doctor),
}

/// What a command found, for the exit code.
enum Verdict {
    Fine,
    /// A check did not pass: exit code 1.
    Failed,
}

/// Runs the command that the program was started with. A program that links libtorch passes it.
pub fn main(libtorch: Option<&'static dyn Libtorch>) -> ExitCode {
    if let Some(libtorch) = libtorch {
        torch::link(libtorch);
    }
    let arguments: Arguments = usage::read();
    if let Some(level) = arguments.trace {
        trace::start(level);
    }
    let mut out = io::BufWriter::new(io::stdout());
    let result = match arguments.command {
        Command::Game(command) => game::run(command, &mut out),
        Command::Book(command) => book::run(command, &mut out),
        Command::Games(command) => games::run(command, &mut out),
        Command::Net(command) => net::run(command, &mut out),
        Command::Search(command) => search::run(command, &mut out),
        Command::Selfplay(command) => selfplay::run(command, &mut out),
        Command::Train(command) => train::run(command, &mut out),
        #[cfg(feature = "fleet")]
        Command::Worker(command) => fleet::run_worker(command, &mut out),
        #[cfg(feature = "fleet")]
        Command::Fleet(command) => fleet::run(command, &mut out),
        Command::Plan(command) => plan::run(command, &mut out),
        Command::Report(command) => report::run(&command, &mut out),
        Command::Play(command) => play::run(command, &mut out),
        #[cfg(feature = "web")]
        Command::Web(command) => web::run(command, &mut out),
        Command::Uci(options) => return finish(uci::run(&options)),
        Command::Analyse(command) => analyse::run(&command, &mut out),
        Command::Review(command) => review::run(&command, &mut out),
        Command::Insight(command) => insight::run(command, &mut out),
        Command::Match(command) => match_command::run(command, &mut out),
        Command::Ladder(command) => ladder::run(command, &mut out),
        Command::Tune(command) => tune::run(&command, &mut out),
        Command::Exam(command) => exam::run(command, &mut out),
        Command::Probe(command) => probe::run(command, &mut out),
        Command::Suite(command) => suite::run(&command, &mut out),
        Command::Study(command) => study::run(command, &mut out),
        Command::Primer(command) => primer::run(command, &mut out),
        Command::Config(command) => config::run(command, &mut out),
        Command::Bench(command) => bench::run(command, &mut out),
        Command::Pgn(command) => pgn::run(command, &mut out),
        Command::Doctor(command) => doctor::run(&command, &mut out),
    };
    finish(result.and_then(|verdict| Ok(out.flush().map(|()| verdict)?)))
}

fn finish(result: anyhow::Result<Verdict>) -> ExitCode {
    match result {
        Ok(Verdict::Fine) => ExitCode::SUCCESS,
        Ok(Verdict::Failed) => ExitCode::from(1),
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::say(&format!("alfil: {error:#}"));
            ExitCode::from(2)
        }
    }
}

/// Whether the reader of our output, such as `head`, has seen enough.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
