//! `alfil uci`

use std::io::{self, BufReader};
use std::path::PathBuf;

use alfil_nn::Devices;
use alfil_uci::UciError;
use alfil_uci::options::{DECLARATIONS, Declaration, HANDCRAFTED, Options};
use anyhow::Context;
use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches, builder::ValueHint};

use crate::{Verdict, torch};

/// The engine's options as flags, made from their declarations: the names of those that were given, and their values.
#[derive(Clone)]
pub struct EngineOptions(Vec<(&'static str, String)>);

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
        let mut options = EngineOptions(Vec::new());
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
            self.0.extend(value.map(|value| (declaration.name, value)));
        }
        self.0.extend(matches.get_one::<String>("net").map(|net| ("WeightsFile", net.clone())));
        Ok(())
    }
}

impl EngineOptions {
    /// The values of all options. Fails if one is invalid, or if the file of the network is missing; the engine itself
    /// reports what is wrong with its contents.
    fn read(&self) -> anyhow::Result<Options> {
        let mut options = Options::default();
        for (name, value) in &self.0 {
            Declaration::find(name)?.set(&mut options, value)?;
        }
        if !matches!(options.weights_file.as_str(), "" | HANDCRAFTED) {
            let path = PathBuf::from(&options.weights_file);
            std::fs::metadata(&path).with_context(|| format!("cannot use the network {}", path.display()))?;
        }
        Ok(options)
    }
}

pub fn run(options: &EngineOptions) -> anyhow::Result<Verdict> {
    let options = options.read()?;
    let devices: Option<&'static dyn Devices> = match options.device.as_str() {
        "cpu" => None,
        _ => Some(torch::require()?),
    };
    match alfil_uci::run(BufReader::new(io::stdin()), io::stdout(), options, devices) {
        // As it is, so that a closed pipe is recognised.
        Err(UciError::Io(error)) => Err(error.into()),
        ended => Ok(ended.map(|()| Verdict::Fine)?),
    }
}
