//! `alfil config`

use std::io::Write;
use std::path::PathBuf;

use alfil_train::Config;
use alfil_train::config::{explain, render};
use anyhow::Context;
use clap::Subcommand;

use crate::Verdict;

#[derive(Subcommand)]
pub enum ConfigCommand {
    /// Check a configuration, and say what is probably not meant
    Check {
        /// The configuration file
        file: PathBuf,
        /// Set a key, such as training.batch=128; can be repeated
        #[arg(long, value_name = "KEY=VALUE")]
        set: Vec<String>,
    },
    /// Show every key with its meaning: the defaults, or those of a file, or one key
    Explain {
        /// A configuration file, or the name of a key, such as training.rate
        what: Option<String>,
    },
}

pub fn run(command: ConfigCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    match command {
        ConfigCommand::Check { file, set } => {
            let config = Config::load(&file, &set)?;
            for warning in config.warnings() {
                writeln!(out, "warning: {warning}")?;
            }
            let architecture = config.architecture()?;
            let size = architecture.size();
            writeln!(out, "{} is a configuration for {} with a network of {size}", file.display(), config.game)?;
        }
        ConfigCommand::Explain { what: None } => write!(out, "{}", render(&Config::parse("", &[])?))?,
        ConfigCommand::Explain { what: Some(what) } => match explain(&what) {
            Some(text) => writeln!(out, "{text}")?,
            None => {
                let config = Config::load(what.as_ref(), &[])
                    .with_context(|| format!("'{what}' is neither a key nor a file"))?;
                write!(out, "{}", render(&config))?;
            }
        },
    }
    Ok(Verdict::Fine)
}
