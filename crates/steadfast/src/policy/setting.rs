//! The untyped value of a field, from a file, a flag or JSON, and its conversion to the field's type.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::de::IntoDeserializer;
use serde::de::value::Error;
use serde::{Deserialize, Serialize, Serializer};

use super::error::SettingError;
use crate::duration;
use crate::nearest::nearest;

/// An untyped value.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Setting {
    /// `true` or `false`.
    Bool(bool),
    /// Any number.
    Number(f64),
    /// A quoted string.
    Text(String),
    /// An unquoted string, as in YAML, a flag or an environment variable. The field decides its type,
    /// so `08` can be a rule and `8` a count.
    Word(String),
    /// A list.
    List(Vec<Setting>),
    /// A map of fields.
    Map(BTreeMap<String, Setting>),
    /// No value.
    Null,
}

/// 2⁵³: below it an `f64` represents every integer exactly.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

/// Writes a count as 5, not as 5.0.
impl Serialize for Setting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Bool(bool) => serializer.serialize_bool(*bool),
            Self::Number(number) if number.fract() == 0.0 && number.abs() < MAX_EXACT_INTEGER => {
                serializer.serialize_i64(*number as i64)
            }
            Self::Number(number) => serializer.serialize_f64(*number),
            Self::Text(text) | Self::Word(text) => serializer.serialize_str(text),
            Self::List(items) => serializer.collect_seq(items),
            Self::Map(fields) => serializer.collect_map(fields),
            Self::Null => serializer.serialize_unit(),
        }
    }
}

impl From<&str> for Setting {
    fn from(text: &str) -> Self {
        Self::Word(text.to_owned())
    }
}

impl From<bool> for Setting {
    fn from(bool: bool) -> Self {
        Self::Bool(bool)
    }
}

impl From<u32> for Setting {
    fn from(count: u32) -> Self {
        Self::Number(count.into())
    }
}

impl From<f64> for Setting {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<Duration> for Setting {
    /// A number of seconds, or a string where a number would lose nanoseconds.
    fn from(duration: Duration) -> Self {
        match duration::serde_seconds::exact_seconds(duration) {
            Some(seconds) => Self::Number(seconds),
            None => Self::Text(duration::format(duration)),
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(bool) => bool.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::Text(text) | Self::Word(text) => write!(f, "`{text}`"),
            Self::List(_) => f.write_str("a list"),
            Self::Map(_) => f.write_str("a map"),
            Self::Null => f.write_str("none"),
        }
    }
}

impl SettingError {
    /// A value that is not one of `names`.
    pub(crate) fn not_one_of(wrong: &str, names: &[&'static str]) -> Self {
        let reason = format!("`{wrong}` is not one of {}", names.join(", "));
        let suggestion = nearest(wrong, names.iter().copied()).map(str::to_owned);
        Self { suggestion, ..reason.into() }
    }
}

const COUNT: &str = "a whole number from 0 to 4294967295";

/// Conversions to the type of a field.
impl Setting {
    pub(super) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The converted value; nothing for [`Setting::Null`].
    pub(super) fn maybe<T>(
        &self,
        read: impl FnOnce(&Self) -> Result<T, SettingError>,
    ) -> Result<Option<T>, SettingError> {
        if self.is_null() { Ok(None) } else { read(self).map(Some) }
    }

    pub(super) fn bool(&self) -> Result<bool, SettingError> {
        let read = |word: &str| match word {
            "true" | "True" | "TRUE" => Some(true),
            "false" | "False" | "FALSE" => Some(false),
            _ => None,
        };
        match self {
            Self::Bool(bool) => Ok(*bool),
            Self::Word(word) => read(word).ok_or_else(|| SettingError {
                suggestion: yaml_1_1_bool(word).map(str::to_owned),
                ..self.expected("true or false")
            }),
            Self::Text(text) if read(text).is_some() => Err(quoted(text, "true or false")),
            _ => Err(self.expected("true or false")),
        }
    }

    pub(super) fn number(&self) -> Result<f64, SettingError> {
        self.number_or("a number")
    }

    pub(super) fn count(&self) -> Result<u32, SettingError> {
        let number = self.number_or(COUNT)?;
        if number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number) {
            return Ok(number as u32);
        }
        Err(self.expected(COUNT))
    }

    /// A number. The error says that `wanted` is expected, or that the number is quoted.
    fn number_or(&self, wanted: &str) -> Result<f64, SettingError> {
        match self {
            Self::Number(number) => Ok(*number),
            Self::Word(word) => word.trim().parse().map_err(|_| self.expected(wanted)),
            Self::Text(text) if text.trim().parse().is_ok_and(f64::is_finite) => {
                Err(quoted(text, "a number"))
            }
            _ => Err(self.expected(wanted)),
        }
    }

    pub(super) fn text(&self) -> Result<String, SettingError> {
        match self {
            Self::Text(text) | Self::Word(text) => Ok(text.clone()),
            Self::Number(number) => Ok(number.to_string()),
            _ => Err(self.expected("a string")),
        }
    }

    pub(super) fn duration(&self) -> Result<Duration, SettingError> {
        let read = match self {
            Self::Number(seconds) => duration::from_seconds(*seconds),
            Self::Text(text) | Self::Word(text) => duration::parse(text),
            _ => return Err(self.expected("a duration")),
        };
        read.map_err(|error| error.to_string().into())
    }

    /// A list, a single item, or comma-separated items as in a flag.
    pub(super) fn list<T>(
        &self,
        item: impl Fn(&Self) -> Result<T, SettingError>,
    ) -> Result<Vec<T>, SettingError> {
        match self {
            Self::List(items) => items.iter().map(item).collect(),
            Self::Text(text) | Self::Word(text) => {
                text.split(',').map(|part| item(&part.trim().into())).collect()
            }
            one => Ok(vec![item(one)?]),
        }
    }

    pub(super) fn map(&self) -> Result<&BTreeMap<String, Self>, SettingError> {
        match self {
            Self::Map(map) => Ok(map),
            _ => Err(self.expected("a map of fields")),
        }
    }

    /// One of `names`, deserialized as its type.
    pub(super) fn named<'de, T: Deserialize<'de>>(
        &self,
        names: &[&'static str],
    ) -> Result<T, SettingError> {
        let name = self.text()?;
        let named = IntoDeserializer::<Error>::into_deserializer(name.as_str());
        T::deserialize(named).map_err(|_| SettingError::not_one_of(&name, names))
    }

    fn expected(&self, wanted: &str) -> SettingError {
        format!("expected {wanted}, not {self}").into()
    }
}

/// A quoted value of a field that is not a string.
fn quoted(text: &str, wanted: &str) -> SettingError {
    format!("expected {wanted}, not the string `{text}`; remove the quotes").into()
}

/// The meaning of `yes` and `no` in YAML 1.1.
fn yaml_1_1_bool(word: &str) -> Option<&'static str> {
    match word.to_ascii_lowercase().as_str() {
        "yes" | "y" | "on" => Some("true"),
        "no" | "n" | "off" => Some("false"),
        _ => None,
    }
}
