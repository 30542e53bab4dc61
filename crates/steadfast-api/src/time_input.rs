//! Times as input: absolute (`2026-07-01T08:00:00Z`), or relative to now (`2h`).
//!
//! A relative time is added to the store's clock, so it means the same on every machine (D4). For
//! `#[serde(with = "…")]` on an `Option<When>`.

use jiff::Timestamp;
use jiff::fmt::temporal::Pieces;
use jiff::tz::TimeZone;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};
use steadfast::duration;
use steadfast_store::When;

use crate::error::{ApiError, ErrorKind};

/// Parses a time.
///
/// ```
/// use std::time::Duration;
/// use steadfast_api::time_input;
/// use steadfast_store::When;
///
/// assert_eq!(time_input::parse("2h"), Ok(When::After(Duration::from_secs(7200))));
/// assert!(matches!(time_input::parse("2026-07-01T08:00:00+02:00"), Ok(When::At(_))));
/// assert!(time_input::parse("soon").unwrap_err().contains("2026-07-01T08:00:00Z"));
/// assert!(time_input::parse("9999-12-31T00:00:00Z").unwrap_err().contains("too far in the future"));
/// assert!(time_input::parse("2026-13-01T00:00:00Z").unwrap_err().contains("is not a time"));
/// ```
///
/// # Errors
/// The text is neither; the message says what is valid.
pub fn parse(text: &str) -> Result<When, String> {
    match text.parse::<Timestamp>() {
        Ok(time) => return Ok(When::At(time)),
        Err(_) if is_too_late(text) => return Err(too_late(text)),
        Err(_) => {}
    }
    duration::parse(text).map(When::After).map_err(|_| {
        format!(
            "`{text}` is not a time; use one like 2026-07-01T08:00:00Z, or a delay like 90s, 2h or 7d"
        )
    })
}

/// Whether the text is a time after the last one that can be represented, at the end of year 9999.
fn is_too_late(text: &str) -> bool {
    let last_year = Timestamp::MAX.to_zoned(TimeZone::UTC).year();
    Pieces::parse(text)
        .is_ok_and(|pieces| pieces.offset().is_some() && pieces.date().year() >= last_year)
}

fn too_late(text: &str) -> String {
    format!("`{text}` is too far in the future; use a time before 9999-12-30T00:00:00Z")
}

/// Parses the text of a form field; `None` if it is empty.
///
/// # Errors
/// The text is not a time.
pub fn parse_field(field: &str, text: &str) -> Result<Option<When>, ApiError> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    parse(text).map(Some).map_err(|problem| {
        let (detail, next) = problem.split_once("; ").unwrap_or((&problem, "use another value"));
        ApiError::new(ErrorKind::Invalid, detail).field(field).next(next)
    })
}

/// Deserializes an absolute time.
pub(crate) fn timestamp<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Timestamp>, D::Error> {
    let Some(text) = Option::<String>::deserialize(from)? else {
        return Ok(None);
    };
    let invalid = |_| {
        D::Error::custom(match is_too_late(&text) {
            true => too_late(&text),
            false => format!("`{text}` is not a time; use one like 2026-07-01T08:00:00Z"),
        })
    };
    text.parse().map(Some).map_err(invalid)
}

/// Serializes a time as it is parsed.
///
/// # Errors
/// The serializer fails.
pub fn serialize<S: Serializer>(when: &Option<When>, to: S) -> Result<S::Ok, S::Error> {
    match when {
        None => to.serialize_none(),
        Some(When::Now) => to.serialize_str("0s"),
        Some(When::After(delay)) => to.serialize_str(&duration::format(*delay)),
        Some(When::At(time)) => to.collect_str(time),
    }
}

/// Deserializes a time, or `null`.
///
/// # Errors
/// The text is not a time.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<When>, D::Error> {
    let text = Option::<String>::deserialize(from)?;
    text.map(|text| parse(&text).map_err(D::Error::custom)).transpose()
}
