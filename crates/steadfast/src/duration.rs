//! Durations as people write them: `500ms`, `1.5s`, `10m`, `7d`, `PT30S`, or a
//! bare number of seconds.
//!
//! Every boundary (policy files, JSON, attributes, command-line flags) reads
//! them here, so a spelling that works in one place works in all.

use std::fmt;
use std::time::Duration;

use jiff::{Span, SpanRelativeTo};

/// Why a text or a number is not a duration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DurationError {
    text: String,
    why: &'static str,
}

impl DurationError {
    fn new(text: impl fmt::Display, why: &'static str) -> Self {
        Self {
            text: text.to_string(),
            why,
        }
    }
}

impl fmt::Display for DurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a duration: {}; write it like 500ms, 1.5s, 10m, 7d, PT30S or a number of seconds",
            self.text, self.why
        )
    }
}

impl std::error::Error for DurationError {}

/// Reads a duration.
///
/// ```
/// use std::time::Duration;
///
/// assert_eq!(steadfast::duration::parse("1.5s"), Ok(Duration::from_millis(1500)));
/// assert_eq!(steadfast::duration::parse("7d"), Ok(Duration::from_secs(604_800)));
/// assert_eq!(steadfast::duration::parse("PT2M"), Ok(Duration::from_secs(120)));
/// assert_eq!(steadfast::duration::parse("0.25"), Ok(Duration::from_millis(250)));
/// assert!(steadfast::duration::parse("soon").is_err());
/// assert!(steadfast::duration::parse("-1s").is_err());
/// ```
///
/// # Errors
/// The text is not a duration, is negative, or is longer than fits.
pub fn parse(text: &str) -> Result<Duration, DurationError> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(DurationError::new(text, "it is empty"));
    }
    if let Ok(seconds) = trimmed.parse::<f64>() {
        return from_seconds(seconds);
    }
    let span: Span = trimmed
        .parse()
        .map_err(|_| DurationError::new(text, "it is not understood"))?;
    if span.is_negative() {
        return Err(DurationError::new(text, "it is negative"));
    }
    if span.get_years() != 0 || span.get_months() != 0 {
        return Err(DurationError::new(
            text,
            "months and years differ in length",
        ));
    }
    span.to_duration(SpanRelativeTo::days_are_24_hours())
        .ok()
        .and_then(|signed| Duration::try_from(signed).ok())
        .ok_or_else(|| DurationError::new(text, "it is too long"))
}

/// Reads a number of seconds.
///
/// # Errors
/// The number is negative, not finite, or longer than fits.
pub fn from_seconds(seconds: f64) -> Result<Duration, DurationError> {
    if !seconds.is_finite() {
        return Err(DurationError::new(seconds, "it is not a finite number"));
    }
    if seconds < 0.0 {
        return Err(DurationError::new(seconds, "it is negative"));
    }
    Duration::try_from_secs_f64(seconds).map_err(|_| DurationError::new(seconds, "it is too long"))
}

/// Writes a duration in the shortest of the forms that [`parse`] reads.
///
/// ```
/// use std::time::Duration;
///
/// assert_eq!(steadfast::duration::format(Duration::from_millis(1500)), "1.5s");
/// assert_eq!(steadfast::duration::format(Duration::from_secs(604_800)), "7d");
/// ```
#[must_use]
pub fn format(duration: Duration) -> String {
    let nanos = duration.as_nanos();
    const UNITS: [(&str, u128); 7] = [
        ("d", 86_400_000_000_000),
        ("h", 3_600_000_000_000),
        ("m", 60_000_000_000),
        ("s", 1_000_000_000),
        ("ms", 1_000_000),
        ("us", 1_000),
        ("ns", 1),
    ];
    if nanos == 0 {
        return "0s".to_owned();
    }
    if nanos > 1_000_000_000 && !nanos.is_multiple_of(60_000_000_000) {
        return format!("{}s", decimal_seconds(duration));
    }
    UNITS
        .iter()
        .find(|(_, size)| nanos.is_multiple_of(*size))
        .map_or_else(String::new, |(unit, size)| {
            format!("{}{unit}", nanos / size)
        })
}

/// Whole and fractional seconds, without trailing zeros.
fn decimal_seconds(duration: Duration) -> String {
    let fraction = format!("{:09}", duration.subsec_nanos());
    match fraction.trim_end_matches('0') {
        "" => duration.as_secs().to_string(),
        digits => format!("{}.{digits}", duration.as_secs()),
    }
}

/// For `#[serde(with = "…")]`: read in any form that [`parse`] reads or as a
/// number of seconds, written as a number of seconds.
///
/// ```
/// use std::time::Duration;
///
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct Wait {
///     #[serde(with = "steadfast::duration::serde_seconds")]
///     after: Duration,
/// }
///
/// let wait: Wait = serde_json::from_str(r#"{"after": "1m"}"#)?;
/// assert_eq!(wait.after, Duration::from_secs(60));
/// assert_eq!(serde_json::to_string(&wait)?, r#"{"after":60.0}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub mod serde_seconds {
    use std::fmt;
    use std::time::Duration;

    use serde::de::{Error, Visitor};
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes the seconds.
    ///
    /// # Errors
    /// Whatever stops the serializer.
    pub fn serialize<S: Serializer>(duration: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(duration.as_secs_f64())
    }

    /// Reads a text or a number.
    ///
    /// # Errors
    /// It is neither, or not a duration.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        Written::deserialize(from).map(|Written(duration)| duration)
    }

    /// The same for a duration that need not be there.
    pub mod option {
        use super::{Deserialize, Deserializer, Duration, Serializer, Written};

        /// Writes the seconds, or nothing.
        ///
        /// # Errors
        /// Whatever stops the serializer.
        pub fn serialize<S: Serializer>(
            duration: &Option<Duration>,
            to: S,
        ) -> Result<S::Ok, S::Error> {
            match duration {
                Some(duration) => super::serialize(duration, to),
                None => to.serialize_none(),
            }
        }

        /// Reads a text, a number or nothing.
        ///
        /// # Errors
        /// It is there and not a duration.
        pub fn deserialize<'de, D: Deserializer<'de>>(
            from: D,
        ) -> Result<Option<Duration>, D::Error> {
            let written = Option::<Written>::deserialize(from)?;
            Ok(written.map(|Written(duration)| duration))
        }
    }

    struct Written(Duration);

    impl<'de> Deserialize<'de> for Written {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            from.deserialize_any(Forms).map(Self)
        }
    }

    struct Forms;

    impl Visitor<'_> for Forms {
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
}
