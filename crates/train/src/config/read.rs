//! Parsing of configurations.

use std::path::{Path, PathBuf};

use alfil_core::settings::{Finding, Findings, KeyError, Settings, Table, set_table, set_text};
use alfil_core::text_file::read_text;

use super::stages::STAGE;
use super::{Config, Stages, nearest};

/// Configuration files larger than this, in bytes, are refused.
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
    /// It is not valid TOML.
    #[error("{0}")]
    Syntax(String),
    /// A key that cannot be set.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// A stage that cannot be.
    #[error("stage {number}: {why}")]
    Stage {
        /// Which one, from 1.
        number: usize,
        /// What is wrong.
        why: String,
    },
    /// Invalid values.
    #[error("{}", .0.iter().map(Finding::to_string).collect::<Vec<_>>().join("; "))]
    Invalid(Vec<Finding>),
}

impl ConfigError {
    /// One invalid value.
    pub(super) fn trouble(key: &str, why: String) -> ConfigError {
        ConfigError::Invalid(vec![Finding { key: key.to_owned(), why }])
    }
}

impl Config {
    /// Reads a configuration file, with some keys set to other values (`training.batch=128`), and checks it.
    pub fn load(path: &Path, settings: &[String]) -> Result<Config, ConfigError> {
        Config::load_for(path, settings, None)
    }

    /// The same for a run that is planned to take this many hours, which count where a learning rate falls over hours that
    /// the file does not tell.
    pub fn load_for(path: &Path, settings: &[String], hours: Option<f64>) -> Result<Config, ConfigError> {
        let failed = |why| ConfigError::Read { path: path.to_owned(), why };
        let text = read_text(path, LARGEST).map_err(failed)?;
        Config::read(&text, settings, hours).map_err(|error| match error {
            ConfigError::Syntax(why) => ConfigError::Syntax(format!("{} is not valid TOML: {why}", path.display())),
            other => other,
        })
    }

    /// Reads the text of a configuration.
    pub fn parse(text: &str, settings: &[String]) -> Result<Config, ConfigError> {
        Config::read(text, settings, None)
    }

    fn read(text: &str, settings: &[String], hours: Option<f64>) -> Result<Config, ConfigError> {
        let (mut config, mut found) = (Config::default(), Findings::default());
        let mut table: Table = text.parse().map_err(syntax)?;
        let stages = table.remove(STAGE);
        set_table(&mut config, &table, &mut found).map_err(with_nearest)?;
        for setting in settings {
            refuse_stage(setting)?;
            set_text(&mut config, setting, &mut found).map_err(with_nearest)?;
        }
        let schedule = &mut config.training.learning.schedule;
        if schedule.lacks_plan() {
            schedule.planned = hours.unwrap_or(0.0);
        }
        if let Some(stages) = stages {
            config.stages = Stages::read(&stages, &config, &mut found)?;
        }
        Settings::check(&config, &mut found);
        if found.errors.is_empty() { Ok(config) } else { Err(ConfigError::Invalid(found.errors)) }
    }
}

/// Stages are among the names that may have been meant.
fn with_nearest(error: KeyError) -> KeyError {
    match error {
        KeyError::Unknown { key, .. } => KeyError::Unknown { nearest: nearest(&key), key },
        other => other,
    }
}

/// The command line sets what holds before the stages.
fn refuse_stage(setting: &str) -> Result<(), KeyError> {
    let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
    if key.split('.').next().is_some_and(|name| name.trim() == STAGE) {
        let why = "stages are written into a configuration file".to_owned();
        return Err(KeyError::Value { key: STAGE.to_owned(), value: value.to_owned(), why });
    }
    Ok(())
}

fn syntax(error: toml::de::Error) -> ConfigError {
    ConfigError::Syntax(error.message().to_owned() + &line_of(&error))
}

fn line_of(error: &toml::de::Error) -> String {
    // The error's own text spans several lines; the first one says which line is wrong.
    let text = error.to_string();
    let place = text.lines().next().and_then(|line| line.split("at ").nth(1)).map(str::to_owned);
    place.map_or(String::new(), |place| format!(" ({place})"))
}

#[cfg(test)]
mod tests {
    use alfil_core::settings::{Kind, Value};

    use super::super::{explain, render};
    use super::*;

    #[test]
    fn the_defaults_are_a_configuration_and_every_key_is_explained() {
        assert_eq!(Config::parse("", &[]).unwrap(), Config::default());
        for declaration in Config::declarations() {
            let text = explain(&declaration.key).unwrap_or_default();
            assert!(text.starts_with("# ") && text.contains(&format!("\n{} = ", declaration.split().1)), "{text}");
        }
        assert_eq!(explain("training.bath"), None);
        let gate = explain("gate").unwrap_or_default();
        assert!(gate.starts_with("[gate]\n# ") && gate.contains("\nvisits = ") && !gate.contains("[rating]"), "{gate}");
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_not_a_configuration() {
        let error = Config::load(Path::new("/dev/zero"), &[]).unwrap_err().to_string();
        assert_eq!(error, "cannot read the configuration /dev/zero: it is not an ordinary file");
    }

    #[test]
    fn a_rendered_configuration_reads_back() {
        let settings = [
            "training.rate_steps=[3, 4]",
            "training.rate_factors=[0.5, 0.1]",
            "rating.players=[\"random\", \"random:name=a\\\"b\"]",
        ];
        let config = Config::parse("seed = 99", &settings.map(str::to_owned)).unwrap();
        assert_eq!(Config::parse(&render(&config), &[]).unwrap(), config);
    }

    #[test]
    fn any_setting_can_be_read_and_set_by_its_key() {
        let mut config = Config::default();
        for declaration in Config::declarations() {
            assert_eq!(config.get(&declaration.key), Some(declaration.default.clone()), "{}", declaration.key);
            config.set(&declaration.key, &declaration.default).unwrap();
            if let Some(bounds) = declaration.bounds.filter(|bounds| bounds.most.is_finite()) {
                let beyond = match declaration.kind {
                    Kind::Numbers => Value::from(vec![bounds.most + 1.0]),
                    Kind::Number => Value::from(bounds.most + 1.0),
                    _ => Value::from(bounds.most as i64 + 1),
                };
                let refused = config.set(&declaration.key, &beyond).unwrap_err().to_string();
                assert_eq!(refused, format!("must be {bounds}"), "{}", declaration.key);
            }
        }
        assert_eq!(config, Config::default());
    }

    #[test]
    fn keys_are_set_in_the_file_and_on_the_command_line() {
        let set = |settings: &[&str]| settings.iter().map(|text| text.to_string()).collect::<Vec<_>>();
        let text = "seed = 7\n[training]\nrate = 1\nbatch = 64";
        let config =
            Config::parse(text, &set(&["training.batch = 32", "game=tictactoe", "encoding = \"tictactoe/stones\""]));
        let config = config.unwrap();
        assert_eq!((config.seed, config.training.batch, config.training.learning.schedule.rate), (7, 32, 1.0));
        assert_eq!(config.game, "tictactoe");
        let error = |text: &str, settings: &[&str]| Config::parse(text, &set(settings)).unwrap_err().to_string();
        assert_eq!(error("[trainin]\nrate = 1", &[]), "there is no key 'trainin': did you mean training?");
        assert_eq!(error("[training]\nrat = 1", &[]), "there is no key 'training.rat': did you mean training.rate?");
        assert!(
            error("rules = 'size=8'", &[])
                .starts_with("rules cannot be: 'size=8' is not valid for the rules of connect4")
        );
        assert_eq!(error("batch = 1", &[]), "there is no key 'batch': did you mean training.batch?");
        assert_eq!(error("rate = 1", &[]), "there is no key 'rate': did you mean training.rate?");
        assert_eq!(error("", &["batch"]), "'batch' sets nothing: write KEY=VALUE, such as training.batch=128");
        let wrong = error("[training]\nbatch = \"many\"", &[]);
        assert_eq!(wrong, "training.batch = \"many\" is not valid: a whole number is needed, such as 256");
        assert!(error("seed = ", &[]).contains("line 1"), "{}", error("seed = ", &[]));
        let vote = "gate.kind = \"vote\" is not valid: use auto, none, score, sprt";
        assert_eq!(error("[gate]\nkind = \"vote\"", &[]), vote);
        assert_eq!(error("", &["gate.kind=vote"]), vote);
        assert_eq!(error("seed = -1", &[]), "seed = -1 is not valid: it is too small or too large");
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
