//! `alfil config`

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use alfil_core::wording::one_line;
use alfil_game::with_encoding;
use alfil_train::config::{explain, nearest, render};
use alfil_train::{Config, Run};
use anyhow::bail;
use clap::Subcommand;

use crate::{Verdict, time};

#[derive(Subcommand)]
pub enum ConfigCommand {
    /// Check a configuration, and warn of values that are probably not intended
    Check {
        /// The configuration file
        file: PathBuf,
        /// Set a key, such as training.batch=128; can be repeated
        #[arg(long, value_name = "KEY=VALUE")]
        set: Vec<String>,
        /// The time that the run will be given, as for alfil train
        #[arg(long = "for", value_name = "TIME", value_parser = time::parse)]
        time: Option<Duration>,
    },
    /// Show every key with its meaning: the defaults, those of a file, those of a section, or one key
    Explain {
        /// A configuration file, or the name of a section or a key, such as training or training.rate, or stage
        what: Option<String>,
    },
}

pub fn run(command: ConfigCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    match command {
        ConfigCommand::Check { file, set, time } => {
            let config = Config::load_for(&file, &set, time.map(time::hours))?;
            for warning in config.warnings() {
                writeln!(out, "warning: {}", one_line(&warning.to_string()))?;
            }
            // Whether a run could begin. Its device is not checked: the run may be meant for another machine.
            with_encoding!(&config.encoding, E => Run::<E>::check(&config).and(Run::<E>::start(&config)).map(drop))??;
            let architecture = config.architecture()?;
            let size = architecture.size();
            writeln!(out, "{} is a configuration for {} with a network of {size}", file.display(), config.game)?;
            for stage in config.stages.iter() {
                writeln!(out, "stage {}", one_line(&stage.to_string()))?;
            }
        }
        ConfigCommand::Explain { what: None } => {
            write!(out, "{}\n{}\n", render(&Config::default()), explain("stage").unwrap_or_default())?;
        }
        ConfigCommand::Explain { what: Some(what) } => match explain(&what) {
            Some(text) => writeln!(out, "{text}")?,
            None if Path::new(&what).exists() => write!(out, "{}", render(&Config::load(what.as_ref(), &[])?))?,
            None => bail!("there is no key or file '{what}'{}", did_you_mean(&what)),
        },
    }
    Ok(Verdict::Fine)
}

/// Suggests the key with the most similar name.
fn did_you_mean(key: &str) -> String {
    nearest(key).map_or(String::new(), |nearest| format!(": did you mean {nearest}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_sections_are_explained_and_near_misses_are_named() {
        let explain = |what: &str| {
            let mut out = Vec::new();
            let ran = run(ConfigCommand::Explain { what: Some(what.to_owned()) }, &mut out);
            ran.map(|_| String::from_utf8(out).unwrap()).map_err(|error| format!("{error:#}"))
        };
        assert!(explain("training.rate").unwrap().contains("\nrate = "));
        assert!(explain("training").unwrap().starts_with("[training]\n"));
        assert!(explain("stage").unwrap().contains("\n[[stage]]\n"));
        let wrong = |what| explain(what).unwrap_err();
        assert_eq!(wrong("stages"), "there is no key or file 'stages': did you mean stage?");
        assert_eq!(wrong("training.rte"), "there is no key or file 'training.rte': did you mean training.rate?");
        assert_eq!(wrong("rate"), "there is no key or file 'rate': did you mean training.rate?");
        assert_eq!(wrong("nothing-of-that-kind.toml"), "there is no key or file 'nothing-of-that-kind.toml'");
    }

    #[test]
    fn configurations_that_training_refuses_are_refused() {
        let file = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../configs/tictactoe.toml"));
        let check = |set: &[&str]| {
            let set = set.iter().map(|&key| key.to_owned()).collect();
            run(ConfigCommand::Check { file: file.clone(), set, time: None }, &mut Vec::new()).map(drop)
        };
        assert!(check(&[]).is_ok());
        let cosine = ["training.decay=cosine", "training.decay_steps=0"].map(str::to_owned).to_vec();
        let check_for = |time| {
            run(ConfigCommand::Check { file: file.clone(), set: cosine.clone(), time }, &mut Vec::new()).map(drop)
        };
        assert!(check_for(None).is_err() && check_for(Some(Duration::from_secs(60))).is_ok());
        for (set, why) in [
            (&["selfplay.endings_share=0.5"][..], "tictactoe has no random endings"),
            (&["selfplay.starts_share=0.5", "selfplay.starts_file=nothing.txt"], "nothing.txt"),
            (&["machine.device=tpu"], "machine.device cannot be 'tpu'"),
            (&["selfplay.adjudicate_syzygy=nothing"], "tictactoe has no endgame tables"),
            (&["rating.players=[\"uci:no-such-engine\"]"], "needs a limit"),
        ] {
            let error = format!("{:#}", check(set).unwrap_err());
            assert!(error.contains(why), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn no_program_is_started() {
        use std::os::unix::fs::PermissionsExt;

        let folder = std::env::temp_dir().join(format!("alfil-config-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (engine, started) = (folder.join("engine"), folder.join("started"));
        std::fs::write(&engine, format!("#!/bin/sh\ntouch {}\n", started.display())).unwrap();
        let file = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../configs/tictactoe.toml"));
        let check = |program: &str| {
            let set = vec![format!("rating.players=[\"random\", \"uci:{program} --flag,nodes=1\"]")];
            let checked = run(ConfigCommand::Check { file: file.clone(), set, time: None }, &mut Vec::new());
            checked.map(drop).map_err(|error| format!("{error:#}"))
        };
        let program = engine.display().to_string();
        assert!(check(&program).unwrap_err().ends_with("it could not be started: permission denied"));
        std::fs::set_permissions(&engine, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(check(&program), Ok(()));
        assert!(!started.exists(), "the engine was started");
        assert_eq!(check(&format!("{program}-gone")), Ok(()), "a run leaves it out");
        assert_eq!(check("no-such-engine"), Ok(()));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
