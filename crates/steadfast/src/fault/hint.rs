//! Retry hints of the other side, such as `Retry-After`.

use std::time::{Duration, SystemTime};

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::duration::serde_seconds::{self, DurationVisitor};

/// The other side's request: retry later, or not at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hint {
    /// Retry after this wait.
    After(Duration),
    /// Do not retry.
    Stop,
}

impl Hint {
    /// Parses an HTTP `Retry-After`: seconds or a date. A date in the past means now; an invalid value
    /// is no hint; a number that is too large is the longest wait (J6).
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    /// use steadfast::Hint;
    ///
    /// let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
    /// assert_eq!(Hint::retry_after("120", now), Some(Hint::After(Duration::from_secs(120))));
    /// let date = "Sun, 06 Nov 1994 08:49:47 GMT";
    /// assert_eq!(Hint::retry_after(date, now), Some(Hint::After(Duration::from_secs(10))));
    /// assert_eq!(Hint::retry_after("soon", now), None);
    /// ```
    #[must_use]
    pub fn retry_after(value: &str, now: SystemTime) -> Option<Self> {
        let value = value.trim();
        if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
            let seconds = value.parse().unwrap_or(u64::MAX);
            return Some(Self::After(Duration::from_secs(seconds)));
        }
        let date = httpdate::parse_http_date(value).ok()?;
        Some(Self::After(date.duration_since(now).unwrap_or_default()))
    }

    /// Parses gRPC's `grpc-retry-pushback-ms`: a negative or invalid value means stop (J6).
    ///
    /// ```
    /// use std::time::Duration;
    /// use steadfast::Hint;
    ///
    /// assert_eq!(Hint::grpc_pushback("250"), Hint::After(Duration::from_millis(250)));
    /// assert_eq!(Hint::grpc_pushback("-1"), Hint::Stop);
    /// ```
    #[must_use]
    pub fn grpc_pushback(value: &str) -> Self {
        match value.trim().parse() {
            Ok(millis) => Self::After(Duration::from_millis(millis)),
            Err(_) => Self::Stop,
        }
    }
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
