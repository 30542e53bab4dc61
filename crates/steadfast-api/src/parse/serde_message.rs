//! What serde refuses, with the name that was probably meant.

use std::fmt;

use steadfast::nearest;

use crate::error::{ApiError, ErrorKind};

/// The nearest of the names that a refusal lists: serde puts the wrong name and then each
/// name that it expected between backticks.
#[must_use]
pub fn nearest_in_refusal(message: &str) -> Option<&str> {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let wrong = quoted.next()?;
    nearest(wrong, quoted)
}

/// How serde_json begins to tell of a text that is nested too deep.
const TOO_DEEP: &str = "recursion limit exceeded";

/// How Rust tells of a text that is no number.
const NO_NUMBER: &str = "invalid digit found in string";

/// What is wrong with a text that should have been `what`, and may not even be JSON.
pub(crate) fn unreadable<E: fmt::Display>(
    what: &str,
    error: &serde_path_to_error::Error<E>,
    is_json: bool,
) -> ApiError {
    let message = in_words(&error.inner().to_string());
    let path = error.path().to_string();
    let told = ApiError::new(ErrorKind::Invalid, format!("this is not {what}: {message}"));
    let told = match path.as_str() {
        "." | "?" => told,
        _ => told.field(path),
    };
    if message.starts_with(TOO_DEEP) {
        return told.next("nest it less deep: at most 127 levels are read");
    }
    let mended = (!is_json).then(|| mend(&message)).flatten();
    match mended.or_else(|| next(&message)) {
        Some(next) => told.next(next),
        None => told,
    }
}

/// Where a text stops to be JSON.
fn mend(message: &str) -> Option<String> {
    let (_, place) = message.rsplit_once(" at line ")?;
    let (line, column) = place.split_once(" column ")?;
    // One line may be a line of something longer.
    Some(match line {
        "1" => format!("mend the JSON at column {column}"),
        line => format!("mend the JSON in line {line}, column {column}"),
    })
}

/// What to do about a message of serde's.
fn next(message: &str) -> Option<String> {
    if let Some(name) = missing(message) {
        return Some(format!("say `{name}`, too"));
    }
    if let Some(near) = nearest_in_refusal(message) {
        return Some(format!("did you mean `{near}`?"));
    }
    if let Some(name) = named(message, "duplicate field `") {
        return Some(format!("say `{name}` once"));
    }
    if let Some((_, expected, _)) = expectation(message) {
        return Some(format!("write {expected}"));
    }
    message.starts_with(NO_NUMBER).then(|| "write a whole number".to_owned())
}

/// A message of serde's without the names that Rust has for things.
fn in_words(message: &str) -> String {
    let Some((before, expected, behind)) = expectation(message) else {
        return message.to_owned();
    };
    let before = match before {
        "invalid type: sequence" => "invalid type: a list",
        "invalid type: map" => "invalid type: an object",
        other => other,
    };
    format!("{before}{EXPECTED}{}{behind}", words(expected))
}

const EXPECTED: &str = ", expected ";

/// What was wanted instead of something, with all that is before and behind it.
fn expectation(message: &str) -> Option<(&str, &str, &str)> {
    let begins = ["invalid type: ", "invalid value: ", "invalid length "];
    if !begins.iter().any(|begin| message.starts_with(begin)) {
        return None;
    }
    let (before, expected) = message.rsplit_once(EXPECTED)?;
    let end = expected.find(" at line ").unwrap_or(expected.len());
    Some((before, &expected[..end], &expected[end..]))
}

fn words(expected: &str) -> &str {
    match expected {
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number that is not negative",
        "i16" => "a whole number from -32768 to 32767",
        "i32" => "a whole number from -2147483648 to 2147483647",
        "i64" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a string" | "a borrowed string" => "a text",
        "a sequence" => "a list",
        "a map" => "an object",
        "unit" => "null",
        _ if expected.starts_with("struct ") => "an object",
        _ => expected,
    }
}

/// The name of the field that is not there.
fn missing(message: &str) -> Option<&str> {
    named(message, "missing field `")
}

fn named<'m>(message: &'m str, before: &str) -> Option<&'m str> {
    message.strip_prefix(before)?.split('`').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wanted {
        #[expect(dead_code, reason = "only read")]
        count: u32,
        #[expect(dead_code, reason = "only read")]
        tags: Vec<String>,
    }

    /// K4: each refusal says what is wrong in words that are not Rust's, and what to do.
    #[test]
    fn a_refusal_says_what_to_do() {
        let refused = |text: &str| {
            let error = crate::from_json::<Wanted>(text, "a thing").unwrap_err();
            (error.detail.to_string(), error.next.unwrap_or_default().to_string())
        };
        let cases = [
            (
                r#"{"count": "7"}"#,
                "expected a whole number",
                "write a whole number from 0 to 4294967295",
            ),
            (r#"{"count": -7}"#, "integer `-7`", "write a whole number from 0"),
            (r#"{"count": 7, "tags": {}}"#, "an object, expected a list", "write a list"),
            (r#"{"count": 7, "tags": [1]}"#, "expected a text", "write a text"),
            ("[]", "expected an object", "write an object"),
            ("7", "expected an object", "write an object"),
            (r#"{"count": 7}"#, "missing field", "say `tags`, too"),
            (r#"{"count": 7, "count": 7}"#, "duplicate field", "say `count` once"),
            (r#"{"cuont": 7}"#, "unknown field", "did you mean `count`?"),
            (r#"{"count": 7,"#, "EOF while parsing", "mend the JSON at column 12"),
            ("", "EOF while parsing", "mend the JSON at column 0"),
            ("{\n  7", "key must be a string", "mend the JSON in line 2, column 3"),
            (r#"{"x at line 9": 7}"#, "unknown field", ""),
        ];
        for (text, what, next) in cases {
            let told = refused(text);
            assert!(told.0.contains(what) && told.1.contains(next), "{text}: {told:?}");
            assert!(!told.0.contains("u32") && !told.0.contains("struct"), "{told:?}");
        }
    }

    /// F2: a near miss for unknown names, and only a near one.
    #[test]
    fn a_refusal_of_serde_names_what_was_meant() {
        let refusal = "unknown field `sqlstat`, expected one of `kind`, `sqlstate`, `hint`";
        assert_eq!(nearest_in_refusal(refusal), Some("sqlstate"));
        assert_eq!(nearest_in_refusal("expected value"), None);
        assert_eq!(nearest_in_refusal("unknown field `a`, there are no fields"), None);
    }
}
