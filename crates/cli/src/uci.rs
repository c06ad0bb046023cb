//! `alfil uci`

use std::io::{self, BufReader};
use std::path::PathBuf;

use alfil_uci::options::{DECLARATIONS, Declaration, Options};
use anyhow::Context;
use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches, builder::ValueHint};

use crate::{Verdict, torch};

/// The engine's options as flags, made from their declarations.
#[derive(Clone)]
pub struct EngineOptions(pub Options);

impl Args for EngineOptions {
    fn augment_args(command: clap::Command) -> clap::Command {
        let defaults = Options::default();
        let flag = |command: clap::Command, declaration: &'static Declaration| {
            let default = declaration.get(&defaults);
            let help = match default.as_str() {
                "" | "false" => declaration.help.to_owned(),
                _ => format!("{} [default: {default}]", declaration.help),
            };
            let arg = Arg::new(declaration.flag).long(declaration.flag).help(help);
            command.arg(match declaration.is_check() {
                true => arg.action(ArgAction::SetTrue),
                false => arg.value_name(declaration.name).allow_hyphen_values(true),
            })
        };
        let weights = Arg::new("net")
            .value_name("NET")
            .value_hint(ValueHint::FilePath)
            .conflicts_with("weights")
            .help("A network file, ours or Leela's: the same as --weights");
        DECLARATIONS.iter().filter(|declaration| !declaration.is_button()).fold(command.arg(weights), flag)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        EngineOptions::augment_args(command)
    }
}

impl FromArgMatches for EngineOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<EngineOptions, clap::Error> {
        let mut options = EngineOptions(Options::default());
        options.update_from_arg_matches(matches)?;
        Ok(options)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for declaration in DECLARATIONS.iter().filter(|declaration| !declaration.is_button()) {
            let value = if declaration.is_check() {
                matches.get_flag(declaration.flag).then(|| "true".to_owned())
            } else {
                matches.get_one::<String>(declaration.flag).cloned()
            };
            if let Some(value) = value {
                let set = declaration.set(&mut self.0, &value);
                set.map_err(|error| clap::Error::raw(clap::error::ErrorKind::ValueValidation, format!("{error}\n")))?;
            }
        }
        if let Some(net) = matches.get_one::<String>("net") {
            self.0.weights_file.clone_from(net);
        }
        Ok(())
    }
}

impl EngineOptions {
    /// Fails where the network that was given cannot be there. What is wrong with its contents the engine says.
    pub fn check(&self) -> anyhow::Result<()> {
        let path = PathBuf::from(&self.0.weights_file);
        if !self.0.weights_file.is_empty() {
            std::fs::metadata(&path).with_context(|| format!("cannot use the network {}", path.display()))?;
        }
        Ok(())
    }
}

pub fn run(options: EngineOptions) -> anyhow::Result<Verdict> {
    options.check()?;
    let backend = match options.0.device.as_str() {
        "cpu" => None,
        _ => Some(torch::require()?.chess_backend()),
    };
    alfil_uci::run(BufReader::new(io::stdin()), io::stdout(), options.0, backend)?;
    Ok(Verdict::Fine)
}
