//! Settings as text: configuration files, `KEY=VALUE`, explanations.

use crate::wording::{cut, shorten};

use super::{Declaration, Findings, Kind, SettingError, Settings, Table, Value};

/// Longer names, in bytes, are not compared with the keys.
const LONGEST_KEY: usize = 100;

/// Why a key cannot be set.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum KeyError {
    /// There is no such key.
    #[error("there is no key '{}': {}", shorten(key), nearest.as_ref().map_or("alfil config explain lists all".to_owned(), |nearest| format!("did you mean {nearest}?")))]
    Unknown {
        /// As it was written, with its section.
        key: String,
        /// The known key with the nearest spelling.
        nearest: Option<String>,
    },
    /// A value of the wrong kind.
    #[error("{key} = {} is not valid: {why}", cut(value, 80))]
    Value {
        /// Which key.
        key: String,
        /// What it was set to.
        value: String,
        /// What is wrong.
        why: String,
    },
    /// Not of the form KEY=VALUE.
    #[error("'{}' sets nothing: write KEY=VALUE, such as training.batch=128", shorten(.0))]
    Form(String),
}

/// Sets what a table says, section by section. Values out of their range are not set and are added to the findings.
pub fn set_table<S: Settings>(settings: &mut S, table: &Table, found: &mut Findings) -> Result<(), KeyError> {
    let declarations = S::declarations();
    for (name, value) in table {
        let is_section = declarations.iter().any(|declaration| declaration.split().0 == name.as_str());
        match value.as_table().filter(|_| is_section) {
            Some(section) => {
                for (key, value) in section {
                    set_key(settings, &format!("{name}.{key}"), value, found)?;
                }
            }
            None if is_section => {
                let why = "it is the name of a section".to_owned();
                return Err(KeyError::Value { key: name.clone(), value: value.to_string(), why });
            }
            None => set_key(settings, name, value, found)?,
        }
    }
    Ok(())
}

/// Sets what `KEY=VALUE` says. Text needs no quotes; a section takes a table of its keys.
pub fn set_text<S: Settings>(settings: &mut S, text: &str, found: &mut Findings) -> Result<(), KeyError> {
    let (key, value) = text.split_once('=').ok_or_else(|| KeyError::Form(text.to_owned()))?;
    let (key, value) = (key.trim(), value.trim());
    let is_text = S::declarations().iter().any(|declaration| declaration.key == key && declaration.kind == Kind::Text);
    let parsed = format!("value = {value}").parse::<Table>().ok().and_then(|mut table| table.remove("value"));
    let value = parsed.filter(|parsed| parsed.is_str() || !is_text).unwrap_or_else(|| Value::from(value));
    set_table(settings, &nested(key, value), found)
}

/// A table with only this key, within its section if it names one. Sections have no sections within them.
fn nested(key: &str, value: Value) -> Table {
    let table = |key: &str, value| Table::from_iter([(key.to_owned(), value)]);
    match key.split_once('.') {
        Some((section, key)) => table(section, Value::Table(table(key, value))),
        None => table(key, value),
    }
}

fn set_key<S: Settings>(settings: &mut S, key: &str, value: &Value, found: &mut Findings) -> Result<(), KeyError> {
    match settings.set(key, value) {
        Ok(()) => Ok(()),
        Err(SettingError::Range(why)) => {
            found.error(key, why);
            Ok(())
        }
        Err(SettingError::Kind(why)) => Err(KeyError::Value { key: key.to_owned(), value: value.to_string(), why }),
        Err(SettingError::Unknown) => Err(KeyError::Unknown { key: key.to_owned(), nearest: nearest::<S>(key) }),
    }
}

/// The key or section with the spelling nearest to this one, if one is near.
pub fn nearest<S: Settings>(name: &str) -> Option<String> {
    // Farther from every key than any spelling that is offered.
    if name.len() > LONGEST_KEY {
        return None;
    }
    let declarations = S::declarations();
    let sections = declarations.iter().map(|declaration| declaration.split().0.to_owned());
    let names = declarations.iter().map(|declaration| declaration.key.clone()).chain(sections);
    let distance = |key: &String| {
        // A key in the wrong section is nearer than one that is spelt wrong.
        let last = |key: &str| key.rsplit('.').next().unwrap_or_default().to_owned();
        let spelling = |name: &str, key: &str| 2 * crate::wording::distance(name, key);
        spelling(name, key).min(1 + spelling(&last(name), &last(key)))
    };
    let best = names.filter(|name| !name.is_empty()).min_by_key(distance)?;
    (distance(&best) <= 6).then_some(best)
}

/// What a key means, with its default; or all keys of a section. None if there is no such key.
pub fn explain<S: Settings>(key: &str) -> Option<String> {
    let declarations = S::declarations();
    let lines = |declaration: &Declaration| entry(declaration, &declaration.default);
    if let Some(declaration) = declarations.iter().find(|declaration| declaration.key == key) {
        return Some(lines(declaration));
    }
    let section: Vec<String> =
        declarations.iter().filter(|declaration| declaration.split().0 == key && !key.is_empty()).map(lines).collect();
    (!section.is_empty()).then(|| format!("[{key}]\n{}", section.join("\n\n")))
}

/// Settings as a configuration file with every key and its meaning.
pub fn render<S: Settings>(settings: &S) -> String {
    let mut text = String::new();
    let mut last = "";
    let declarations = S::declarations();
    for declaration in &declarations {
        let (section, _) = declaration.split();
        if !text.is_empty() {
            text.push('\n');
        }
        if section != last {
            text += &format!("[{section}]\n");
            last = section;
        }
        text += &entry(declaration, &settings.get(&declaration.key).unwrap_or_else(|| declaration.default.clone()));
        text.push('\n');
    }
    text
}

/// A key with a value, below its meaning.
fn entry(declaration: &Declaration, value: &Value) -> String {
    let range = declaration.bounds.map_or(String::new(), |bounds| format!(" [{bounds}]"));
    let comment: String = format!("{}{range}", declaration.doc).lines().map(|line| format!("# {line}\n")).collect();
    format!("{comment}{} = {value}", declaration.split().1)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{All, Rule};
    use super::*;

    fn read(text: &str, set: &[&str]) -> Result<(All, Findings), KeyError> {
        let (mut all, mut found) = (All::default(), Findings::default());
        set_table(&mut all, &text.parse().unwrap(), &mut found)?;
        for text in set {
            set_text(&mut all, text, &mut found)?;
        }
        Ok((all, found))
    }

    #[test]
    fn tables_and_texts_set_keys() {
        let (all, found) = read("game = 'go'\n[search]\nvisits = 8", &["search.noise_share = 1", "game=7"]).unwrap();
        assert_eq!((all.game.as_str(), all.search.visits, all.search.noise.share), ("7", 8, 1.0));
        assert!(found.errors.is_empty());
        let (all, _) = read("", &["search={visits=9, rule=\"uct\"}"]).unwrap();
        assert_eq!((all.search.visits, all.search.rule), (9, Rule::Uct));
        let (all, found) = read("[search]\nvisits = 1\nnoise_share = 0.5", &["search.visits=0"]).unwrap();
        assert_eq!((all.search.visits, all.search.noise.share), (32, 0.5));
        let errors: Vec<String> = found.errors.iter().map(ToString::to_string).collect();
        assert_eq!(errors, ["search.visits must be from 2 to 1000000"; 2]);
    }

    #[test]
    fn wrong_keys_are_named_with_the_nearest() {
        let error = |text: &str, set: &[&str]| read(text, set).unwrap_err().to_string();
        assert_eq!(error("[serch]\nvisits = 1", &[]), "there is no key 'serch': did you mean search?");
        assert_eq!(error("[search]\nvisit = 1", &[]), "there is no key 'search.visit': did you mean search.visits?");
        assert_eq!(error("visits = 1", &[]), "there is no key 'visits': did you mean search.visits?");
        assert_eq!(error("zebra = 1", &[]), "there is no key 'zebra': alfil config explain lists all");
        assert_eq!(error("search = 1", &[]), "search = 1 is not valid: it is the name of a section");
        assert_eq!(error("[game]\nname = 1", &[]), "game = { name = 1 } is not valid: text is needed, such as \"nim\"");
        assert_eq!(error("", &["batch"]), "'batch' sets nothing: write KEY=VALUE, such as training.batch=128");
        // The depth and the length of a key have no bound on the command line.
        let deep = error("", &[&format!("search{}=1", ".a".repeat(60_000))]);
        assert!(deep.starts_with("there is no key 'search.a.a.a") && deep.len() < 200, "{deep}");
        let long = error("", &[&"x".repeat(60_000)]);
        assert!(long.starts_with("'xxx") && long.len() < 200, "{long}");
        assert_eq!(error("", &["search.rule=vote"]), "search.rule = \"vote\" is not valid: use uct, puct");
    }

    #[test]
    fn everything_is_explained_and_reads_back() {
        let (all, _) = read("game = \"a\\\"b\"\nfactors = [0.5, 2]", &["search.noise_share=0.1"]).unwrap();
        let text = render(&all);
        assert_eq!(read(&text, &[]).unwrap().0, all);
        assert!(text.starts_with("# A game.\n# It has a name.\ngame = 'a\"b'\n\n# Factors. [at least 0]\n"), "{text}");
        assert!(text.contains("symmetries = true\n\n[search]\n# Which rule.\nrule = \"puct\"\n\n"), "{text}");
        let visits = "# Visits per move. [from 2 to 1000000]\nvisits = 32";
        assert_eq!(explain::<All>("search.visits").as_deref(), Some(visits));
        let section = explain::<All>("search").unwrap();
        assert!(section.starts_with("[search]\n# Which rule.") && section.contains(visits), "{section}");
        assert_eq!(explain::<All>("visits"), None);
        assert_eq!(explain::<All>(""), None);
    }
}
