//! What is wrong with settings that depend on each other.

use std::fmt;

/// Something about a setting that is impossible, or probably not intended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its key.
    pub key: String,
    /// What is wrong, as a sentence that begins with the key.
    pub why: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.key, self.why)
    }
}

/// What checks have found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// What is impossible.
    pub errors: Vec<Finding>,
    /// What is possible but probably not intended.
    pub warnings: Vec<Finding>,
    /// The section that is being checked, with its dot.
    section: String,
}

impl Findings {
    /// Notes that the value of a setting is impossible.
    pub fn error(&mut self, key: &str, why: impl Into<String>) {
        self.errors.push(Finding { key: format!("{}{key}", self.section), why: why.into() });
    }

    /// Notes that the value of a setting is probably not intended.
    pub fn warning(&mut self, key: &str, why: impl Into<String>) {
        self.warnings.push(Finding { key: format!("{}{key}", self.section), why: why.into() });
    }

    /// Checks a section: its name is put before its keys.
    pub fn within(&mut self, section: &str, check: impl FnOnce(&mut Findings)) {
        let outside = self.section.len();
        self.section += section;
        self.section += ".";
        check(self);
        self.section.truncate(outside);
    }
}
