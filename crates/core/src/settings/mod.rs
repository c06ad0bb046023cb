//! Settings that are declared once.
//!
//! [`settings!`](crate::settings!) declares a struct whose fields have a meaning (the doc comment), a default and a range, in the
//! file of the concept that they belong to. From the declaration follow the struct that the code uses, its `Default`, and the
//! [`Settings`] trait: reading and writing every setting by its key, checked. Structs nest: a field without a default is a group
//! of settings, with a key of its own a section. Configuration files, `--set`, flags, explanations and resolved configurations are
//! all made from [`Settings::declarations`].

mod declaration;
mod findings;
mod text;
mod value;

pub use declaration::{Bounds, Declaration};
pub use findings::{Finding, Findings};
pub use text::{KeyError, explain, nearest, render, set_table, set_text};
pub use toml::{Table, Value};
pub use value::{Kind, SettingValue, read};

/// A group of settings with their keys. Implemented by [`settings!`](crate::settings!).
pub trait Settings: Default {
    /// All settings in the order in which they are explained, those of groups and sections included.
    fn declarations() -> Vec<Declaration>;

    /// The value of a key.
    fn get(&self, key: &str) -> Option<Value>;

    /// Sets a key to a value of its kind within its range, or leaves it as it is.
    fn set(&mut self, key: &str, value: &Value) -> Result<(), SettingError>;

    /// What is wrong with settings that depend on each other.
    fn check(&self, found: &mut Findings);
}

/// Why a setting cannot have a value. The caller knows the key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// There is no such key.
    #[error("there is no such key")]
    Unknown,
    /// The value is of the wrong kind.
    #[error("{0}")]
    Kind(String),
    /// The value is out of its range.
    #[error("{0}")]
    Range(String),
}

/// Declares a struct of settings.
///
/// A field is `name: type = default`, then `in` its range, if it has one, `key` and the key if it differs from the
/// field's name, and `fixed = true` if it cannot change after a run has begun. Its doc comment is what `alfil config
/// explain` shows. A field without a default is a struct of settings itself: its keys join those of this one or, where
/// it has a `key`, make up a section. `check` names a function that looks at settings that depend on each other.
///
/// ```
/// use alfil_core::settings::{Findings, Settings, Value};
///
/// alfil_core::settings! {
///     /// How moves are drawn.
///     pub struct Temperature {
///         /// The temperature of the first plies.
///         pub first: f32 = 1.0, in 0.0..=10.0, key "temperature";
///         /// How many plies those are.
///         pub plies: u32 = 30, key "temperature_plies";
///     }
///     check Temperature::check;
/// }
///
/// impl Temperature {
///     fn check(&self, found: &mut Findings) {
///         if self.first > 0.0 && self.plies == 0 {
///             found.warning("temperature", "has no plies");
///         }
///     }
/// }
///
/// let mut temperature = Temperature::default();
/// temperature.set("temperature_plies", &Value::Integer(8)).unwrap();
/// assert_eq!(temperature.plies, 8);
/// let error = temperature.set("temperature", &Value::Integer(11)).unwrap_err();
/// assert_eq!(error.to_string(), "must be from 0 to 10");
/// assert_eq!(Temperature::declarations()[0].doc, "The temperature of the first plies.");
/// ```
#[macro_export]
macro_rules! settings {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident {
            $(
                $(#[doc = $doc:literal])*
                $field_visibility:vis $field:ident: $type:ty $(= $default:expr)?
                $(, in $range:expr)? $(, key $key:literal)? $(, fixed = $fixed:literal)?;
            )*
        }
        $(check $check:path;)?
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, PartialEq)]
        $visibility struct $name {
            $($(#[doc = $doc])* $field_visibility $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $crate::__setting!(@default [$type] [$($default)?]),)* }
            }
        }

        impl $crate::settings::Settings for $name {
            #[allow(clippy::vec_init_then_push)]
            fn declarations() -> Vec<$crate::settings::Declaration> {
                let default = Self::default();
                let mut all = Vec::new();
                $($crate::__setting!(
                    @declare all default $field [$type] [$($default)?] [$($range)?] [$($key)?] [$($fixed)?] [$($doc),*]
                );)*
                all
            }

            fn get(&self, key: &str) -> Option<$crate::settings::Value> {
                $($crate::__setting!(@get self key $field [$($default)?] [$($key)?]);)*
                None
            }

            fn set(
                &mut self,
                key: &str,
                value: &$crate::settings::Value,
            ) -> Result<(), $crate::settings::SettingError> {
                $($crate::__setting!(@set self key value $field [$($default)?] [$($range)?] [$($key)?]);)*
                Err($crate::settings::SettingError::Unknown)
            }

            #[allow(unused_variables)]
            fn check(&self, found: &mut $crate::settings::Findings) {
                $($crate::__setting!(@check self found $field [$($default)?] [$($key)?]);)*
                $($check(self, found);)?
            }
        }
    };
}

/// What [`settings!`](crate::settings!) makes of one field.
#[doc(hidden)]
#[macro_export]
macro_rules! __setting {
    (@default [$type:ty] []) => { <$type>::default() };
    (@default [$type:ty] [$default:expr]) => { $default };

    (@key $field:ident []) => { stringify!($field) };
    (@key $field:ident [$key:literal]) => { $key };

    (@bounds []) => { None };
    (@bounds [$range:expr]) => { Some($crate::settings::Bounds::from($range)) };

    (@declare $all:ident $owner:ident $field:ident [$type:ty] [] [] [] [] [$($doc:literal),*]) => {
        $all.extend(<$type as $crate::settings::Settings>::declarations())
    };
    (@declare $all:ident $owner:ident $field:ident [$type:ty] [] [] [$key:literal] [] [$($doc:literal),*]) => {
        let inner = <$type as $crate::settings::Settings>::declarations();
        $all.extend(inner.into_iter().map(|declaration| declaration.within($key)))
    };
    (
        @declare $all:ident $owner:ident $field:ident [$type:ty] [$default:expr] [$($range:expr)?] [$($key:literal)?]
        [$($fixed:literal)?] [$($doc:literal),*]
    ) => {
        $all.push($crate::settings::Declaration::new(
            $crate::__setting!(@key $field [$($key)?]),
            &[$($doc),*],
            &$owner.$field,
            $crate::__setting!(@bounds [$($range)?]),
            false $(|| $fixed)?,
        ))
    };

    (@get $self:ident $wanted:ident $field:ident [] []) => {
        if let Some(value) = $crate::settings::Settings::get(&$self.$field, $wanted) {
            return Some(value);
        }
    };
    (@get $self:ident $wanted:ident $field:ident [] [$key:literal]) => {
        if let Some(key) = $wanted.strip_prefix(concat!($key, ".")) {
            return $crate::settings::Settings::get(&$self.$field, key);
        }
    };
    (@get $self:ident $wanted:ident $field:ident [$default:expr] [$($key:literal)?]) => {
        if $wanted == $crate::__setting!(@key $field [$($key)?]) {
            return Some($crate::settings::SettingValue::to_value(&$self.$field));
        }
    };

    (@set $self:ident $wanted:ident $value:ident $field:ident [] [] []) => {
        match $crate::settings::Settings::set(&mut $self.$field, $wanted, $value) {
            Err($crate::settings::SettingError::Unknown) => {}
            done => return done,
        }
    };
    (@set $self:ident $wanted:ident $value:ident $field:ident [] [] [$key:literal]) => {
        if let Some(key) = $wanted.strip_prefix(concat!($key, ".")) {
            return $crate::settings::Settings::set(&mut $self.$field, key, $value);
        }
    };
    (@set $self:ident $wanted:ident $value:ident $field:ident [$default:expr] [$($range:expr)?] [$($key:literal)?]) => {
        if $wanted == $crate::__setting!(@key $field [$($key)?]) {
            let bounds = $crate::__setting!(@bounds [$($range)?]);
            $self.$field = $crate::settings::read($value, bounds, || Self::default().$field)?;
            return Ok(());
        }
    };

    (@check $self:ident $found:ident $field:ident [] []) => {
        $crate::settings::Settings::check(&$self.$field, $found)
    };
    (@check $self:ident $found:ident $field:ident [] [$key:literal]) => {
        $found.within($key, |found| $crate::settings::Settings::check(&$self.$field, found))
    };
    (@check $self:ident $found:ident $field:ident [$default:expr] [$($key:literal)?]) => {};
}

/// Declares an enum whose variants are the choices of a setting, each with its text.
///
/// ```
/// use alfil_core::settings::{SettingValue, Value};
///
/// alfil_core::choices! {
///     /// How a learning rate changes.
///     pub enum Decay {
///         /// It stays.
///         Constant = "constant",
///         /// It falls along half a cosine.
///         Cosine = "cosine",
///     }
/// }
///
/// assert_eq!(Decay::from_value(&Value::from("cosine")), Some(Decay::Cosine));
/// ```
#[macro_export]
macro_rules! choices {
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $name:ident { $($(#[$about:meta])* $variant:ident = $text:literal),+ $(,)? }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $visibility enum $name {
            $($(#[$about])* $variant,)+
        }

        impl $crate::settings::SettingValue for $name {
            const KIND: $crate::settings::Kind = $crate::settings::Kind::Choice(&[$($text),+]);

            fn from_value(value: &$crate::settings::Value) -> Option<Self> {
                match value.as_str()? {
                    $($text => Some(Self::$variant),)+
                    _ => None,
                }
            }

            fn to_value(&self) -> $crate::settings::Value {
                $crate::settings::Value::from(match self {
                    $(Self::$variant => $text,)+
                })
            }
        }
    };
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    choices! {
        pub enum Rule {
            Uct = "uct",
            Puct = "puct",
        }
    }

    settings! {
        /// A group.
        pub struct Noise {
            /// The share of the noise.
            pub share: f32 = 0.3, in 0.0..=1.0, key "noise_share";
        }
    }

    settings! {
        /// A section.
        pub struct Search {
            /// Which rule.
            pub rule: Rule = Rule::Puct;
            /// Visits per move.
            pub visits: u32 = 32, in 2..=1_000_000;
            pub noise: Noise;
        }
        check Search::check;
    }

    impl Search {
        fn check(&self, found: &mut Findings) {
            if self.visits < 10 && self.noise.share > 0.5 {
                found.error("noise_share", "is too much for so few visits");
            }
        }
    }

    settings! {
        /// Everything.
        pub struct All {
            /// A game.
            /// It has a name.
            pub game: String = "nim".to_owned(), fixed = true;
            /// Factors.
            pub factors: Vec<f64> = Vec::new(), in 0..;
            /// A switch.
            pub symmetries: bool = true;
            pub search: Search, key "search";
        }
    }

    #[test]
    fn keys_reach_into_groups_and_sections() {
        let keys: Vec<String> = All::declarations().into_iter().map(|declaration| declaration.key).collect();
        assert_eq!(keys, ["game", "factors", "symmetries", "search.rule", "search.visits", "search.noise_share"]);
        let mut all = All::default();
        for declaration in All::declarations() {
            assert_eq!(all.get(&declaration.key), Some(declaration.default.clone()), "{declaration:?}");
            assert_eq!(all.set(&declaration.key, &declaration.default), Ok(()), "{declaration:?}");
        }
        assert_eq!(all, All::default());
        all.set("search.noise_share", &Value::Float(0.25)).unwrap();
        all.set("search.rule", &Value::from("uct")).unwrap();
        assert_eq!((all.search.noise.share, all.search.rule), (0.25, Rule::Uct));
        for unknown in ["noise_share", "search", "search.game", "search.noise.share", ""] {
            assert_eq!(all.get(unknown), None, "{unknown}");
            assert_eq!(all.set(unknown, &Value::Integer(1)), Err(SettingError::Unknown), "{unknown}");
        }
        assert!(All::declarations().iter().all(|declaration| declaration.fixed == (declaration.key == "game")));
    }

    #[test]
    fn checks_name_keys_with_their_sections() {
        let mut all = All::default();
        (all.search.visits, all.search.noise.share) = (4, 0.75);
        let mut found = Findings::default();
        all.check(&mut found);
        let errors: Vec<String> = found.errors.iter().map(Finding::to_string).collect();
        assert_eq!(errors, ["search.noise_share is too much for so few visits"]);
    }
}
