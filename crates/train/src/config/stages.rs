//! Stages: settings that change while a run goes on.
//!
//! ```toml
//! [[stage]]
//! from_generation = 10
//! selfplay.adjudicate_material = 900
//! selfplay.adjudicate_plies = 20
//! ```

use std::fmt;

use alfil_core::settings::{
    Bounds, Declaration, Finding, Findings, KeyError, SettingError, SettingValue, Settings, Table, Value, read,
    set_table,
};
use alfil_core::wording::distance;

use super::{Config, ConfigError};

/// The name of the tables.
pub(super) const STAGE: &str = "stage";

const FROM_GENERATION: &str = "from_generation";
const FROM_HOURS: &str = "from_hours";

/// The one key of the network that a run can change.
const SIZE: &str = "network.size";

/// Stages of a configuration at most.
const MOST: usize = 64;

/// What `alfil config explain stage` says.
pub(super) const EXPLANATION: &str = "\
# Settings that hold from a generation on, or from an hour of the run's own clock (which stands still while the run does): those
# of all stages that have begun, later ones after earlier ones. A generation keeps the settings that it began with. Keys are
# written as section.key, or in sections such as [stage.selfplay]. A run cannot change those of machine and network, nor what
# it keeps from its beginning, except network.size: a network of that size learns from the games so far, and plays as soon as
# it is at least as good by the gate (half of the points if gate.kind is none).
[[stage]]
# The first generation of the stage. [at least 1]
from_generation = 10
# Or the hours after which the next generation begins it. [from 0 to 1000000]
# from_hours = 2.5
selfplay.visits = 64
training.rate = 0.001";

/// The stages of a run, in the order of the configuration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stages(Vec<Stage>);

/// Settings that hold from a border on.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// When it begins.
    pub from: Border,
    /// Keys with their values, which have been checked.
    pub changes: Vec<(String, Value)>,
}

/// When a stage begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Border {
    /// With this generation.
    Generation(u32),
    /// With the first generation that begins after this many hours of the run.
    Hours(f64),
}

/// No setting of its own: stages are tables of the settings of others.
impl Settings for Stages {
    fn declarations() -> Vec<Declaration> {
        Vec::new()
    }

    fn get(&self, _: &str) -> Option<Value> {
        None
    }

    fn set(&mut self, _: &str, _: &Value) -> Result<(), SettingError> {
        Err(SettingError::Unknown)
    }

    fn check(&self, _: &mut Findings) {}
}

impl Stages {
    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Stage> {
        self.0.iter()
    }

    /// Reads `[[stage]]` tables. `base` is the configuration without them.
    pub(super) fn read(value: &Value, base: &Config, found: &mut Findings) -> Result<Stages, ConfigError> {
        let wrong =
            |why: &str| KeyError::Value { key: STAGE.to_owned(), value: value.to_string(), why: why.to_owned() };
        let tables = value.as_array().ok_or_else(|| wrong("begin each stage with [[stage]]"))?;
        if tables.len() > MOST {
            return Err(wrong(&format!("there are {} stages, and {MOST} at most", tables.len())).into());
        }
        let mut stages: Vec<Stage> = Vec::new();
        for (number, table) in (1..).zip(tables) {
            let table = table.as_table().ok_or_else(|| wrong("begin each stage with [[stage]]"))?;
            let stage = Stage::read(number, table, base, found)?;
            if let Some(before) = stages.iter().rev().find(|before| before.from.unit() == stage.from.unit())
                && before.from.number() >= stage.from.number()
            {
                let why = format!("must be more than the {} of the stage before", before.from.number());
                return Err(in_stage(number, format!("{} {why}", stage.from.unit())));
            }
            stages.push(stage);
        }
        Ok(Stages(stages))
    }

    /// The stages as they are in a configuration file.
    pub(super) fn render(&self) -> String {
        let entry = |(key, value): &(String, Value)| format!("{key} = {value}\n");
        let stage = |stage: &Stage| {
            let from = (stage.from.unit().to_owned(), stage.from.value());
            format!("\n[[{STAGE}]]\n{}{}", entry(&from), stage.changes.iter().map(entry).collect::<String>())
        };
        self.0.iter().map(stage).collect()
    }
}

impl Stage {
    fn read(number: usize, table: &Table, base: &Config, found: &mut Findings) -> Result<Stage, ConfigError> {
        let mut rest = table.clone();
        let from = match (rest.remove(FROM_GENERATION), rest.remove(FROM_HOURS)) {
            (Some(_), Some(_)) => Err(format!("use {FROM_GENERATION} or {FROM_HOURS}, not both")),
            (Some(value), None) => border(FROM_GENERATION, &value, Bounds::from(1..), 10).map(Border::Generation),
            (None, Some(value)) => border(FROM_HOURS, &value, Bounds::from(0..=1_000_000), 2.5).map(Border::Hours),
            (None, None) => Err(match misspelt(&rest) {
                Some((key, meant)) => format!("there is no key '{key}': did you mean {meant}?"),
                None => format!("{FROM_GENERATION} or {FROM_HOURS} is needed"),
            }),
        };
        let from = from.map_err(|why| in_stage(number, why))?;
        let (mut config, mut own) = (base.clone(), Findings::default());
        set_table(&mut config, &rest, &mut own).map_err(|why| in_stage(number, why.to_string()))?;
        found.errors.extend(own.errors.into_iter().map(|finding| of_stage(number, finding)));
        let mut changes = Vec::new();
        for declaration in Config::declarations() {
            let (section, key) = declaration.split();
            let section = if section.is_empty() { Some(&rest) } else { rest.get(section).and_then(Value::as_table) };
            if !section.is_some_and(|section| section.contains_key(key)) {
                continue;
            }
            if !can_change(&declaration) {
                return Err(in_stage(number, format!("{} cannot change within a run", declaration.key)));
            }
            changes.extend(config.get(&declaration.key).map(|value| (declaration.key, value)));
        }
        if from.number() <= from.first() && changes.iter().any(|(key, _)| key == SIZE) {
            return Err(in_stage(number, format!("{SIZE} cannot change before the second generation")));
        }
        if changes.is_empty() {
            return Err(in_stage(number, "it changes nothing".to_owned()));
        }
        Ok(Stage { from, changes })
    }

    fn has_begun(&self, generation: u32, hours: f64) -> bool {
        match self.from {
            Border::Generation(from) => from <= generation,
            Border::Hours(from) => from <= hours,
        }
    }
}

/// Reads the beginning of a stage.
fn border<T: SettingValue + Clone>(key: &str, value: &Value, bounds: Bounds, example: T) -> Result<T, String> {
    read(value, Some(bounds), || example.clone()).map_err(|why| match why {
        SettingError::Range(why) => format!("{key} {why}"),
        why => KeyError::Value { key: key.to_owned(), value: value.to_string(), why: why.to_string() }.to_string(),
    })
}

/// A key that is nearly the beginning of a stage, and which one.
fn misspelt(table: &Table) -> Option<(&String, &'static str)> {
    let near = |meant: &'static str| move |key: &&String| key.len() < 2 * meant.len() && distance(key, meant) <= 3;
    [FROM_GENERATION, FROM_HOURS].into_iter().find_map(|meant| Some((table.keys().find(near(meant))?, meant)))
}

/// Whether a run can change a setting: its machine is chosen when a process begins, its end is that of all stages, its folders
/// are one order of positions, and a head for the opponent's reply is there from the beginning or not at all.
fn can_change(declaration: &Declaration) -> bool {
    let (section, _) = declaration.split();
    let is_fixed = declaration.fixed
        || ["machine", "network"].contains(&section)
        || ["generations", "games.folders", "games.epochs", "training.reply_weight"]
            .contains(&declaration.key.as_str());
    // A larger network can take over: see phase/grow.rs.
    !is_fixed || declaration.key == SIZE
}

fn in_stage(number: usize, why: String) -> ConfigError {
    ConfigError::Stage { number, why }
}

/// The same finding, in a stage.
fn of_stage(number: usize, Finding { key, why }: Finding) -> Finding {
    Finding { key: format!("stage {number}: {key}"), why }
}

impl Border {
    /// Its key.
    fn unit(self) -> &'static str {
        match self {
            Border::Generation(_) => FROM_GENERATION,
            Border::Hours(_) => FROM_HOURS,
        }
    }

    fn number(self) -> f64 {
        match self {
            Border::Generation(generation) => generation.into(),
            Border::Hours(hours) => hours,
        }
    }

    /// What it is at the beginning of a run.
    fn first(self) -> f64 {
        match self {
            Border::Generation(_) => 1.0,
            Border::Hours(_) => 0.0,
        }
    }

    fn value(self) -> Value {
        match self {
            Border::Generation(generation) => generation.to_value(),
            Border::Hours(hours) => hours.to_value(),
        }
    }
}

impl fmt::Display for Border {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Border::Generation(generation) => write!(f, "from generation {generation}"),
            Border::Hours(hours) => write!(f, "from {hours} h"),
        }
    }
}

/// On one line: when it begins, and what it changes.
impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let changes: Vec<String> = self.changes.iter().map(|(key, value)| format!("{key} = {value}")).collect();
        write!(f, "{}: {}", self.from, changes.join(", "))
    }
}

impl Config {
    /// The settings of a generation that begins after this many hours of the run: those of every stage that has begun by
    /// then, one after the other.
    pub fn at(&self, generation: u32, hours: f64) -> Config {
        let mut config = Config { stages: Stages::default(), ..self.clone() };
        for stage in self.stages.iter().filter(|stage| stage.has_begun(generation, hours)) {
            for (key, value) in &stage.changes {
                // Each was set once when it was read, and checked.
                let _ = config.set(key, value);
            }
        }
        config
    }

    /// All settings that the run can have, and the number of the last stage in them, or 0: stages by generation and by hours
    /// may begin in any order.
    pub fn resolved(&self) -> Vec<(usize, Config)> {
        let borders = |unit| self.stages.iter().filter(move |stage| stage.from.unit() == unit);
        let mut all: Vec<(usize, Config)> = Vec::new();
        for generation in std::iter::once(1.0).chain(borders(FROM_GENERATION).map(|stage| stage.from.number())) {
            for hours in std::iter::once(0.0).chain(borders(FROM_HOURS).map(|stage| stage.from.number())) {
                let begun =
                    (1..).zip(self.stages.iter()).filter(|(_, stage)| stage.has_begun(generation as u32, hours));
                let last = begun.map(|(number, _)| number).last().unwrap_or(0);
                all.push((last, self.at(generation as u32, hours)));
            }
        }
        all
    }

    /// Checks the settings of every stage as a whole, so that a contradiction is found at the start. What is wrong without
    /// stages is in `found` already.
    pub(super) fn check_stages(&self, found: &mut Findings) {
        if self.stages.0.is_empty() {
            return;
        }
        for (number, config) in self.resolved() {
            let mut own = Findings::default();
            Settings::check(&config, &mut own);
            for (known, own) in [(&mut found.errors, own.errors), (&mut found.warnings, own.warnings)] {
                for finding in own {
                    let staged = of_stage(number, finding.clone());
                    if !known.contains(&finding) && !known.contains(&staged) {
                        known.push(staged);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{explain, nearest, render};
    use super::*;

    fn parse(text: &str) -> Result<Config, String> {
        Config::parse(text, &[]).map_err(|error| error.to_string())
    }

    const FADING: &str = "
        selfplay.random_plies = 40
        [[stage]]
        from_generation = 10
        selfplay.random_plies = 20
        [stage.training]
        rate = 1
        [[stage]]
        from_hours = 2
        training.batch = 64
        [[stage]]
        from_generation = 25
        selfplay.random_plies = 8
        window.first = 7";

    #[test]
    fn stages_hold_from_their_borders_on() {
        let config = parse(FADING).unwrap();
        let at = |generation, hours| {
            let config = config.at(generation, hours);
            let training = &config.training;
            (
                config.selfplay.starts.random_plies,
                training.learning.schedule.rate,
                training.batch,
                config.window.size.first,
            )
        };
        let (rate, first) = (config.training.learning.schedule.rate, config.window.size.first);
        assert_eq!(at(9, 1.9), (40, rate, 256, first));
        assert_eq!(at(10, 1.9), (20, 1.0, 256, first));
        assert_eq!(at(9, 2.0), (40, rate, 64, first));
        assert_eq!(at(25, 0.0), (8, 1.0, 256, 7));
        assert_eq!(at(99, 99.0), (8, 1.0, 64, 7));
        assert_eq!(config.resolved().len(), 6);
        // On the command line the base is set.
        let set =
            Config::parse(FADING, &["selfplay.random_plies=3".to_owned(), "training.batch=32".to_owned()]).unwrap();
        assert_eq!(set.at(9, 0.0).selfplay.starts.random_plies, 3);
        assert_eq!((set.at(10, 0.0).selfplay.starts.random_plies, set.at(10, 2.0).training.batch), (20, 64));
    }

    #[test]
    fn stages_are_kept_in_a_rendered_configuration_and_shown_on_a_line() {
        let config = parse(FADING).unwrap();
        let text = render(&config);
        assert!(
            text.contains("\n[[stage]]\nfrom_generation = 10\nselfplay.random_plies = 20\ntraining.rate = 1.0\n"),
            "{text}"
        );
        assert_eq!(parse(&text).unwrap(), config);
        let lines: Vec<String> = config.stages.iter().map(ToString::to_string).collect();
        assert_eq!(lines[0], "from generation 10: selfplay.random_plies = 20, training.rate = 1.0");
        assert_eq!(lines[1], "from 2 h: training.batch = 64");
        assert!(parse(&explain("stage").unwrap()).is_ok());
    }

    #[test]
    fn wrong_stages_are_refused_in_one_sentence() {
        let stage = |text: &str| parse(&format!("[[stage]]\n{text}")).unwrap_err();
        let visits = "selfplay.visits = 8";
        assert_eq!(stage(visits), "stage 1: from_generation or from_hours is needed");
        assert_eq!(
            stage("from_generations = 3\nselfplay.visits = 8"),
            "stage 1: there is no key 'from_generations': did you mean from_generation?"
        );
        assert_eq!(
            stage("from_hour = 3\nselfplay.visits = 8"),
            "stage 1: there is no key 'from_hour': did you mean from_hours?"
        );
        let from = |text: &str| stage(&format!("from_generation = 3\n{text}"));
        assert_eq!(from("from_hours = 1\nselfplay.visits = 8"), "stage 1: use from_generation or from_hours, not both");
        assert_eq!(from(""), "stage 1: it changes nothing");
        assert_eq!(
            from("selfplay.visit = 8"),
            "stage 1: there is no key 'selfplay.visit': did you mean selfplay.visits?"
        );
        assert_eq!(from("visits = 8"), "stage 1: there is no key 'visits': did you mean selfplay.visits?");
        assert_eq!(from("selfplay.visits = 1"), "stage 1: selfplay.visits must be from 2 to 1000000");
        assert_eq!(
            from("training.batch = 'many'"),
            "stage 1: training.batch = \"many\" is not valid: a whole number is needed, such as 256"
        );
        for key in
            ["seed = 3", "generations = 9", "machine.lanes = 2", "network.activation = 'mish'", "window.held_out = 0.1"]
        {
            let name = key.split(' ').next().unwrap();
            assert_eq!(from(key), format!("stage 1: {name} cannot change within a run"));
        }
        assert_eq!(stage("from_generation = 0\nselfplay.visits = 8"), "stage 1: from_generation must be at least 1");
        assert_eq!(
            stage("from_generation = 1.5\nselfplay.visits = 8"),
            "stage 1: from_generation = 1.5 is not valid: a whole number is needed, such as 10"
        );
        assert_eq!(stage("from_hours = -1\nselfplay.visits = 8"), "stage 1: from_hours must be from 0 to 1000000");
        assert_eq!(
            from("network.size = 'large'"),
            "stage 1: network.size cannot be: 'large' is not a network size: write \
            filters x blocks, such as 64x6, or 64x6s8 with squeeze-excitation"
        );
        let early = stage("from_hours = 0\nnetwork.size = '64x6'");
        assert_eq!(early, "stage 1: network.size cannot change before the second generation");
        let second = |text: &str| from(&format!("{visits}\n[[stage]]\n{text}\n{visits}"));
        assert_eq!(
            second("from_generation = 3"),
            "stage 2: from_generation must be more than the 3 of the stage before"
        );
        assert_eq!(
            parse("[stage]\nfrom_generation = 3").unwrap_err().split(": ").last(),
            Some("begin each stage with [[stage]]")
        );
        assert_eq!(
            parse("[[stages]]\nfrom_generation = 3").unwrap_err(),
            "there is no key 'stages': did you mean stage?"
        );
        let set = Config::parse("", &["stage.from_generation=3".to_owned()]).unwrap_err().to_string();
        assert!(set.ends_with("stages are written into a configuration file"), "{set}");
        assert_eq!(nearest("stag").as_deref(), Some("stage"));
        let many = format!("[[stage]]\nfrom_hours = 1\n{visits}\n").repeat(65);
        assert!(parse(&many).unwrap_err().ends_with("there are 65 stages, and 64 at most"));
    }

    #[test]
    fn every_combination_of_stages_is_checked_as_a_whole() {
        let error = parse(
            "[[stage]]\nfrom_hours = 2\ntraining.decay = 'cosine'\n[[stage]]\nfrom_generation = 5\ntraining.decay_steps = 9",
        );
        // If the second begins first, nothing is wrong.
        assert_eq!(error.unwrap_err(), "stage 1: training.decay_steps or planned must be more than 0 for a cosine");
        let config = parse("[[stage]]\nfrom_generation = 2\ntraining.reuse = 99").unwrap();
        let warnings: Vec<String> = config.warnings().iter().map(ToString::to_string).collect();
        assert_eq!(warnings, ["stage 1: training.reuse is high: the network may memorise its games"]);
    }
}
