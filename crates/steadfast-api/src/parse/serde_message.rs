//! Errors of serde in words for users, with the nearest valid name.

use std::fmt;

use steadfast::__private::nearest;

use crate::error::{ApiError, ErrorKind};

/// The nearest of the names that an error of serde lists: it puts the unknown name and then each
/// expected name between backticks.
#[must_use]
pub fn nearest_in_serde_error(message: &str) -> Option<&str> {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let unknown = quoted.next()?;
    nearest(unknown, quoted)
}

/// The start of serde_json's message for text that is nested too deep.
const TOO_DEEP: &str = "recursion limit exceeded";

/// Rust's message for text that is not a number.
const NOT_A_NUMBER: &str = "invalid digit found in string";

/// Rust's message for text that is not a boolean.
const NOT_A_BOOLEAN: &str = "provided string was not `true` or `false`";

/// The error of text that is not `what`, such as "a task".
pub(crate) fn parse_error<E: fmt::Display>(
    what: &str,
    error: &serde_path_to_error::Error<E>,
    is_json: bool,
) -> ApiError {
    let message = plain_message(&error.inner().to_string());
    let path = error.path().to_string();
    let detail = match message.as_str() {
        NOT_A_NUMBER => "not a whole number".to_owned(),
        NOT_A_BOOLEAN => "expected true or false".to_owned(),
        message => format!("invalid {}: {}", noun(what), with_position_last(message)),
    };
    let invalid = ApiError::new(ErrorKind::Invalid, detail);
    let invalid = match path.as_str() {
        "." | "?" => invalid,
        _ => invalid.field(path),
    };
    if message.starts_with(TOO_DEEP) {
        return invalid.next("reduce the nesting to at most 127 levels");
    }
    if message == NOT_A_BOOLEAN {
        return invalid;
    }
    let position = (!is_json).then(|| fix_position(&message)).flatten();
    match position.or_else(|| advice(&message)) {
        Some(next) => invalid.next(next),
        None => invalid,
    }
}

/// The noun without its article.
pub(super) fn noun(what: &str) -> &str {
    ["a ", "an ", "the "].iter().find_map(|article| what.strip_prefix(article)).unwrap_or(what)
}

/// The message, with its position in parentheses: the message may end in advice.
fn with_position_last(message: &str) -> String {
    match position(message) {
        Some((message, line, column)) => format!("{message} (line {line}, column {column})"),
        None => message.to_owned(),
    }
}

/// Splits a message of serde_json from the line and the column at its end.
fn position(message: &str) -> Option<(&str, &str, &str)> {
    let (message, position) = message.rsplit_once(" at line ")?;
    let (line, column) = position.split_once(" column ")?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    (is_number(line) && is_number(column)).then_some((message, line, column))
}

/// Where the text stops being JSON.
fn fix_position(message: &str) -> Option<String> {
    let (_, line, column) = position(message)?;
    // A single line may be one of a longer input.
    Some(match line {
        "1" => format!("check the JSON at column {column}"),
        line => format!("fix the JSON in line {line}, column {column}"),
    })
}

/// What to do about an error of serde.
fn advice(message: &str) -> Option<String> {
    if let Some(name) = named(message, "missing field `") {
        return Some(format!("add `{name}`"));
    }
    if let Some(near) = nearest_in_serde_error(message) {
        return Some(format!("did you mean `{near}`?"));
    }
    if let Some(name) = named(message, "duplicate field `") {
        return Some(format!("remove the duplicate `{name}`"));
    }
    if let Some((_, expected, _)) = expectation(message) {
        return Some(format!("use {expected}"));
    }
    message.starts_with(NOT_A_NUMBER).then(|| "use a whole number".to_owned())
}

/// An error of serde without Rust's type names.
fn plain_message(message: &str) -> String {
    if let Some(rest) = message.strip_prefix("unknown variant") {
        return format!("unknown value{rest}");
    }
    let Some((before, expected, after)) = expectation(message) else {
        return message.to_owned();
    };
    let before = match before {
        "invalid type: sequence" => "invalid type: a list",
        "invalid type: map" => "invalid type: an object",
        other => other,
    };
    format!("{before}{EXPECTED}{}{after}", plain_type(expected))
}

const EXPECTED: &str = ", expected ";

/// The expected type in an error of serde, with the text before and after it.
fn expectation(message: &str) -> Option<(&str, &str, &str)> {
    let prefixes = ["invalid type: ", "invalid value: ", "invalid length "];
    if !prefixes.iter().any(|prefix| message.starts_with(prefix)) {
        return None;
    }
    let (before, expected) = message.rsplit_once(EXPECTED)?;
    let end = expected.find(" at line ").unwrap_or(expected.len());
    Some((before, &expected[..end], &expected[end..]))
}

fn plain_type(expected: &str) -> &str {
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
        "a borrowed string" => "a string",
        "a sequence" => "a list",
        "a map" => "an object",
        "unit" => "null",
        _ if expected.starts_with("struct ") => "an object",
        _ => expected,
    }
}

/// The name after this text.
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

    /// K4: each error says what is wrong without Rust's type names, and what to do.
    #[test]
    fn parse_error_has_plain_words_and_advice() {
        let parse = |text: &str| {
            let error = crate::from_json::<Wanted>(text, "a thing").unwrap_err();
            (error.detail.to_string(), error.next.unwrap_or_default().to_string())
        };
        let cases = [
            (
                r#"{"count": "7"}"#,
                "expected a whole number",
                "use a whole number from 0 to 4294967295",
            ),
            (r#"{"count": -7}"#, "integer `-7`", "use a whole number from 0"),
            (r#"{"count": 7, "tags": {}}"#, "an object, expected a list", "use a list"),
            (r#"{"count": 7, "tags": [1]}"#, "expected a string", "use a string"),
            ("[]", "expected an object", "use an object"),
            ("7", "expected an object", "use an object"),
            (r#"{"count": 7}"#, "missing field", "add `tags`"),
            (r#"{"count": 7, "count": 7}"#, "duplicate field", "remove the duplicate `count`"),
            (r#"{"cuont": 7}"#, "unknown field", "did you mean `count`?"),
            (r#"{"count": 7,"#, "EOF while parsing", "check the JSON at column 12"),
            ("", "EOF while parsing", "check the JSON at column 0"),
            ("{\n  7", "key must be a string", "fix the JSON in line 2, column 3"),
            (r#"{"x at line 9": 7}"#, "unknown field", ""),
        ];
        for (text, what, next) in cases {
            let error = parse(text);
            assert!(error.0.contains(what) && error.1.contains(next), "{text}: {error:?}");
            assert!(!error.0.contains("u32") && !error.0.contains("struct"), "{error:?}");
        }
    }

    /// F2: an unknown name gets the nearest valid one, if it is near.
    #[test]
    fn unknown_field_gets_nearest_name() {
        let message = "unknown field `sqlstat`, expected one of `kind`, `sqlstate`, `hint`";
        assert_eq!(nearest_in_serde_error(message), Some("sqlstate"));
        assert_eq!(nearest_in_serde_error("expected value"), None);
        assert_eq!(nearest_in_serde_error("unknown field `a`, there are no fields"), None);
    }
}
