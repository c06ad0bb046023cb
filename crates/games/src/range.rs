//! Ranges as people write them: `1800..2000`, `1800..`, `..2000`, `1800`.

use std::fmt;
use std::str::FromStr;

/// A range, both ends included; an end that is missing is no limit.
///
/// ```
/// use alfil_games::Range;
///
/// let elo: Range<u32> = "1800..1999".parse().unwrap();
/// assert!(elo.contains(&1999) && !elo.contains(&2000));
/// assert!("1800..".parse::<Range<u32>>().unwrap().contains(&3000));
/// assert!("20..10".parse::<Range<u32>>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range<T> {
    from: Option<T>,
    to: Option<T>,
}

/// A text that is no range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a range: write FROM..TO, FROM.. or ..TO, both ends included")]
pub struct RangeError(String);

impl<T: PartialOrd> Range<T> {
    /// Whether a value is in the range.
    pub fn contains(&self, value: &T) -> bool {
        self.from.as_ref().is_none_or(|from| from <= value) && self.to.as_ref().is_none_or(|to| value <= to)
    }
}

impl Range<String> {
    /// Whether a text is in the range as far as the ends are written: `2020.05.17` is in `2019..2020`. A text that is shorter
    /// than an end is not.
    pub(crate) fn contains_prefix(&self, text: &str) -> bool {
        let compare = |end: &Option<String>, holds: fn(&str, &str) -> bool| {
            end.as_ref().is_none_or(|end| text.get(..end.len()).is_some_and(|part| holds(part, end)))
        };
        compare(&self.from, |part, from| from <= part) && compare(&self.to, |part, to| part <= to)
    }
}

impl<T: FromStr + PartialOrd + Clone> FromStr for Range<T> {
    type Err = RangeError;

    fn from_str(text: &str) -> Result<Range<T>, RangeError> {
        let wrong = || RangeError(alfil_core::wording::shorten(text));
        let end = |text: &str| match text.trim() {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| wrong()),
        };
        let range = match text.split_once("..") {
            Some((from, to)) => Range { from: end(from)?, to: end(to)? },
            None => {
                let only: Option<T> = end(text)?;
                Range { from: only.clone(), to: only }
            }
        };
        match (&range.from, &range.to) {
            (None, None) => Err(wrong()),
            (Some(from), Some(to)) if from > to => Err(wrong()),
            _ => Ok(range),
        }
    }
}

impl<T: fmt::Display> fmt::Display for Range<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = |end: &Option<T>| end.as_ref().map_or(String::new(), T::to_string);
        write!(f, "{}..{}", end(&self.from), end(&self.to))
    }
}
