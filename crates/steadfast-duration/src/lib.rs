//! Parsing and formatting of durations: `500ms`, `1.5s`, `10m`, `7d`, `PT30S`, or a number of seconds.
//!
//! A separate crate, because `steadfast` and its macros both parse durations: policy files, JSON,
//! attributes and command-line flags accept the same forms. Use it as `steadfast::duration`.
//!
//! ```
//! use std::time::Duration;
//! use steadfast_duration::{format, parse};
//!
//! assert_eq!(parse("10m")?, Duration::from_secs(600));
//! assert_eq!(format(Duration::from_millis(1500)), "1.5s");
//! # Ok::<(), steadfast_duration::DurationError>(())
//! ```

mod spelling;

use std::fmt;
use std::time::Duration;

/// A text or a number that is not a duration.
///
/// ```
/// use steadfast_duration::{DurationError, from_seconds};
///
/// let error: DurationError = from_seconds(-1.0).unwrap_err();
/// assert!(error.to_string().starts_with("`-1` is not a duration: it is negative"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DurationError {
    text: String,
    reason: &'static str,
}

impl DurationError {
    fn new(text: impl fmt::Display, reason: &'static str) -> Self {
        Self { text: text.to_string(), reason }
    }
}

impl fmt::Display for DurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a duration: {}; use one such as 500ms, 1.5s, 10m, 7d or PT30S, or a number of seconds",
            self.text, self.reason
        )
    }
}

impl std::error::Error for DurationError {}

/// Parses a duration.
///
/// ```
/// use std::time::Duration;
///
/// assert_eq!(steadfast_duration::parse("1.5s"), Ok(Duration::from_millis(1500)));
/// assert_eq!(steadfast_duration::parse("7d"), Ok(Duration::from_secs(604_800)));
/// assert_eq!(steadfast_duration::parse("PT2M"), Ok(Duration::from_secs(120)));
/// assert_eq!(steadfast_duration::parse("0.25"), Ok(Duration::from_millis(250)));
/// assert!(steadfast_duration::parse("soon").is_err());
/// assert!(steadfast_duration::parse("-1s").is_err());
/// ```
///
/// # Errors
/// The text is not a duration, is negative, or is out of range.
pub fn parse(text: &str) -> Result<Duration, DurationError> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(DurationError::new(text, "it is empty"));
    }
    if let Ok(seconds) = trimmed.parse::<f64>() {
        return from_seconds(seconds);
    }
    spelling::read(trimmed).map_err(|reason| DurationError::new(text, reason))
}

/// Converts a number of seconds.
///
/// # Errors
/// The number is negative, not finite, or out of range.
pub fn from_seconds(seconds: f64) -> Result<Duration, DurationError> {
    if !seconds.is_finite() {
        return Err(DurationError::new(seconds, "it is not a finite number"));
    }
    if seconds < 0.0 {
        return Err(DurationError::new(seconds, "it is negative"));
    }
    Duration::try_from_secs_f64(seconds).map_err(|_| DurationError::new(seconds, "it is too long"))
}

/// Formats a duration in the shortest form that [`parse`] accepts.
///
/// ```
/// use std::time::Duration;
///
/// assert_eq!(steadfast_duration::format(Duration::from_millis(1500)), "1.5s");
/// assert_eq!(steadfast_duration::format(Duration::from_secs(604_800)), "7d");
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
        .map_or_else(String::new, |(unit, size)| format!("{}{unit}", nanos / size))
}

/// Formats a duration for people: rounded to milliseconds, or to microseconds below 10 ms.
///
/// ```
/// use std::time::Duration;
///
/// assert_eq!(steadfast_duration::format_rounded(Duration::from_nanos(52_022_725)), "52ms");
/// assert_eq!(steadfast_duration::format_rounded(Duration::from_nanos(59_978_654_504)), "59.979s");
/// assert_eq!(steadfast_duration::format_rounded(Duration::from_nanos(1_234_567)), "1235us");
/// ```
#[must_use]
pub fn format_rounded(duration: Duration) -> String {
    let unit: u128 = match duration {
        _ if duration < Duration::from_micros(1) => 1,
        _ if duration < Duration::from_millis(10) => 1_000,
        _ => 1_000_000,
    };
    let nanos = (duration.as_nanos() + unit / 2) / unit * unit;
    let rounded = u64::try_from(nanos).map_or(duration, Duration::from_nanos);
    format(rounded)
}

/// Whole and fractional seconds, without trailing zeros.
fn decimal_seconds(duration: Duration) -> String {
    let fraction = format!("{:09}", duration.subsec_nanos());
    match fraction.trim_end_matches('0') {
        "" => duration.as_secs().to_string(),
        digits => format!("{}.{digits}", duration.as_secs()),
    }
}
