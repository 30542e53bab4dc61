//! Serialization of faults, hints and codes.

use std::borrow::Cow;

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::{Fault, GrpcCode, Hint, Kind, RetrySignal, SqlState};
use crate::__private::{Object, serde_integer};
use crate::duration::serde_seconds::{self, DurationVisitor};

/// The fields of [`Fault`] as data. With `remote = "Self"` the derived functions would be public.
#[derive(Default, Serialize, Deserialize)]
#[serde(remote = "Fault", default, deny_unknown_fields)]
struct FaultFields {
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<Kind>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    type_name: Option<Cow<'static, str>>,
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "serde_integer::option::deserialize"
    )]
    http_status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "lenient_sqlstate")]
    sqlstate: Option<SqlState>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grpc_status: Option<GrpcCode>,
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "serde_integer::option::deserialize"
    )]
    exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<Hint>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint_source: Option<RetrySignal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    should_retry: Option<bool>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unknown_outcome: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    causes: Vec<Fault>,
}

impl Serialize for Fault {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        FaultFields::serialize(self, to)
    }
}

/// From an object only: a list of its fields is an error.
impl<'de> Deserialize<'de> for Fault {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        FaultFields::deserialize(Object(from))
    }
}

impl Serialize for SqlState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Ignores a text that is not a SQLSTATE, instead of failing (J3).
pub(super) fn lenient_sqlstate<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<SqlState>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.and_then(|text| SqlState::new(&text)))
}

impl Serialize for Hint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::After(wait) => serde_seconds::serialize(wait, serializer),
            Self::Stop => serializer.serialize_str("stop"),
        }
    }
}

impl<'de> Deserialize<'de> for Hint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(HintVisitor)
    }
}

struct HintVisitor;

impl Visitor<'_> for HintVisitor {
    type Value = Hint;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a duration or `stop`")
    }

    fn visit_f64<E: de::Error>(self, seconds: f64) -> Result<Hint, E> {
        DurationVisitor.visit_f64(seconds).map(Hint::After)
    }

    fn visit_u64<E: de::Error>(self, seconds: u64) -> Result<Hint, E> {
        DurationVisitor.visit_u64(seconds).map(Hint::After)
    }

    fn visit_i64<E: de::Error>(self, seconds: i64) -> Result<Hint, E> {
        DurationVisitor.visit_i64(seconds).map(Hint::After)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Hint, E> {
        if text == "stop" {
            return Ok(Hint::Stop);
        }
        DurationVisitor.visit_str(text).map(Hint::After)
    }
}
