//! The `key=value,…` part of a player's line.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::LineError;
use alfil_core::wording::{did_you_mean, shorten};

/// The longest time that may be asked for, in seconds: a day.
const LONGEST: f64 = 86_400.0;

/// Keys with their values, each at most once and all of them known.
pub(super) struct Keys<'a> {
    pairs: Vec<(&'a str, &'a str)>,
}

impl<'a> Keys<'a> {
    /// Reads `key=value,…`. `known` are the keys of this kind of player; a key that ends with a dot stands for all that
    /// begin with it.
    pub fn parse(player: &str, text: &'a str, known: &[&str]) -> Result<Keys<'a>, LineError> {
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        for part in text.split(',').filter(|part| !part.trim().is_empty()) {
            let (key, value) = part.split_once('=').ok_or_else(|| LineError::NoValue(shorten(part)))?;
            let (key, value) = (key.trim(), value.trim());
            let is_known = |known: &&str| key == *known || known.ends_with('.') && key.starts_with(known);
            if !known.iter().any(is_known) {
                return Err(LineError::UnknownKey {
                    key: shorten(key),
                    nearest: did_you_mean(key, known.iter().copied()),
                    player: player.to_owned(),
                    known: known
                        .iter()
                        .map(|key| key.to_string() + if key.ends_with('.') { "NAME" } else { "" })
                        .collect(),
                });
            }
            if pairs.iter().any(|(earlier, _)| *earlier == key) {
                return Err(LineError::Twice(shorten(key)));
            }
            pairs.push((key, value));
        }
        Ok(Keys { pairs })
    }

    pub fn get(&self, key: &str) -> Option<&'a str> {
        self.pairs.iter().find(|(known, _)| *known == key).map(|(_, value)| *value)
    }

    /// The rest of the keys that begin with `prefix`, with their values.
    pub fn beginning(&self, prefix: &str) -> Vec<(String, String)> {
        let rest = |(key, value): &(&str, &str)| Some((key.strip_prefix(prefix)?.to_owned(), (*value).to_owned()));
        self.pairs.iter().filter_map(rest).collect()
    }

    pub fn number(&self, key: &'static str, range: RangeInclusive<u64>) -> Result<Option<u64>, LineError> {
        let wrong = |value: &str| {
            let expected = format!("a whole number from {} to {}", range.start(), range.end());
            LineError::Value { key, value: shorten(value), expected }
        };
        let read = |value: &str| value.parse().ok().filter(|number| range.contains(number)).ok_or_else(|| wrong(value));
        self.get(key).map(read).transpose()
    }

    /// One of two words, the first if the key is not given.
    pub fn word<T: Copy>(&self, key: &'static str, words: &[(&str, T); 2]) -> Result<T, LineError> {
        let Some(value) = self.get(key) else { return Ok(words[0].1) };
        let found = words.iter().find(|(word, _)| *word == value).map(|(_, meaning)| *meaning);
        found.ok_or_else(|| {
            let expected = format!("{} or {}", words[0].0, words[1].0);
            LineError::Value { key, value: shorten(value), expected }
        })
    }

    /// A time in seconds, above 0 and at most a day.
    pub fn seconds(&self, key: &'static str) -> Result<Option<Duration>, LineError> {
        let read = |value: &str| {
            let wrong = || LineError::Value { key, value: shorten(value), expected: "seconds, as in 0.1".to_owned() };
            seconds(value).filter(|time| !time.is_zero()).ok_or_else(wrong)
        };
        self.get(key).map(read).transpose()
    }

    pub fn decimal(&self, key: &'static str, range: RangeInclusive<f64>) -> Result<Option<f64>, LineError> {
        let read = |value: &str| {
            let expected = || format!("a number from {} to {}", range.start(), range.end());
            let wrong = || LineError::Value { key, value: shorten(value), expected: expected() };
            value.parse().ok().filter(|number| range.contains(number)).ok_or_else(wrong)
        };
        self.get(key).map(read).transpose()
    }

    /// The pairs as they were written, without the name.
    pub fn without_name(&self) -> String {
        let written = |(key, value): &(&str, &str)| format!("{key}={value}");
        self.pairs.iter().filter(|(key, _)| *key != "name").map(written).collect::<Vec<_>>().join(",")
    }
}

/// A time in seconds, at most a day.
pub(super) fn seconds(text: &str) -> Option<Duration> {
    text.parse().ok().filter(|seconds| (0.0..=LONGEST).contains(seconds)).map(Duration::from_secs_f64)
}
