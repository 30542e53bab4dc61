//! A value of a policy's field as it stands in a file, a flag or JSON: not yet
//! understood, but readable as what the field needs.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize, Serializer};

use crate::duration;
use crate::nearest::nearest;

/// A value not yet understood.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Setting {
    /// `true` or `false`.
    Bool(bool),
    /// Any number.
    Number(f64),
    /// A text, certainly: one in quotes.
    Text(String),
    /// A word without quotes, as in YAML, a flag or an environment variable. It is whatever
    /// the field needs, so `08` can be a rule and `8` a count.
    Word(String),
    /// A list.
    List(Vec<Setting>),
    /// Fields of their own.
    Map(BTreeMap<String, Setting>),
    /// Nothing.
    Null,
}

/// Below this every whole number is exact.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// A count is written as 5, not as 5.0.
impl Serialize for Setting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Bool(bool) => serializer.serialize_bool(*bool),
            Self::Number(number) if number.fract() == 0.0 && number.abs() < WHOLE => {
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
            Self::Text(text) | Self::Word(text) => write!(f, "`{text}`"),
            Self::List(_) => f.write_str("a list"),
            Self::Map(_) => f.write_str("a map"),
            Self::Null => f.write_str("nothing"),
        }
    }
}

/// Why a value is not what a field needs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refusal {
    pub(crate) why: String,
    /// What was probably meant.
    pub(crate) near: Option<String>,
    /// Whether it is the name of the field that is wrong, not its value.
    pub(crate) of_name: bool,
}

impl From<String> for Refusal {
    fn from(why: String) -> Self {
        Self { why, near: None, of_name: false }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.near {
            Some(near) => write!(f, "{}; did you mean {near}?", self.why),
            None => self.why.fmt(f),
        }
    }
}

impl Refusal {
    /// Not one of a few names.
    pub(crate) fn none_of(wrong: &str, names: &[&'static str]) -> Self {
        let why = format!("`{wrong}` is none of {}", names.join(", "));
        let near = nearest(wrong, names.iter().copied()).map(str::to_owned);
        Self { near, ..why.into() }
    }
}

/// Reading as what a field needs.
impl Setting {
    pub(super) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// What is read, or nothing if there is nothing.
    pub(super) fn maybe<T>(
        &self,
        read: impl FnOnce(&Self) -> Result<T, Refusal>,
    ) -> Result<Option<T>, Refusal> {
        if self.is_null() { Ok(None) } else { read(self).map(Some) }
    }

    pub(super) fn bool(&self) -> Result<bool, Refusal> {
        let read = |word: &str| match word {
            "true" | "True" | "TRUE" => Some(true),
            "false" | "False" | "FALSE" => Some(false),
            _ => None,
        };
        match self {
            Self::Bool(bool) => Ok(*bool),
            Self::Word(word) => read(word).ok_or_else(|| Refusal {
                near: says_yes_or_no(word).map(str::to_owned),
                ..self.not("neither true nor false")
            }),
            Self::Text(text) if read(text).is_some() => Err(quoted(text, "true or false")),
            _ => Err(self.not("neither true nor false")),
        }
    }

    pub(super) fn number(&self) -> Result<f64, Refusal> {
        match self {
            Self::Number(number) => Ok(*number),
            Self::Word(word) => word.trim().parse().map_err(|_| self.not("not a number")),
            Self::Text(text) if text.trim().parse().is_ok_and(f64::is_finite) => {
                Err(quoted(text, "a number"))
            }
            _ => Err(self.not("not a number")),
        }
    }

    pub(super) fn count(&self) -> Result<u32, Refusal> {
        let whole = |number: f64| {
            let fits = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
            fits.then_some(number as u32)
        };
        match self.number() {
            Ok(number) => whole(number),
            Err(refusal) if refusal.near.is_some() => return Err(refusal),
            Err(_) => None,
        }
        .ok_or_else(|| self.not(&format!("not a whole number from 0 to {}", u32::MAX)))
    }

    pub(super) fn text(&self) -> Result<String, Refusal> {
        match self {
            Self::Text(text) | Self::Word(text) => Ok(text.clone()),
            Self::Number(number) => Ok(number.to_string()),
            _ => Err(self.not("not a text")),
        }
    }

    pub(super) fn duration(&self) -> Result<Duration, Refusal> {
        let read = match self {
            Self::Number(seconds) => duration::from_seconds(*seconds),
            Self::Text(text) | Self::Word(text) => duration::parse(text),
            _ => return Err(self.not("not a duration")),
        };
        read.map_err(|why| why.to_string().into())
    }

    /// A list, or one item alone, or items separated by commas as a flag has them.
    pub(super) fn list<T>(
        &self,
        item: impl Fn(&Self) -> Result<T, Refusal>,
    ) -> Result<Vec<T>, Refusal> {
        match self {
            Self::List(items) => items.iter().map(item).collect(),
            Self::Text(text) | Self::Word(text) => {
                text.split(',').map(|part| item(&part.trim().into())).collect()
            }
            one => Ok(vec![item(one)?]),
        }
    }

    pub(super) fn map(&self) -> Result<&BTreeMap<String, Self>, Refusal> {
        match self {
            Self::Map(map) => Ok(map),
            _ => Err(self.not("not a map of fields")),
        }
    }

    /// One of a few names, as its own type reads it.
    pub(super) fn named<T: DeserializeOwned>(&self, names: &[&'static str]) -> Result<T, Refusal> {
        let name = self.text()?;
        serde_json::from_value(name.as_str().into()).map_err(|_| Refusal::none_of(&name, names))
    }

    fn not(&self, wanted: &str) -> Refusal {
        format!("{self} is {wanted}").into()
    }
}

/// A text that would do, were it not one.
fn quoted(text: &str, wanted: &str) -> Refusal {
    let near = Some(format!("{text} without quotes"));
    Refusal { near, ..format!("`{text}` is a text, not {wanted}").into() }
}

/// What older YAML took for a truth value.
fn says_yes_or_no(word: &str) -> Option<&'static str> {
    match word.to_ascii_lowercase().as_str() {
        "yes" | "y" | "on" => Some("true"),
        "no" | "n" | "off" => Some("false"),
        _ => None,
    }
}
