//! Flags made from the declarations of settings.

use std::marker::PhantomData;

use alfil_core::settings::{Declaration, Findings, Kind, Settings, set_text};
use alfil_train::Config;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

/// Which keys of a configuration a command takes. Each becomes a flag with the last part of its name; `--set` takes them as well.
pub trait Keys {
    /// Whether the command takes a key.
    fn takes(key: &str) -> bool;

    /// Defaults of the command that differ from those of a configuration, as KEY=VALUE.
    const USUAL: &'static [&'static str] = &[];

    /// Keys with other names for their flags.
    const ALIASES: &'static [(&'static str, &'static str)] = &[];
}

/// A configuration whose keys can be set by flags.
pub struct Flags<K> {
    /// The configuration with all flags applied. Keys that the command does not take have their defaults.
    pub config: Config,
    keys: PhantomData<K>,
}

const SET: &str = "set";

impl<K: Keys> Args for Flags<K> {
    fn augment_args(command: Command) -> Command {
        let usual = usual::<K>();
        let taken = Config::declarations().into_iter().filter(|declaration| K::takes(&declaration.key));
        let set = Arg::new(SET)
            .long("set")
            .value_name("KEY=VALUE")
            .action(ArgAction::Append)
            .help("Set a key as in a configuration file, such as selfplay.visits=64; can be repeated");
        taken.fold(command.next_help_heading("Settings").arg(set), |command, declaration| {
            let default = usual.get(&declaration.key).map_or(String::new(), |value| value.to_string());
            command.arg(flag(&declaration, &default, K::ALIASES))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// The flag of a setting.
fn flag(declaration: &Declaration, default: &str, aliases: &'static [(&'static str, &'static str)]) -> Arg {
    let range = declaration.bounds.map_or(String::new(), |bounds| format!(" [{bounds}]"));
    let help = format!("{}{range} [default: {default}]", declaration.doc.replace('\n', " "));
    let arg = Arg::new(declaration.key.clone())
        .long(declaration.split().1.replace('_', "-"))
        .value_name(match declaration.kind {
            Kind::Whole => "N".to_owned(),
            Kind::Number => "X".to_owned(),
            Kind::Switch => "true|false".to_owned(),
            Kind::Choice(choices) => choices.join("|"),
            Kind::Text => "TEXT".to_owned(),
            Kind::Wholes | Kind::Numbers | Kind::Texts => "LIST".to_owned(),
        })
        .allow_negative_numbers(true)
        .help(help);
    let names = aliases.iter().filter(|(key, _)| *key == declaration.key).map(|(_, alias)| *alias);
    let arg = arg.visible_aliases(names.collect::<Vec<_>>());
    if declaration.kind == Kind::Switch { arg.num_args(0..=1).default_missing_value("true") } else { arg }
}

/// The configuration before anything is set.
fn usual<K: Keys>() -> Config {
    let mut config = Config::default();
    // They are part of the program, and tested.
    for text in K::USUAL {
        let _ = set_text(&mut config, text, &mut Findings::default());
    }
    config
}

impl<K: Keys> FromArgMatches for Flags<K> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Flags<K>, clap::Error> {
        let mut flags = Flags { config: usual::<K>(), keys: PhantomData };
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let refused = |why: String| clap::Error::raw(ErrorKind::ValueValidation, why + "\n");
        let declarations = Config::declarations();
        let mut found = Findings::default();
        let mut set = |text: &str| {
            let key = text.split('=').next().unwrap_or_default().trim();
            let named = |known: &&Declaration| known.key == key || known.split().0 == key;
            let mut named = declarations.iter().filter(named).peekable();
            if named.peek().is_some() && !named.any(|known| K::takes(&known.key)) {
                return Err(refused(format!("{key} is not a setting of this command")));
            }
            set_text(&mut self.config, text, &mut found).map_err(|error| refused(error.to_string()))
        };
        for text in matches.get_many::<String>(SET).into_iter().flatten() {
            set(text)?;
        }
        for declaration in declarations.iter().filter(|declaration| K::takes(&declaration.key)) {
            if let Some(value) = matches.get_one::<String>(&declaration.key) {
                set(&format!("{}={value}", declaration.key))?;
            }
        }
        Settings::check(&self.config, &mut found);
        let errors: Vec<String> = found.errors.iter().map(ToString::to_string).collect();
        if errors.is_empty() { Ok(()) } else { Err(refused(errors.join("; "))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Play;

    impl Keys for Play {
        fn takes(key: &str) -> bool {
            key.starts_with("selfplay.") || key == "seed"
        }

        const USUAL: &'static [&'static str] = &["selfplay.visits=64", "selfplay.search=puct"];
        const ALIASES: &'static [(&'static str, &'static str)] = &[("selfplay.cheap_share", "cheap")];
    }

    fn read(arguments: &str) -> Result<Config, String> {
        let command = Flags::<Play>::augment_args(Command::new("play").no_binary_name(true));
        let matches = command.try_get_matches_from(arguments.split_whitespace()).map_err(|error| error.to_string())?;
        Flags::<Play>::from_arg_matches(&matches).map(|flags| flags.config).map_err(|error| error.to_string())
    }

    #[test]
    fn every_key_is_a_flag() {
        let config = read("--resign-below -0.5 --cheap 0.25 --adjudicate-oracle --starts-file 7 --seed 3").unwrap();
        let play = &config.selfplay;
        assert_eq!((play.resign.below, play.cheap.share, play.adjudication.oracle, config.seed), (-0.5, 0.25, true, 3));
        assert_eq!(play.starts.file, "7");
        assert_eq!((play.search.visits, play.at_once), (64, 32));
        let config = read("--set selfplay.visits=8 --set selfplay.random_plies=3 --visits 9").unwrap();
        assert_eq!((config.selfplay.search.visits, config.selfplay.starts.random_plies), (9, 3));
        let usual = usual::<Play>();
        for text in Play::USUAL {
            let (key, value) = text.split_once('=').unwrap();
            assert_eq!(usual.get(key).unwrap().to_string().replace('"', ""), value);
        }
    }

    #[test]
    fn refused_settings_say_why() {
        let wrong = |arguments| read(arguments).unwrap_err();
        assert_eq!(wrong("--visits 1"), "error: selfplay.visits must be from 2 to 1000000\n");
        assert_eq!(wrong("--set training.batch=8"), "error: training.batch is not a setting of this command\n");
        assert_eq!(wrong("--set training={batch=8}"), "error: training is not a setting of this command\n");
        assert!(wrong("--set selfplay.visit=8").contains("did you mean selfplay.visits?"));
        assert!(wrong("--search alphabeta").contains("use gumbel, puct"));
        assert!(wrong("--starts-share 0.5").contains("selfplay.starts_file must name a file"));
    }
}
