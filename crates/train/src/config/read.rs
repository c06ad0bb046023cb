//! From text to a configuration.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::{Config, Trouble};

pub(super) const DEFAULTS: &str = include_str!("defaults.toml");

/// Larger than any configuration.
const LARGEST: u64 = 1 << 20;

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration {path}: {why}")]
    Read {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        why: std::io::Error,
    },
    /// It is no TOML.
    #[error("{0}")]
    Syntax(String),
    /// A key that nobody knows.
    #[error("there is no key '{key}': {}", nearest.as_ref().map_or("alfil config explain lists all".to_owned(), |nearest| format!("did you mean {nearest}?")))]
    Key {
        /// As it was written, with its section.
        key: String,
        /// The known key that is written most alike.
        nearest: Option<String>,
    },
    /// A value of the wrong kind.
    #[error("{key} = {value} cannot be: {why}")]
    Value {
        /// Which key.
        key: String,
        /// What it was set to.
        value: String,
        /// What is wrong.
        why: String,
    },
    /// Not of the form KEY=VALUE.
    #[error("'{0}' sets nothing: write KEY=VALUE, such as training.batch=128")]
    Setting(String),
    /// Values that make no sense.
    #[error("{}", .0.iter().map(Trouble::to_string).collect::<Vec<_>>().join("; "))]
    Troubles(Vec<Trouble>),
}

impl Config {
    /// Reads a configuration file, with some keys set to other values (`training.batch=128`), and checks it.
    pub fn load(path: &Path, settings: &[String]) -> Result<Config, ConfigError> {
        let failed = |why| ConfigError::Read { path: path.to_owned(), why };
        let size = std::fs::metadata(path).map_err(failed)?.len();
        if size > LARGEST {
            return Err(ConfigError::Syntax(format!("{} is too large for a configuration", path.display())));
        }
        let text = std::fs::read_to_string(path).map_err(failed)?;
        Config::parse(&text, settings).map_err(|error| match error {
            ConfigError::Syntax(why) => ConfigError::Syntax(format!("{} is no TOML: {why}", path.display())),
            other => other,
        })
    }

    /// Reads the text of a configuration.
    pub fn parse(text: &str, settings: &[String]) -> Result<Config, ConfigError> {
        let mut all = defaults();
        merge(&mut all, text.parse().map_err(syntax)?, "")?;
        for setting in settings {
            merge(&mut all, read_setting(setting)?, "")?;
        }
        let config: Config = all.clone().try_into().map_err(|error| wrong_value(&all, &error))?;
        match config.errors() {
            errors if errors.is_empty() => Ok(config),
            errors => Err(ConfigError::Troubles(errors)),
        }
    }
}

/// The configuration with no key set. It is a part of the program and has been tested.
pub(super) fn defaults() -> Table {
    DEFAULTS.parse().unwrap_or_default()
}

/// Names the key whose value is none that it can have.
fn wrong_value(all: &Table, error: &toml::de::Error) -> ConfigError {
    let wrong = super::explain::keys().into_iter().find_map(|key| {
        let value = super::fixed::value(all, &key).filter(|value| !value.is_table())?;
        let mut alone = defaults();
        merge(&mut alone, nested(&key, value.clone()), "").ok()?;
        let error = alone.try_into::<Config>().err()?;
        let why = match (&value, error.message().split_once("expected ")) {
            (Value::Integer(_), _) => "it is too small or too large".to_owned(),
            (_, Some((_, choices))) => format!("use {}", choices.trim_start_matches("one of ").replace('`', "")),
            _ => error.message().to_owned(),
        };
        Some(ConfigError::Value { key, value: value.to_string(), why })
    });
    wrong.unwrap_or_else(|| ConfigError::Syntax(error.message().to_owned()))
}

fn syntax(error: toml::de::Error) -> ConfigError {
    ConfigError::Syntax(error.message().to_owned() + &line_of(&error))
}

fn line_of(error: &toml::de::Error) -> String {
    // The error's own words show the line over several lines; its first says which.
    let text = error.to_string();
    let place = text.lines().next().and_then(|line| line.split("at ").nth(1)).map(str::to_owned);
    place.map_or(String::new(), |place| format!(" ({place})"))
}

/// Puts what was set in the place of the defaults.
fn merge(all: &mut Table, set: Table, section: &str) -> Result<(), ConfigError> {
    for (key, value) in set {
        let name = if section.is_empty() { key.clone() } else { format!("{section}.{key}") };
        match (all.get_mut(&key), value) {
            (None, _) => return Err(ConfigError::Key { nearest: nearest(&name), key: name }),
            (Some(Value::Table(known)), Value::Table(set)) => merge(known, set, &name)?,
            (Some(known), value) => *known = fit(known, value, name)?,
        }
    }
    Ok(())
}

/// A value of the same kind as the default: a whole number may stand for one with a fraction.
fn fit(known: &Value, value: Value, key: String) -> Result<Value, ConfigError> {
    match (known, value) {
        (Value::Float(_), Value::Integer(number)) => Ok(Value::Float(number as f64)),
        (known, value) if known.same_type(&value) => Ok(value),
        (known, value) => {
            let kind = match known {
                Value::Integer(_) => "a whole number",
                Value::Float(_) => "a number",
                Value::Boolean(_) => "true or false",
                Value::Array(_) => "a list",
                Value::Table(_) => "a section",
                Value::String(_) | Value::Datetime(_) => "text",
            };
            let why = format!("{kind} is needed, such as {known}");
            Err(ConfigError::Value { key, value: value.to_string(), why })
        }
    }
}

/// `training.batch=128` as a table. What is no TOML value is taken for text.
fn read_setting(setting: &str) -> Result<Table, ConfigError> {
    let (key, value) = setting.split_once('=').ok_or_else(|| ConfigError::Setting(setting.to_owned()))?;
    let (key, value) = (key.trim(), value.trim());
    let parsed = format!("value = {value}").parse::<Table>().ok().and_then(|mut table| table.remove("value"));
    Ok(nested(key, parsed.unwrap_or_else(|| Value::String(value.to_owned()))))
}

/// A table with nothing but this key.
fn nested(key: &str, value: Value) -> Table {
    let (sections, last) = key.rsplit_once('.').unwrap_or(("", key));
    let table = Table::from_iter([(last.to_owned(), value)]);
    if sections.is_empty() { table } else { nested(sections, Value::Table(table)) }
}

fn nearest(name: &str) -> Option<String> {
    let keys = super::explain::keys();
    let distance = |key: &String| {
        // A key in the wrong section is nearer than one that is spelt wrong.
        let last = |key: &str| key.rsplit('.').next().unwrap_or_default().to_owned();
        let spelling = |name: &str, key: &str| 2 * alfil_core::wording::distance(name, key);
        spelling(name, key).min(1 + spelling(&last(name), &last(key)))
    };
    let best = keys.into_iter().min_by_key(distance)?;
    (distance(&best) <= 6).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_a_configuration_and_name_every_key() {
        let config = Config::parse("", &[]).unwrap();
        let all = Table::try_from(&config).unwrap();
        assert_eq!(all.keys().collect::<Vec<_>>().len(), defaults().len());
        for (section, table) in &all {
            let Value::Table(table) = table else { continue };
            let Value::Table(known) = &defaults()[section] else { panic!("{section}") };
            let names = |table: &Table| table.keys().cloned().collect::<std::collections::BTreeSet<_>>();
            assert_eq!(names(table), names(known), "{section}");
        }
    }

    #[test]
    fn keys_are_set_by_file_and_by_command() {
        let set = |settings: &[&str]| settings.iter().map(|text| text.to_string()).collect::<Vec<_>>();
        let text = "seed = 7\n[training]\nrate = 1\nbatch = 64";
        let config =
            Config::parse(text, &set(&["training.batch = 32", "game=tictactoe", "encoding = \"tictactoe/stones\""]));
        let config = config.unwrap();
        assert_eq!((config.seed, config.training.batch, config.training.rate), (7, 32, 1.0));
        assert_eq!(config.game, "tictactoe");
        let error = |text: &str, settings: &[&str]| Config::parse(text, &set(settings)).unwrap_err().to_string();
        assert_eq!(error("[trainin]\nrate = 1", &[]), "there is no key 'trainin': did you mean training?");
        assert_eq!(error("[training]\nrat = 1", &[]), "there is no key 'training.rat': did you mean training.rate?");
        assert!(
            error("rules = 'size=8'", &[]).starts_with("rules cannot be: 'size=8' does not choose rules of connect4")
        );
        assert_eq!(error("batch = 1", &[]), "there is no key 'batch': did you mean training.batch?");
        assert_eq!(error("rate = 1", &[]), "there is no key 'rate': did you mean training.rate?");
        assert_eq!(error("", &["batch"]), "'batch' sets nothing: write KEY=VALUE, such as training.batch=128");
        let wrong = error("[training]\nbatch = \"many\"", &[]);
        assert_eq!(wrong, "training.batch = \"many\" cannot be: a whole number is needed, such as 256");
        assert!(error("seed = ", &[]).contains("line 1"), "{}", error("seed = ", &[]));
        let vote = "gate.kind = \"vote\" cannot be: use none, score, sprt";
        assert_eq!(error("[gate]\nkind = \"vote\"", &[]), vote);
        assert_eq!(error("", &["gate.kind=vote"]), vote);
        assert_eq!(error("seed = -1", &[]), "seed = -1 cannot be: it is too small or too large");
        assert_eq!(error("zebra = 1", &[]), "there is no key 'zebra': alfil config explain lists all");
        assert_eq!(
            error("", &["selfplay.adjudicate_material=-5"]),
            "selfplay.adjudicate_material must be from 0 to 1000000"
        );
        let factors = ["training.rate_steps=[9]", "training.rate_factors=[-3.0]"];
        assert_eq!(error("", &factors), "training.rate_factors must be from 0 to 1000");
        assert!(error("", &["machine.device=cuda:0,tpu"]).starts_with("machine.device cannot be 'tpu': use cpu"));
    }
}
