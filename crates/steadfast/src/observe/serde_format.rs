//! How records are written: times in RFC 3339, durations as numbers of seconds.
//!
//! A record is read by programs of all languages, so a duration is always a
//! number here, unlike in a policy, which people write.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Derives reading and writing with `#[serde(remote = "Self")]`, then refuses what is
/// read but breaks a rule.
macro_rules! read_only_if_valid {
    ($record:ty) => {
        impl serde::Serialize for $record {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                Self::serialize(self, to)
            }
        }

        impl<'de> serde::Deserialize<'de> for $record {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let record = Self::deserialize(from)?;
                record.validate().map_err(serde::de::Error::custom)?;
                Ok(record)
            }
        }
    };
}
pub(super) use read_only_if_valid;

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
        // The longest wait that can be asked for is written as the next number that there is.
        if seconds >= u64::MAX as f64 {
            return Ok(Duration::MAX);
        }
        duration::from_seconds(seconds).map_err(serde::de::Error::custom)
    }
}

/// A point in time. At least milliseconds are written, and more only if there are more.
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
        let refuse = |_| format!("`{text}` is not a time such as 2026-01-29T12:00:00Z");
        text.parse().map_err(refuse).map_err(serde::de::Error::custom)
    }
}

/// The same forms for what need not be there.
macro_rules! optional {
    ($name:ident, $form:literal, $value:ty) => {
        pub(super) mod $name {
            use super::{Deserialize, Deserializer, Serialize, Serializer};

            #[derive(Serialize, Deserialize)]
            struct Written(#[serde(with = $form)] $value);

            pub(crate) fn serialize<S: Serializer>(
                value: &Option<$value>,
                to: S,
            ) -> Result<S::Ok, S::Error> {
                value.map(Written).serialize(to)
            }

            pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
                from: D,
            ) -> Result<Option<$value>, D::Error> {
                let written = Option::<Written>::deserialize(from)?;
                Ok(written.map(|Written(value)| value))
            }
        }
    };
}

optional!(maybe_seconds, "super::seconds", std::time::Duration);
optional!(maybe_time, "super::time", jiff::Timestamp);
