//! Reads what a task asks of a built-in handler.
//!
//! A payload was written by hand, in whatever language, perhaps days ago. What is wrong with it
//! is told by the field's name, with the name that was probably meant.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Deserializer;
use serde_json::error::Category;
use serde_json::value::RawValue;
use steadfast::observe::Redactor;
use steadfast::{duration, nearest};

use super::HandlerFault;

/// Reads an object with these fields.
pub(super) fn read<T: DeserializeOwned>(json: &str, fields: &[&str]) -> Result<T, HandlerFault> {
    let found: BTreeMap<String, IgnoredAny> = serde_json::from_str(json).map_err(|error| {
        HandlerFault::invalid_payload(match error.classify() {
            Category::Data => format!("it must be an object with {}", fields.join(", ")),
            _ => format!("it is not JSON: {error}"),
        })
    })?;
    if let Some(unknown) = found.keys().find(|key| !fields.contains(&key.as_str())) {
        let meant = match nearest(unknown, fields.iter().copied()) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("the fields are {}", fields.join(", ")),
        };
        let problem = format!("there is no such field; {meant}");
        return Err(HandlerFault::invalid(unknown, problem));
    }
    serde_path_to_error::deserialize(&mut Deserializer::from_str(json)).map_err(|error| {
        // It quotes what it found.
        let problem = error.inner().to_string();
        let problem = Redactor::installed().text(&problem);
        match error.path().to_string().as_str() {
            "." => HandlerFault::invalid_payload(problem),
            path => HandlerFault::invalid(path, problem),
        }
    })
}

/// What is sent on: a text as it is, other JSON to the letter, for there may be a signature over
/// it, or a number with more digits than are usual.
pub(super) enum Content {
    Text(String),
    Json(String),
}

impl Content {
    pub(super) fn of(written: &RawValue) -> Self {
        match serde_json::from_str(written.get()) {
            Ok(text) => Self::Text(text),
            Err(_) => Self::Json(written.get().to_owned()),
        }
    }
}

/// How long a call may take that asks for this.
pub(super) fn time_limit(
    asked: Option<Duration>,
    default: Duration,
    most: Duration,
) -> Result<Duration, HandlerFault> {
    match asked {
        Some(asked) if asked > most => {
            let (asked, most) = (duration::format(asked), duration::format(most));
            let problem = format!("{asked} is too long; at most {most} are allowed here");
            Err(HandlerFault::invalid("timeout", problem))
        }
        Some(asked) if asked.is_zero() => {
            Err(HandlerFault::invalid("timeout", "must be longer than 0"))
        }
        Some(asked) => Ok(asked),
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

    fn wrong(payload: &str) -> String {
        read::<Order>(payload, &["items"]).unwrap_err().to_string()
    }

    /// D19: what is wrong with a payload is told by its place.
    #[test]
    fn a_payload_that_makes_no_sense_says_where() {
        assert!(wrong("{").starts_with("payload: it is not JSON: EOF"), "{}", wrong("{"));
        assert_eq!(wrong("[]"), "payload: it must be an object with items");
        assert_eq!(wrong("{}"), "payload: missing field `items` at line 1 column 2");
        let unknown = wrong(r#"{"itmes": []}"#);
        assert_eq!(unknown, "payload.itmes: there is no such field; did you mean `items`?");
        let unknown = wrong(r#"{"colour": 1}"#);
        assert_eq!(unknown, "payload.colour: there is no such field; the fields are items");
        let inner = wrong(r#"{"items": [1, "two"]}"#);
        assert!(inner.starts_with(r#"payload.items[1]: invalid type: string "two","#), "{inner}");
        let twice = wrong(r#"{"items": [], "items": []}"#);
        assert!(twice.starts_with("payload: duplicate field `items`"), "{twice}");
    }
}
