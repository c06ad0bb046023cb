//! `alfil insight`

mod extract;
mod fit;
mod profile;

use std::io::Write;

use clap::Subcommand;
use indicatif::{ProgressBar, ProgressStyle};

use crate::{Verdict, terminal};

#[derive(Subcommand)]
pub enum InsightCommand {
    /// Find the mistakes in many games
    Extract(extract::ExtractCommand),
    /// Group mistakes into clusters, as a model that players are compared with
    Fit(fit::FitCommand),
    /// Say what a player does wrong more often than others, and what to train next
    Profile(profile::ProfileCommand),
}

pub fn run(command: InsightCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    match command {
        InsightCommand::Extract(command) => extract::run(&command, out),
        InsightCommand::Fit(command) => fit::run(&command, out),
        InsightCommand::Profile(command) => profile::run(&command, out),
    }
}

/// A bar over the bytes of files that are read.
pub fn bytes_bar() -> anyhow::Result<ProgressBar> {
    let style = ProgressStyle::with_template("{bar:30} {percent} %, {msg}, {eta} left")?;
    Ok(terminal::bar(ProgressBar::new(0).with_style(style)))
}
