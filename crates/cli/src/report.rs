//! `alfil report`

use std::io::Write;
use std::path::PathBuf;

use anyhow::bail;
use clap::Args;

use crate::Verdict;
use crate::train::{RUNS, run_directory, run_names};

#[derive(Args)]
pub struct ReportCommand {
    /// The run's name, or a path with a slash in it
    run: String,
    /// Write the page here [default: report.html in the folder of the run]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub fn run(command: &ReportCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let directory = run_directory(&command.run)?;
    if !directory.has_begun() {
        let runs = match run_names()? {
            names if names.is_empty() => format!("there are none in {RUNS}"),
            names => format!("those in {RUNS} are {}", names.join(", ")),
        };
        bail!("there is no run {}: {runs}", directory.path().display());
    }
    let path = command.output.clone().unwrap_or_else(|| directory.report());
    alfil_train::report::write(&directory, &path)?;
    writeln!(out, "the report is {}", path.display())?;
    Ok(Verdict::Fine)
}
