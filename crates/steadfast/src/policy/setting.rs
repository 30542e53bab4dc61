//! A value of a policy's field as it stands in a file, a flag or JSON: not yet
//! understood, but readable as what the field needs.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::duration;

/// Below this every whole number is exact.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// A value not yet understood.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Setting {
    /// `true` or `false`.
    Bool(bool),
    /// Any number.
    Number(f64),
    /// Any text.
    Text(String),
    /// A list.
    List(Vec<Setting>),
    /// Fields of their own.
    Map(BTreeMap<String, Setting>),
    /// Nothing.
    Null,
}

impl From<&str> for Setting {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Duration> for Setting {
    /// A number of seconds, or the exact text where a number would lose nanoseconds.
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
            Self::Text(text) => write!(f, "`{text}`"),
            Self::List(_) => f.write_str("a list"),
            Self::Map(_) => f.write_str("a map"),
            Self::Null => f.write_str("nothing"),
        }
    }
}

/// Reading as what a field needs; the error says why not.
impl Setting {
    pub(super) fn bool(&self) -> Result<bool, String> {
        match self {
            Self::Bool(bool) => Ok(*bool),
            Self::Text(text) if text == "true" => Ok(true),
            Self::Text(text) if text == "false" => Ok(false),
            _ => Err(format!("{self} is neither true nor false")),
        }
    }

    pub(super) fn number(&self) -> Result<f64, String> {
        let number = match self {
            Self::Number(number) => Some(*number),
            Self::Text(text) => text.trim().parse().ok(),
            _ => None,
        };
        number.ok_or_else(|| format!("{self} is not a number"))
    }

    pub(super) fn count(&self) -> Result<u32, String> {
        match self.number() {
            Ok(number)
                if number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number) =>
            {
                Ok(number as u32)
            }
            _ => Err(format!("{self} is not a whole number from 0 to {}", u32::MAX)),
        }
    }

    pub(super) fn text(&self) -> Result<String, String> {
        match self {
            Self::Text(text) => Ok(text.clone()),
            Self::Number(number) => Ok(number.to_string()),
            _ => Err(format!("{self} is not a text")),
        }
    }

    pub(super) fn duration(&self) -> Result<Duration, String> {
        match self {
            Self::Number(seconds) => duration::from_seconds(*seconds),
            Self::Text(text) => duration::parse(text),
            _ => return Err(format!("{self} is not a duration")),
        }
        .map_err(|why| why.to_string())
    }

    /// A list, or one item alone, or items separated by commas as a flag has them.
    pub(super) fn list<T>(
        &self,
        item: impl Fn(&Self) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        match self {
            Self::List(items) => items.iter().map(item).collect(),
            Self::Text(text) => text.split(',').map(|part| item(&part.into())).collect(),
            one => Ok(vec![item(one)?]),
        }
    }

    pub(super) fn map(&self) -> Result<&BTreeMap<String, Self>, String> {
        match self {
            Self::Map(map) => Ok(map),
            _ => Err(format!("{self} is not a map of fields")),
        }
    }

    /// A name from a fixed set, or a structure, as its own type reads it.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, String> {
        serde_json::from_value(self.json()).map_err(|why| why.to_string())
    }

    /// The same as JSON, where a count is not the number 5.0 but 5.
    fn json(&self) -> serde_json::Value {
        match self {
            Self::Bool(bool) => (*bool).into(),
            Self::Number(number) if number.fract() == 0.0 && number.abs() < WHOLE => {
                (*number as i64).into()
            }
            Self::Number(number) => (*number).into(),
            Self::Text(text) => text.as_str().into(),
            Self::List(items) => items.iter().map(Self::json).collect(),
            Self::Map(map) => map.iter().map(|(key, value)| (key.clone(), value.json())).collect(),
            Self::Null => serde_json::Value::Null,
        }
    }
}
