//! `alfil insight`

mod compare;
mod extract;
mod fit;
mod profile;
mod vectors;

use std::io::Write;
use std::path::{Path, PathBuf};

use alfil_insight::profile::Model;
use anyhow::bail;
use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};

use crate::{Verdict, terminal};

#[derive(Subcommand)]
pub enum InsightCommand {
    /// Find the mistakes in many games
    Extract(extract::ExtractCommand),
    /// Write the vectors of mistakes for other programs
    Vectors(vectors::VectorsCommand),
    /// Group mistakes into clusters, as a model that players are compared with
    Fit(fit::FitCommand),
    /// Say what a player does wrong more often than others, and what to train next
    Profile(profile::ProfileCommand),
    /// Say whether players can be told apart by their mistakes
    Compare(compare::CompareCommand),
}

pub fn run(command: InsightCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    match command {
        InsightCommand::Extract(command) => extract::run(&command, out),
        InsightCommand::Vectors(command) => vectors::run(&command, out),
        InsightCommand::Fit(command) => fit::run(&command, out),
        InsightCommand::Profile(command) => profile::run(&command, out),
        InsightCommand::Compare(command) => compare::run(&command, out),
    }
}

/// The model that players are compared with.
#[derive(Args)]
pub struct ModelOption {
    /// A model that alfil insight fit has made [default: the one that is part of the program]
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
}

impl ModelOption {
    fn read(&self) -> anyhow::Result<Model> {
        Ok(self.model.as_ref().map_or_else(Model::bundled, |path| Model::read(path))?)
    }

    fn path(&self) -> Option<&PathBuf> {
        self.model.as_ref()
    }
}

/// Fails if a file would be written over one that is read, or over another that is written.
pub fn check_outputs<'a>(
    inputs: impl IntoIterator<Item = &'a PathBuf>,
    outputs: impl IntoIterator<Item = &'a PathBuf>,
) -> anyhow::Result<()> {
    // A file that does not exist yet is known by its folder.
    let real = |path: &Path| {
        path.canonicalize().ok().or_else(|| {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Some(folder.canonicalize().ok()?.join(path.file_name()?))
        })
    };
    let mut taken: Vec<PathBuf> = inputs.into_iter().filter_map(|path| real(path)).collect();
    let read = taken.len();
    for path in outputs {
        let Some(file) = real(path) else { continue };
        match taken.iter().position(|other| *other == file) {
            Some(at) if at < read => bail!("{} would be overwritten: name another file to write", path.display()),
            Some(_) => bail!("{} is named for two files to write", path.display()),
            None => taken.push(file),
        }
    }
    Ok(())
}

/// A bar over the bytes of files that are read.
pub fn bytes_bar() -> anyhow::Result<ProgressBar> {
    let style = ProgressStyle::with_template("{bar:30} {percent} %, {msg}, {eta} left")?;
    Ok(terminal::bar(ProgressBar::new(0).with_style(style)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_read_are_not_written() {
        let folder = std::env::temp_dir().join(format!("alfil-outputs-{}", std::process::id()));
        alfil_core::disk::make_folder(&folder).unwrap();
        let path = |name: &str| folder.join(name);
        alfil_core::disk::write_whole(&path("games.pgn"), b"").unwrap();
        let check = |outputs: &[PathBuf]| check_outputs(&[path("games.pgn"), path("missing.pgn")], outputs);
        assert!(check(&[path("other.pgn"), path("games.csv")]).is_ok() && check(&[path("none/games.pgn")]).is_ok());
        for same in [path("games.pgn"), path("./games.pgn"), path("missing.pgn")] {
            assert!(
                check(&[same]).unwrap_err().to_string().ends_with("would be overwritten: name another file to write")
            );
        }
        assert!(check(&[path("a"), path("./a")]).unwrap_err().to_string().ends_with("is named for two files to write"));
        alfil_core::disk::remove_folder(&folder).unwrap();
    }
}
