//! Limits of the texts in a task (K4).
//!
//! A store is shared: one caller's mistake (a file as a payload, a log as a queue name) must not
//! slow down every claim. So every text has a maximum length, and is checked before a write.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::error::InputError;

/// The maximum size of a payload and of a result, in bytes of JSON: 1 MiB. Store larger data
/// elsewhere, and its address in the payload.
pub const MAX_PAYLOAD: usize = 1 << 20;

/// The maximum length of a name, idempotency key or correlation id, in characters.
pub const MAX_NAME: usize = 255;

/// Validates a name.
///
/// # Errors
/// It is empty, too long, or has control characters.
pub fn name(field: &'static str, text: &str) -> Result<(), InputError> {
    if text.is_empty() {
        return Err(InputError::new(field, "must not be empty"));
    }
    // The length in bytes is cheaper to check.
    if text.len() > MAX_NAME && text.chars().count() > MAX_NAME {
        let long = text.chars().count();
        let problem = format!("is {long} characters long; the limit is {MAX_NAME}");
        return Err(InputError::new(field, problem));
    }
    if let Some(strange) = text.chars().find(|c| c.is_control()) {
        let problem = format!("has the control character {strange:?}; use printable text");
        return Err(InputError::new(field, problem));
    }
    Ok(())
}

/// Validates the names that are given.
pub(crate) fn optional_names<const N: usize>(
    fields: [(&'static str, &Option<String>); N],
) -> Result<(), InputError> {
    let check =
        |(field, text): (_, &Option<String>)| text.iter().try_for_each(|text| name(field, text));
    fields.into_iter().try_for_each(check)
}

/// Validates a JSON document.
///
/// # Errors
/// It is too long, is not JSON, or has a character that cannot be stored.
pub fn document(field: &'static str, json: &str) -> Result<(), InputError> {
    if json.len() > MAX_PAYLOAD {
        let problem = format!(
            "too large: {} bytes, the limit is {MAX_PAYLOAD}; store the data elsewhere and put a \
             reference in the {field}",
            json.len()
        );
        return Err(InputError::new(field, problem));
    }
    // PostgreSQL cannot store it in a text.
    if has_nul(json) {
        return Err(InputError::new(field, "has the character U+0000, which cannot be stored"));
    }
    match serde_json::from_str(json) {
        Ok(Readable) => Ok(()),
        Err(error) => Err(InputError::new(field, format!("is not valid JSON: {error}"))),
    }
}

/// Whether there is an escaped U+0000, and not an escaped backslash before the same letters.
pub(crate) fn has_nul(json: &str) -> bool {
    // Most documents have no escapes.
    json.as_bytes().contains(&b'\\')
        && json.match_indices("\\u0000").any(|(at, _)| {
            let before = json.get(..at).unwrap_or_default().bytes().rev();
            before.take_while(|byte| *byte == b'\\').count() % 2 == 0
        })
}

/// Anything that a [`serde_json::Value`] can hold, without holding it.
struct Readable;

impl<'de> Deserialize<'de> for Readable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

macro_rules! accept {
    ($($visit:ident: $type:ty),+) => {
        $(fn $visit<E>(self, _: $type) -> Result<Self, E> {
            Ok(self)
        })+
    };
}

impl<'de> Visitor<'de> for Readable {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    accept! { visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self, A::Error> {
        while seq.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        while map.next_entry::<IgnoredAny, Self>()?.is_some() {}
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K4: a name of the maximum length is valid, a longer one is rejected with the limit.
    #[test]
    fn name_longer_than_the_limit_is_rejected() {
        assert_eq!(name("queue", &"é".repeat(MAX_NAME)), Ok(()));
        let error = name("queue", &"x".repeat(MAX_NAME + 1)).unwrap_err().to_string();
        assert_eq!(error, "queue: is 256 characters long; the limit is 255");
    }

    /// K4: control characters are invisible, so names with them are rejected.
    #[test]
    fn name_with_control_characters_is_rejected() {
        for text in ["\0", "a\tb", "\u{7f}", "\u{85}"] {
            assert!(name("kind", text).is_err(), "{text:?}");
        }
        assert_eq!(name("kind", "Ünïcode 🧾 '; --"), Ok(()));
    }

    /// K4: an escaped U+0000 is found after any number of backslashes.
    #[test]
    fn escaped_nul_is_distinguished_from_its_spelling() {
        for text in ["\0", "\\\0", "a\0b", "\\\\\0"] {
            assert!(has_nul(&serde_json::to_string(text).unwrap()), "{text:?}");
        }
        for text in [r"\u0000", r"\\u0000", "u0000", ""] {
            assert!(!has_nul(&serde_json::to_string(text).unwrap()), "{text:?}");
        }
    }

    /// K4: only documents that can be decoded are valid.
    #[test]
    fn document_that_cannot_be_decoded_is_rejected() {
        let deep = |depth| "[".repeat(depth) + &"]".repeat(depth);
        for json in ["null", "[1,-2,3.5e10,true]", r#"{"a":{"b":"\n"}}"#, &deep(100)] {
            assert_eq!(document("payload", json), Ok(()), "{json}");
            assert!(serde_json::from_str::<serde_json::Value>(json).is_ok());
        }
        for json in ["", "{", "1 2", "[1e999]", "{1:2}", "\"\u{1}\"", &deep(200)] {
            assert!(document("payload", json).is_err(), "{json}");
        }
    }
}
