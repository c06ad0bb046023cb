//! Settings that a run keeps from its beginning.

use alfil_core::settings::{Settings, Table, Value};

use super::Config;

impl Config {
    /// The first key that a run cannot change and whose value here differs from the run's own file: its name, the old
    /// value and the new one. The other keys of that file need not be valid.
    pub(crate) fn changed(&self, old: &Table) -> Option<(String, String, String)> {
        let fixed = Config::declarations().into_iter().filter(|declaration| declaration.fixed);
        fixed.into_iter().find_map(|declaration| {
            let (section, key) = declaration.split();
            let section = if section.is_empty() { Some(old) } else { old.get(section).and_then(Value::as_table) };
            // A file without the key was written by a version that did not have it yet.
            let old = section.and_then(|section| section.get(key)).unwrap_or(&declaration.default);
            // The same number may be written in several ways.
            let mut before = Config::default();
            let is_read = before.set(&declaration.key, old).is_ok();
            let old = before.get(&declaration.key).filter(|_| is_read).unwrap_or_else(|| old.clone());
            let new = self.get(&declaration.key)?;
            (old != new).then(|| (declaration.key.clone(), text(&old), text(&new)))
        })
    }
}

/// Strings without their quotes.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
