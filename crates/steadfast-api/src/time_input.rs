//! A moment as it is written: a time (`2026-07-01T08:00:00Z`), or how long from now (`2h`).
//!
//! How long from now is counted by the store's clock, so that it means the same wherever it is
//! said (D4). For `#[serde(with = "…")]` on an `Option<When>`.

use jiff::Timestamp;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};
use steadfast::duration;
use steadfast_store::When;

use crate::error::{ApiError, ErrorKind};

/// Reads a moment.
///
/// ```
/// use std::time::Duration;
/// use steadfast_api::when;
/// use steadfast_store::When;
///
/// assert_eq!(when::parse("2h"), Ok(When::After(Duration::from_secs(7200))));
/// assert!(matches!(when::parse("2026-07-01T08:00:00+02:00"), Ok(When::At(_))));
/// assert!(when::parse("soon").unwrap_err().contains("2026-07-01T08:00:00Z"));
/// ```
///
/// # Errors
/// It is neither, with what it should have been.
pub fn parse(text: &str) -> Result<When, String> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Ok(When::At(time));
    }
    duration::parse(text).map(When::After).map_err(|_| {
        format!(
            "`{text}` is no time; write one like 2026-07-01T08:00:00Z, or how long from now, like \
             90s, 2h or 7d"
        )
    })
}

/// Reads what somebody typed into a field; nothing if that is empty.
///
/// # Errors
/// It is there and no moment, with the field and what it should have been.
pub fn typed(field: &str, text: &str) -> Result<Option<When>, ApiError> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    parse(text).map(Some).map_err(|problem| {
        let (detail, next) = problem.split_once("; ").unwrap_or((&problem, "write another"));
        ApiError::new(ErrorKind::Invalid, detail).field(field).next(next)
    })
}

/// Writes it as it is read.
///
/// # Errors
/// Whatever stops the serializer.
pub fn serialize<S: Serializer>(when: &Option<When>, to: S) -> Result<S::Ok, S::Error> {
    match when {
        None => to.serialize_none(),
        Some(When::Now) => to.serialize_str("0s"),
        Some(When::After(delay)) => to.serialize_str(&duration::format(*delay)),
        Some(When::At(time)) => to.collect_str(time),
    }
}

/// Reads a text, or nothing.
///
/// # Errors
/// It is there and no moment.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<When>, D::Error> {
    let text = Option::<String>::deserialize(from)?;
    text.map(|text| parse(&text).map_err(D::Error::custom)).transpose()
}
