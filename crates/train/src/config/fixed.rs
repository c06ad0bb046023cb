//! What a run keeps from its beginning.

use toml::{Table, Value};

use super::Config;
use super::explain::keys;
use super::read::defaults;

/// Keys that cannot change once a run has begun, beside those of its network.
const FIXED: [&str; 6] = [
    "game",
    "rules",
    "encoding",
    "seed",
    "training.optimizer",
    // More would count games that have been learnt from as such that never were.
    "window.held_out",
];

impl Config {
    /// The first key that a run cannot change and that is another here than in the run's own file: its name, what it was, and
    /// what it would be. No other key of that file has to make sense.
    pub(crate) fn changed(&self, old: &Table) -> Option<(String, String, String)> {
        // A configuration is made of tables, numbers and texts, all of which TOML has.
        let new = Table::try_from(self).unwrap_or_default();
        let defaults = defaults();
        let network = keys().into_iter().filter(|key| key.starts_with("network."));
        FIXED.map(str::to_owned).into_iter().chain(network).find_map(|key| {
            // A file without the key is of a program that did not have it yet.
            let old = value(old, &key).or_else(|| value(&defaults, &key))?;
            let new = value(&new, &key)?;
            (old != new).then(|| (key, text(old), text(new)))
        })
    }
}

/// What a table of sections has for a key with its section.
pub(super) fn value<'a>(table: &'a Table, key: &str) -> Option<&'a Value> {
    match key.split_once('.') {
        Some((section, key)) => table.get(section)?.get(key),
        None => table.get(key),
    }
}

/// Texts without their quotes.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
