//! The keys and what they mean.

use toml::{Table, Value};

use super::Config;
use super::read::{DEFAULTS, defaults};

/// The names of all keys, with their sections.
pub(super) fn keys() -> Vec<String> {
    let mut keys = Vec::new();
    for (name, value) in defaults() {
        if let Value::Table(table) = value {
            keys.extend(table.keys().map(|key| format!("{name}.{key}")));
        }
        keys.push(name);
    }
    keys
}

/// What a key means, with its default: the lines of `defaults.toml` above it; or all keys of a section. None if there is no
/// such key.
pub fn explain(key: &str) -> Option<String> {
    if defaults().get(key).is_some_and(Value::is_table) {
        let begin = DEFAULTS.find(&format!("[{key}]"))?;
        let end = DEFAULTS[begin..].find("\n[").map_or(DEFAULTS.len(), |end| begin + end);
        return Some(DEFAULTS[begin..end].trim_end().to_owned());
    }
    let mut section = String::new();
    // Keys that belong together stand below one comment.
    let mut comment = String::new();
    for line in DEFAULTS.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = format!("{name}.");
        } else if line.is_empty() {
            comment.clear();
        } else if line.starts_with('#') {
            comment.push_str(line);
            comment.push('\n');
        } else if line.split(" = ").next().is_some_and(|name| format!("{section}{name}") == key) {
            return Some(comment + line);
        }
    }
    None
}

/// A configuration as a file with every key and its meaning.
pub fn render(config: &Config) -> String {
    // A configuration is made of tables, numbers and texts, all of which TOML has.
    let all = Table::try_from(config).unwrap_or_default();
    let mut section: &Table = &all;
    let mut text = String::new();
    for line in DEFAULTS.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            if let Some(Value::Table(table)) = all.get(name) {
                section = table;
            }
            text.push_str(line);
        } else {
            match line
                .split_once(" = ")
                .filter(|_| !line.starts_with('#'))
                .and_then(|(key, _)| Some((key, section.get(key)?)))
            {
                Some((key, value)) => text.push_str(&format!("{key} = {value}")),
                None => text.push_str(line),
            }
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_explained() {
        for key in keys() {
            if defaults().get(&key).is_some_and(Value::is_table) {
                continue;
            }
            let text = explain(&key).unwrap_or_default();
            assert!(text.starts_with("# "), "{key}: {text:?}");
        }
        assert_eq!(explain("training.bath"), None);
        let gate = explain("gate").unwrap_or_default();
        assert!(gate.starts_with("[gate]\n# ") && gate.contains("\nvisits = ") && !gate.contains("[rating]"), "{gate}");
    }

    #[test]
    fn what_is_rendered_reads_back() {
        let settings = [
            "training.rate_steps=[3, 4]",
            "training.rate_factors=[0.5, 0.1]",
            "rating.players=[\"random\", \"random:name=a\\\"b\"]",
        ];
        let settings = settings.map(str::to_owned);
        let config = Config::parse("seed = 99", &settings).unwrap();
        assert_eq!(Config::parse(&render(&config), &[]).unwrap(), config);
    }
}
