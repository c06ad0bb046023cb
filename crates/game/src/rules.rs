//! The options of a game's rules, as a value that can be written and read.

use std::fmt::Debug;

use alfil_core::wording::shorten;

use crate::Game;

/// The options of a game's rules. The `Default` is the usual rules; the text is `key=value`, several with commas
/// between them. Games without options have `()`.
pub trait Rules: Clone + Debug + Default + Send + Sync + 'static {
    /// What can be chosen, for people.
    fn options() -> Vec<RuleOption> {
        Vec::new()
    }

    /// These rules with the options that `text` sets; the error completes the sentence "this is not valid for the
    /// rules: …". The text may come with a game from anywhere, so no file that it names is opened.
    fn changed(&self, text: &str) -> Result<Self, String>;

    /// As [`changed`](Rules::changed), for a text that the user typed: files that it names are opened.
    fn changed_by_user(&self, text: &str) -> Result<Self, String> {
        self.changed(text)
    }

    /// The text that gives these rules, except where games begin; empty for the usual ones.
    fn text(&self) -> String;

    /// These rules for games that another program adjudicates: without a cap on plies, if the usual one is in force and
    /// the game can do without it.
    fn uncapped(&self) -> Self {
        self.clone()
    }
}

/// An option of a game's rules, for people who choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleOption {
    /// Its name in `key=value`.
    pub key: &'static str,
    /// What it decides, in a few words.
    pub meaning: &'static str,
    /// What it can be.
    pub values: RuleValues,
}

/// What an option of the rules can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleValues {
    /// One of these; the first is the usual one.
    Words(&'static [&'static str]),
    /// A whole number.
    Number {
        /// By the usual rules.
        usual: u32,
        /// At least.
        low: u32,
        /// At most.
        high: u32,
    },
}

impl Rules for () {
    fn changed(&self, text: &str) -> Result<(), String> {
        if text.trim().is_empty() { Ok(()) } else { Err("its rules are always the same".to_owned()) }
    }

    fn text(&self) -> String {
        String::new()
    }
}

/// The rules of a game that the user typed; the usual ones if the text is empty.
///
/// ```
/// use alfil_game::{chess::Chess, connect4::Connect4, read_rules};
///
/// assert_eq!(read_rules::<Chess>("ply_cap=80").unwrap().ply_cap, 80);
/// let error = read_rules::<Connect4>("gravity=up").unwrap_err();
/// assert_eq!(error.to_string(), "'gravity=up' is not valid for the rules of connect4: its rules are always the same");
/// ```
pub fn read_rules<G: Game>(text: &str) -> Result<G::Rules, RulesError> {
    G::Rules::default().changed_by_user(text).map_err(|reason| RulesError::new::<G>(text, reason))
}

/// As [`read_rules`], for a text that came with a game from elsewhere: opens no files. What it does not name stays as in `rules`.
pub fn read_foreign_rules<G: Game>(text: &str, rules: &G::Rules) -> Result<G::Rules, RulesError> {
    rules.changed(text).map_err(|reason| RulesError::new::<G>(text, reason))
}

/// Why a text does not give rules of a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{}' is not valid for the rules of {game}: {reason}", shorten(text))]
pub struct RulesError {
    game: &'static str,
    text: String,
    reason: String,
}

impl RulesError {
    fn new<G: Game>(text: &str, reason: String) -> RulesError {
        RulesError { game: G::NAME, text: text.to_owned(), reason }
    }
}

/// The keys and values of `key=value,…`; the error is the part that has no value.
pub(crate) fn settings(text: &str) -> impl Iterator<Item = Result<(&str, &str), String>> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| match part.split_once('=') {
        Some((key, value)) => Ok((key.trim(), value.trim())),
        None => Err(format!("'{}' has no value, as in key=value", shorten(part))),
    })
}

/// The text that [`settings`] splits; empty settings are left out.
pub(crate) fn join_settings<const N: usize>(settings: [&str; N]) -> String {
    settings.into_iter().filter(|setting| !setting.is_empty()).collect::<Vec<_>>().join(",")
}

/// Reads a cap on plies.
pub(crate) fn read_ply_cap(value: &str) -> Result<u32, String> {
    let cap = value.parse().ok().filter(|cap| (1..=HIGHEST_PLY_CAP).contains(cap));
    cap.ok_or_else(|| format!("ply_cap is a number from 1 to {HIGHEST_PLY_CAP}"))
}

/// The option that [`read_ply_cap`] reads.
pub(crate) fn ply_cap_option(usual: u32) -> RuleOption {
    let values = RuleValues::Number { usual, low: 1, high: HIGHEST_PLY_CAP };
    RuleOption { key: "ply_cap", meaning: "Plies after which the game is a draw", values }
}

const HIGHEST_PLY_CAP: u32 = 100_000;

/// The setting whose value [`read_ply_cap`] reads; empty for the usual cap, and for no cap.
pub(crate) fn ply_cap_text(cap: u32, usual: u32) -> String {
    if cap == usual || cap > HIGHEST_PLY_CAP { String::new() } else { format!("ply_cap={cap}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<G: Game>() {
        let read = |text: &str| read_foreign_rules::<G>(text, &G::Rules::default());
        for RuleOption { key, values, .. } in G::Rules::options() {
            let at = |value: &str| format!("{key}={value}");
            let (usual, others, wrong) = match values {
                RuleValues::Words([usual, others @ ..]) => {
                    ((*usual).to_owned(), others.iter().map(|word| (*word).to_owned()).collect(), vec!["x".to_owned()])
                }
                RuleValues::Words([]) => panic!("{} has no values for {key}", G::NAME),
                RuleValues::Number { usual, low, high } => {
                    let wrong = low.checked_sub(1).into_iter().chain([high + 1]);
                    (usual.to_string(), vec![low.to_string(), high.to_string()], wrong.map(|n| n.to_string()).collect())
                }
            };
            assert_eq!(read(&at(&usual)).unwrap().text(), "", "{}: {}", G::NAME, at(&usual));
            assert!(others.iter().all(|other: &String| read(&at(other)).unwrap().text() == at(other)), "{others:?}");
            assert!(wrong.iter().all(|wrong| read(&at(wrong)).is_err()), "{wrong:?}");
        }
    }

    #[test]
    fn what_can_be_chosen_is_what_the_rules_read() {
        crate::for_each_game!(G => check::<G>());
    }
}
