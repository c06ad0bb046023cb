//! The kinds of values that settings can have.

use std::fmt;

use super::{Bounds, SettingError, Value};

/// What values a setting can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number.
    Whole,
    /// A number.
    Number,
    /// True or false.
    Switch,
    /// Text.
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A list of whole numbers.
    Wholes,
    /// A list of numbers.
    Numbers,
    /// A list of texts.
    Texts,
}

impl Kind {
    /// Whether the value has the TOML type of this kind.
    fn fits(self, value: &Value) -> bool {
        match self {
            Kind::Whole => value.is_integer(),
            Kind::Number => value.is_integer() || value.is_float(),
            Kind::Switch => value.is_bool(),
            Kind::Text | Kind::Choice(_) => value.is_str(),
            Kind::Wholes => value.as_array().is_some_and(|list| list.iter().all(|value| Kind::Whole.fits(value))),
            Kind::Numbers => value.as_array().is_some_and(|list| list.iter().all(|value| Kind::Number.fits(value))),
            Kind::Texts => value.as_array().is_some_and(|list| list.iter().all(|value| Kind::Text.fits(value))),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Whole => "a whole number",
            Kind::Number => "a number",
            Kind::Switch => "true or false",
            Kind::Text | Kind::Choice(_) => "text",
            Kind::Wholes => "a list of whole numbers",
            Kind::Numbers => "a list of numbers",
            Kind::Texts => "a list of texts",
        })
    }
}

/// A type that a setting can have.
pub trait SettingValue: Sized {
    /// Which values it can have.
    const KIND: Kind;

    /// From a value, if it can be one of this type.
    fn from_value(value: &Value) -> Option<Self>;

    /// As a value.
    fn to_value(&self) -> Value;
}

/// Reads a value within bounds; `example` shows one that is possible.
pub fn read<T: SettingValue>(
    value: &Value,
    bounds: Option<Bounds>,
    example: impl Fn() -> T,
) -> Result<T, SettingError> {
    let read = T::from_value(value).ok_or_else(|| {
        SettingError::Kind(match T::KIND {
            kind if !kind.fits(value) => format!("{kind} is needed, such as {}", example().to_value()),
            Kind::Choice(choices) => format!("use {}", choices.join(", ")),
            _ => "it is too small or too large".to_owned(),
        })
    })?;
    match bounds {
        Some(bounds) if !bounds.contain(value) => Err(SettingError::Range(format!("must be {bounds}"))),
        _ => Ok(read),
    }
}

macro_rules! whole_numbers {
    ($($type:ty),+) => {
        $(impl SettingValue for $type {
            const KIND: Kind = Kind::Whole;

            fn from_value(value: &Value) -> Option<$type> {
                <$type>::try_from(value.as_integer()?).ok()
            }

            fn to_value(&self) -> Value {
                // TOML has no larger numbers.
                Value::Integer(i64::try_from(*self).unwrap_or(i64::MAX))
            }
        })+
    };
}

whole_numbers!(i32, u32, u64, usize);

impl SettingValue for f64 {
    const KIND: Kind = Kind::Number;

    /// A whole number may stand for one with a fraction.
    fn from_value(value: &Value) -> Option<f64> {
        let number = value.as_float().or_else(|| Some(value.as_integer()? as f64))?;
        number.is_finite().then_some(number)
    }

    fn to_value(&self) -> Value {
        Value::Float(*self)
    }
}

impl SettingValue for f32 {
    const KIND: Kind = Kind::Number;

    fn from_value(value: &Value) -> Option<f32> {
        Some(f64::from_value(value)? as f32)
    }

    /// The shortest decimal that reads back as the same number: 0.3 rather than 0.30000001192092896.
    fn to_value(&self) -> Value {
        Value::Float(self.to_string().parse().unwrap_or_else(|_| f64::from(*self)))
    }
}

impl SettingValue for bool {
    const KIND: Kind = Kind::Switch;

    fn from_value(value: &Value) -> Option<bool> {
        value.as_bool()
    }

    fn to_value(&self) -> Value {
        Value::Boolean(*self)
    }
}

impl SettingValue for String {
    const KIND: Kind = Kind::Text;

    fn from_value(value: &Value) -> Option<String> {
        value.as_str().map(str::to_owned)
    }

    fn to_value(&self) -> Value {
        Value::String(self.clone())
    }
}

macro_rules! lists {
    ($($type:ty: $kind:ident),+) => {
        $(impl SettingValue for Vec<$type> {
            const KIND: Kind = Kind::$kind;

            fn from_value(value: &Value) -> Option<Vec<$type>> {
                value.as_array()?.iter().map(<$type>::from_value).collect()
            }

            fn to_value(&self) -> Value {
                Value::Array(self.iter().map(<$type>::to_value).collect())
            }
        })+
    };
}

lists!(u64: Wholes, f64: Numbers, String: Texts);

#[cfg(test)]
mod tests {
    use super::super::tests::Rule;
    use super::*;

    #[test]
    fn errors_say_what_can_be_read() {
        fn why<T: SettingValue + std::fmt::Debug>(value: impl Into<Value>, example: T) -> String {
            let example = example.to_value();
            let again = || T::from_value(&example).unwrap();
            read(&value.into(), Some(Bounds::from(0..=9)), again).unwrap_err().to_string()
        }
        assert_eq!(why("many", 256u32), "a whole number is needed, such as 256");
        assert_eq!(why(1.5, 256u32), "a whole number is needed, such as 256");
        assert_eq!(why(-1, 1u64), "it is too small or too large");
        assert_eq!(why(1i64 << 40, 1u32), "it is too small or too large");
        assert_eq!(why(10, 1u32), "must be from 0 to 9");
        assert_eq!(why(f64::NAN, 0.5), "it is too small or too large");
        assert_eq!(why("yes", true), "true or false is needed, such as true");
        assert_eq!(why("alphabeta", Rule::Uct), "use uct, puct");
        assert_eq!(why(1, Rule::Uct), "text is needed, such as \"uct\"");
        assert_eq!(why(vec![1, 10], Vec::<f64>::new()), "must be from 0 to 9");
        assert_eq!(why(vec!["a"], vec![0.5]), "a list of numbers is needed, such as [0.5]");
    }

    #[test]
    fn numbers_are_written_as_they_were_read() {
        assert_eq!(0.3f32.to_value().to_string(), "0.3");
        assert_eq!(f32::from_value(&Value::Float(0.3)), Some(0.3));
        assert_eq!(f64::from_value(&Value::Integer(2)), Some(2.0));
        assert_eq!(1.0f32.to_value().to_string(), "1.0");
    }
}
