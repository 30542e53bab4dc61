//! Parsing of the built-in handlers' payloads.
//!
//! Payloads are written by hand, in any language, perhaps days ago. An error names the field, and
//! suggests the name that was probably meant.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Deserializer;
use serde_json::error::Category;
use serde_json::value::RawValue;
use steadfast::__private::nearest;
use steadfast::duration;
use steadfast::observe::Redactor;

use super::HandlerError;

/// Parses an object with these fields.
pub(super) fn parse<T: DeserializeOwned>(json: &str, fields: &[&str]) -> Result<T, HandlerError> {
    let found: BTreeMap<String, IgnoredAny> = serde_json::from_str(json).map_err(|error| {
        HandlerError::invalid_payload(match error.classify() {
            Category::Data => format!("must be an object with the fields {}", fields.join(", ")),
            _ => format!("invalid JSON: {error}"),
        })
    })?;
    if let Some(unknown) = found.keys().find(|key| !fields.contains(&key.as_str())) {
        let meant = match nearest(unknown, fields.iter().copied()) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("the fields are {}", fields.join(", ")),
        };
        let problem = format!("unknown field; {meant}");
        return Err(HandlerError::invalid(unknown, problem));
    }
    serde_path_to_error::deserialize(&mut Deserializer::from_str(json)).map_err(|error| {
        // The error quotes the value.
        let problem = error.inner().to_string();
        let problem = Redactor::installed().text(&problem);
        let problem = without_position(&problem);
        match error.path().to_string().as_str() {
            "." => HandlerError::invalid_payload(problem),
            path => HandlerError::invalid(path, problem),
        }
    })
}

/// A message of serde_json without the position at its end: the field is named.
fn without_position(message: &str) -> &str {
    let is_position = |text: &str| {
        let numbers = text.split_once(" column ");
        let is_number = |text: &str| text.parse::<usize>().is_ok();
        numbers.is_some_and(|(line, column)| is_number(line) && is_number(column))
    };
    match message.rsplit_once(" at line ") {
        Some((message, position)) if is_position(position) => message,
        _ => message,
    }
}

/// Content to pass on: a string by its value, other JSON unchanged, since it may be signed or contain
/// numbers with more digits than a float holds.
pub(super) enum Content {
    Text(String),
    Json(String),
}

impl Content {
    pub(super) fn of(json: &RawValue) -> Self {
        match serde_json::from_str(json.get()) {
            Ok(text) => Self::Text(text),
            Err(_) => Self::Json(json.get().to_owned()),
        }
    }
}

/// The time limit of a call that requests this timeout.
pub(super) fn time_limit(
    requested: Option<Duration>,
    default: Duration,
    max: Duration,
) -> Result<Duration, HandlerError> {
    match requested {
        Some(timeout) if timeout > max => {
            let (timeout, max) = (duration::format(timeout), duration::format(max));
            let problem = format!("{timeout} is too long; this worker allows at most {max}");
            Err(HandlerError::invalid("timeout", problem))
        }
        Some(timeout) if timeout.is_zero() => {
            Err(HandlerError::invalid("timeout", "must be greater than 0"))
        }
        Some(timeout) => Ok(timeout),
        None => Ok(default),
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    struct Order {
        #[serde(rename = "items")]
        _items: Vec<u32>,
    }

    fn parse_error(payload: &str) -> String {
        parse::<Order>(payload, &["items"]).unwrap_err().to_string()
    }

    /// D19: the error of an invalid payload names the field.
    #[test]
    fn invalid_payload_error_names_the_field() {
        let cut = parse_error("{");
        assert!(cut.starts_with("payload: invalid JSON: EOF"), "{cut}");
        assert_eq!(parse_error("[]"), "payload: must be an object with the fields items");
        assert_eq!(parse_error("{}"), "payload: missing field `items`");
        let unknown = parse_error(r#"{"itmes": []}"#);
        assert_eq!(unknown, "payload.itmes: unknown field; did you mean `items`?");
        let unknown = parse_error(r#"{"colour": 1}"#);
        assert_eq!(unknown, "payload.colour: unknown field; the fields are items");
        let inner = parse_error(r#"{"items": [1, "two"]}"#);
        assert_eq!(inner, r#"payload.items[1]: invalid type: string "two", expected u32"#);
        assert_eq!(without_position("a at line 1 column b"), "a at line 1 column b");
        let twice = parse_error(r#"{"items": [], "items": []}"#);
        assert!(twice.starts_with("payload: duplicate field `items`"), "{twice}");
    }
}
