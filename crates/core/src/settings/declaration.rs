//! The declaration of a setting.

use std::fmt;
use std::ops::{RangeFrom, RangeInclusive};

use super::{Kind, SettingValue, Value};

/// A setting as it was declared.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// Its key, after the name of its section and a dot if it is in one.
    pub key: String,
    /// What it means, in one or several lines.
    pub doc: String,
    /// Its value unless it is set.
    pub default: Value,
    /// Which values it can have.
    pub kind: Kind,
    /// The range of a number, or of each number in a list.
    pub bounds: Option<Bounds>,
    /// Whether it cannot change after a run has begun.
    pub fixed: bool,
}

impl Declaration {
    /// The declaration of a setting outside of sections.
    pub fn new<T: SettingValue>(
        key: &str,
        doc: &[&str],
        default: &T,
        bounds: Option<Bounds>,
        fixed: bool,
    ) -> Declaration {
        let lines: Vec<&str> = doc.iter().map(|line| line.trim()).collect();
        Declaration {
            key: key.to_owned(),
            doc: lines.join("\n"),
            default: default.to_value(),
            kind: T::KIND,
            bounds,
            fixed,
        }
    }

    /// The same in a section.
    pub fn within(self, section: &str) -> Declaration {
        Declaration { key: format!("{section}.{}", self.key), ..self }
    }

    /// Its section, if it is in one, and its key there.
    pub fn split(&self) -> (&str, &str) {
        self.key.rsplit_once('.').unwrap_or(("", &self.key))
    }
}

/// The range of a number, both ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The smallest.
    pub least: f64,
    /// The largest, which may be infinite.
    pub most: f64,
}

impl Bounds {
    /// Whether a number, or every number of a list, is within the range. Other values are not.
    pub fn contain(self, value: &Value) -> bool {
        let holds = |number: f64| (self.least..=self.most).contains(&number);
        match value {
            Value::Integer(number) => holds(*number as f64),
            Value::Float(number) => holds(*number),
            Value::Array(values) => values.iter().all(|value| self.contain(value)),
            _ => false,
        }
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Bounds { least, most } = self;
        if most.is_finite() { write!(f, "from {least} to {most}") } else { write!(f, "at least {least}") }
    }
}

impl From<RangeInclusive<f64>> for Bounds {
    fn from(range: RangeInclusive<f64>) -> Bounds {
        Bounds { least: *range.start(), most: *range.end() }
    }
}

impl From<RangeInclusive<i64>> for Bounds {
    fn from(range: RangeInclusive<i64>) -> Bounds {
        Bounds { least: *range.start() as f64, most: *range.end() as f64 }
    }
}

impl From<RangeFrom<i64>> for Bounds {
    fn from(range: RangeFrom<i64>) -> Bounds {
        Bounds { least: range.start as f64, most: f64::INFINITY }
    }
}
