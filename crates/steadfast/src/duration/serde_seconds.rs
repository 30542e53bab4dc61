//! For `#[serde(with = "…")]`: a duration read from a string or a number of seconds, and written as a
//! number of seconds.
//!
//! ```
//! use std::time::Duration;
//!
//! #[derive(serde::Serialize, serde::Deserialize)]
//! struct Wait {
//!     #[serde(with = "steadfast::duration::serde_seconds")]
//!     after: Duration,
//! }
//!
//! let wait: Wait = serde_json::from_str(r#"{"after": "1m"}"#)?;
//! assert_eq!(wait.after, Duration::from_secs(60));
//! assert_eq!(serde_json::to_string(&wait)?, r#"{"after":60.0}"#);
//! # Ok::<(), serde_json::Error>(())
//! ```

use std::fmt;
use std::time::Duration;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serializer};

/// Writes a number of seconds, or a string where a number would lose nanoseconds.
///
/// # Errors
/// The serializer fails.
pub fn serialize<S: Serializer>(duration: &Duration, to: S) -> Result<S::Ok, S::Error> {
    match exact_seconds(*duration) {
        Some(seconds) => to.serialize_f64(seconds),
        None => to.serialize_str(&super::format(*duration)),
    }
}

/// The seconds as a number, if it is exact.
pub(crate) fn exact_seconds(duration: Duration) -> Option<f64> {
    let seconds = duration.as_secs_f64();
    (Duration::try_from_secs_f64(seconds) == Ok(duration)).then_some(seconds)
}

/// Reads a string or a number.
///
/// # Errors
/// The value is not a duration.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    from.deserialize_any(DurationVisitor)
}

/// The same for an optional duration.
pub mod option {
    use super::{Deserialize, Deserializer, Duration, Serializer};

    /// Writes the seconds, or null.
    ///
    /// # Errors
    /// The serializer fails.
    pub fn serialize<S: Serializer>(duration: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
        match duration {
            Some(duration) => super::serialize(duration, to),
            None => to.serialize_none(),
        }
    }

    /// Reads a string, a number or null.
    ///
    /// # Errors
    /// The value is present and not a duration.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
        #[derive(Deserialize)]
        struct Seconds(#[serde(with = "super")] Duration);
        let seconds = Option::<Seconds>::deserialize(from)?;
        Ok(seconds.map(|Seconds(duration)| duration))
    }
}

/// Accepts every form of a duration.
pub(crate) struct DurationVisitor;

impl Visitor<'_> for DurationVisitor {
    type Value = Duration;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a duration such as 500ms, 10m or a number of seconds")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Duration, E> {
        super::parse(text).map_err(E::custom)
    }

    fn visit_f64<E: Error>(self, seconds: f64) -> Result<Duration, E> {
        super::from_seconds(seconds).map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, seconds: u64) -> Result<Duration, E> {
        Ok(Duration::from_secs(seconds))
    }

    fn visit_i64<E: Error>(self, seconds: i64) -> Result<Duration, E> {
        self.visit_f64(seconds as f64)
    }
}
