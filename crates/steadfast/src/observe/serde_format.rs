//! Serde formats of records: times in RFC 3339, durations as seconds.
//!
//! Programs in any language read records, so a duration is a number here, unlike in a policy.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::SessionId;

/// Implements serde by a struct with `#[serde(remote = …)]`, with validation on deserialization.
macro_rules! deserialize_validated {
    ($record:ty, $fields:ty) => {
        impl serde::Serialize for $record {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                <$fields>::serialize(self, to)
            }
        }

        impl<'de> serde::Deserialize<'de> for $record {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let record = <$fields>::deserialize(from)?;
                record.validate().map_err(serde::de::Error::custom)?;
                Ok(record)
            }
        }
    };
}
pub(super) use deserialize_validated;

/// A duration as a number of seconds.
pub(super) mod seconds {
    use std::time::Duration;

    use super::{Deserialize, Deserializer, Serializer};
    use crate::duration;

    pub(crate) fn serialize<S: Serializer>(length: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(length.as_secs_f64())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        let seconds = f64::deserialize(from)?;
        // The maximum duration serializes as the next representable number.
        if seconds >= u64::MAX as f64 {
            return Ok(Duration::MAX);
        }
        duration::from_seconds(seconds).map_err(serde::de::Error::custom)
    }
}

/// A timestamp, with milliseconds, or more digits if it has them.
pub(crate) mod time {
    use jiff::Timestamp;
    use jiff::fmt::temporal::DateTimePrinter;

    use super::{Deserialize, Deserializer, Serializer};

    const TO_MILLIS: DateTimePrinter = DateTimePrinter::new().precision(Some(3));

    pub(crate) fn serialize<S: Serializer>(at: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
        if at.subsec_nanosecond() % 1_000_000 == 0 {
            return to.serialize_str(&TO_MILLIS.timestamp_to_string(at));
        }
        to.collect_str(at)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
        let text = String::deserialize(from)?;
        let invalid = |_| format!("`{text}` is not a time such as 2026-01-29T12:00:00Z");
        text.parse().map_err(invalid).map_err(serde::de::Error::custom)
    }
}

/// The same formats for optional values.
macro_rules! optional {
    ($name:ident, $form:literal, $value:ty) => {
        pub(super) mod $name {
            use super::{Deserialize, Deserializer, Serialize, Serializer};

            #[derive(Serialize, Deserialize)]
            struct Wrapper(#[serde(with = $form)] $value);

            pub(crate) fn serialize<S: Serializer>(
                value: &Option<$value>,
                to: S,
            ) -> Result<S::Ok, S::Error> {
                value.map(Wrapper).serialize(to)
            }

            pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
                from: D,
            ) -> Result<Option<$value>, D::Error> {
                let wrapper = Option::<Wrapper>::deserialize(from)?;
                Ok(wrapper.map(|Wrapper(value)| value))
            }
        }
    };
}

optional!(maybe_seconds, "super::seconds", std::time::Duration);
optional!(maybe_time, "super::time", jiff::Timestamp);

impl Serialize for SessionId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SessionId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}
