//! The options of the rules of the headquarters game.

use std::io::ErrorKind;
use std::path::Path;

use super::evaluation::Weights;
use super::map;
use super::position::Position;
use crate::rules::{RuleOption, RuleValues, join_settings, settings};
use alfil_core::disk::read_text;
use alfil_core::wording::shorten;

/// The options of the headquarters game: the map, the cap on turns, and how positions are estimated.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The start position.
    pub(super) map: Position,
    /// Turns of both sides together after which the game is drawn.
    pub(super) turn_cap: u16,
    pub(super) weights: Weights,
}

/// The largest cap on turns.
pub(super) const MOST_TURNS: u16 = 10_000;

/// The largest weight: up to it, no estimate can be mistaken for a win.
const HEAVIEST: i32 = 100;

/// The most bytes of a map's file. The largest map needs 160.
const LARGEST_FILE: u64 = 1_000;

impl Default for Rules {
    fn default() -> Rules {
        // 100 turns: players that try to win need about 15.
        Rules { map: map::usual(), turn_cap: 100, weights: Weights::default() }
    }
}

impl crate::Rules for Rules {
    fn options() -> Vec<RuleOption> {
        let usual = Rules::default();
        let number = |key, meaning, usual: i32, low, high| {
            let values = RuleValues::Number { usual: usual.unsigned_abs(), low, high };
            RuleOption { key, meaning, values }
        };
        let weight = |key, meaning, usual| number(key, meaning, usual, 0, HEAVIEST.unsigned_abs());
        vec![
            number(
                "turn_cap",
                "Turns of both sides after which the game is a draw",
                usual.turn_cap.into(),
                1,
                MOST_TURNS.into(),
            ),
            weight("headquarters", "Weight of the headquarters in the evaluation", usual.weights.headquarters),
            weight("distance", "Weight of the distance to the headquarters in the evaluation", usual.weights.distance),
            weight("health", "Weight of the soldiers' health in the evaluation", usual.weights.health),
        ]
    }

    /// A game from elsewhere has its map in its position.
    fn changed(&self, text: &str) -> Result<Rules, String> {
        self.with(text, |_| Err("no map is read from a file that a game names".to_owned()))
    }

    /// Reads `map=FILE`, `turn_cap=N` and the weights `headquarters=`, `distance=`, `health=`.
    fn changed_by_user(&self, text: &str) -> Result<Rules, String> {
        self.with(text, read_map)
    }

    fn text(&self) -> String {
        let usual = Rules::default();
        let setting = |key: &str, value: i32, usual: i32| {
            if value == usual { String::new() } else { format!("{key}={value}") }
        };
        let weight = |key: &str, of: fn(&Weights) -> i32| setting(key, of(&self.weights), of(&usual.weights));
        join_settings([
            &setting("turn_cap", self.turn_cap.into(), usual.turn_cap.into()),
            &weight("headquarters", |weights| weights.headquarters),
            &weight("distance", |weights| weights.distance),
            &weight("health", |weights| weights.health),
        ])
    }
}

impl Rules {
    fn with(&self, text: &str, read_map: impl Fn(&str) -> Result<Position, String>) -> Result<Rules, String> {
        let mut rules = self.clone();
        for setting in settings(text) {
            let (key, value) = setting?;
            let weight = || {
                let weight = value.parse().ok().filter(|weight| (0..=HEAVIEST).contains(weight));
                weight.ok_or_else(|| format!("{key} is a weight from 0 to {HEAVIEST}"))
            };
            match key {
                "map" => rules.map = read_map(value)?,
                "turn_cap" => {
                    let cap = value.parse().ok().filter(|cap| (1..=MOST_TURNS).contains(cap));
                    rules.turn_cap = cap.ok_or_else(|| format!("turn_cap is a number from 1 to {MOST_TURNS}"))?;
                }
                "headquarters" => rules.weights.headquarters = weight()?,
                "distance" => rules.weights.distance = weight()?,
                "health" => rules.weights.health = weight()?,
                _ => {
                    let keys = "map, turn_cap and the weights headquarters, distance and health";
                    return Err(format!("there is no '{}', only {keys}", shorten(key)));
                }
            }
        }
        Ok(rules)
    }
}

fn read_map(path: &str) -> Result<Position, String> {
    let unreadable = |error: std::io::Error| match error.kind() {
        ErrorKind::FileTooLarge => format!("its map has more than {LARGEST_FILE} bytes, and no map needs that many"),
        ErrorKind::InvalidData => "its map is not a text file".to_owned(),
        _ => format!("its map cannot be read: {error}"),
    };
    map::parse(&read_text(Path::new(path), LARGEST_FILE).map_err(unreadable)?)
}
