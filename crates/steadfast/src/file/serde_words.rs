//! Errors of serde_json in words for users, without Rust's type names.

use std::fmt;

/// What is wrong with a JSON value, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// What is wrong, such as `expected an object, not a list`.
    pub message: String,
    /// The line and the column, from 1; absent if the value was not parsed from text.
    pub position: Option<(usize, usize)>,
}

impl JsonError {
    /// The words for an error of serde_json.
    #[must_use]
    pub fn of(error: &serde_json::Error) -> Self {
        let message = error.to_string();
        let end = match error.line() {
            0 => message.len(),
            _ => message.rfind(" at line ").unwrap_or(message.len()),
        };
        let position = (error.line() > 0).then(|| (error.line(), error.column().max(1)));
        Self { message: plain(message.get(..end).unwrap_or(&message)), position }
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match self.position {
            Some((line, column)) => write!(f, " at line {line}, column {column}"),
            None => Ok(()),
        }
    }
}

fn plain(message: &str) -> String {
    if let Some(rest) = message.strip_prefix("unknown variant ") {
        return format!("unknown value {rest}");
    }
    if let Some(part) = message.strip_prefix("EOF while parsing ") {
        return match part {
            "a value" => "unexpected end of the text, a value is missing".to_owned(),
            part => format!("unexpected end of the text in {part}"),
        };
    }
    match message {
        "expected value" => return "expected a value".to_owned(),
        "expected ident" => return "expected true, false or null".to_owned(),
        "key must be a string" => return "expected a key in double quotes".to_owned(),
        "trailing characters" => return "unexpected text after the end".to_owned(),
        _ => {}
    }
    let found =
        ["invalid type: ", "invalid value: "].iter().find_map(|it| message.strip_prefix(it));
    match found.and_then(|found| found.rsplit_once(", expected ")) {
        Some((found, expected)) => format!("expected {}, not {}", wanted(expected), given(found)),
        None => message.to_owned(),
    }
}

fn given(found: &str) -> &str {
    match found {
        "sequence" => "a list",
        "map" => "an object",
        "unit" | "unit value" | "Option value" => "null",
        _ => {
            let (kind, value) = found.split_once(' ').unwrap_or(("", found));
            match kind {
                "string" | "boolean" | "integer" | "character" => value.trim_matches('`'),
                "floating" => value.trim_start_matches("point ").trim_matches('`'),
                _ => found,
            }
        }
    }
}

fn wanted(expected: &str) -> &str {
    match expected {
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number of at least 0",
        "i32" => "a whole number from -2147483648 to 2147483647",
        "i8" | "i16" | "i64" => "a whole number",
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

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use serde::Deserialize;
    use serde::de::DeserializeOwned;

    use super::*;

    #[derive(Debug, Deserialize)]
    struct Shape {
        #[expect(dead_code, reason = "only read")]
        sides: u32,
    }

    fn error<T: DeserializeOwned + fmt::Debug>(text: &str) -> String {
        JsonError::of(&serde_json::from_str::<T>(text).unwrap_err()).to_string()
    }

    /// K4: an error has no name of a Rust type.
    #[test]
    fn error_names_what_is_expected_and_given() {
        for (message, expected) in [
            (error::<HashMap<String, u8>>("[]"), "expected an object, not a list at line 1"),
            (error::<Shape>("7"), "expected an object, not 7 at line 1, column 1"),
            (
                error::<Shape>("{\"sides\": \"x\"}"),
                "expected a whole number from 0 to 4294967295, not \"x\" at line 1, column 13",
            ),
            (error::<Vec<bool>>("[\n1.5]"), "expected true or false, not 1.5 at line 2"),
            (error::<u32>("-7"), "expected a whole number from 0 to 4294967295, not -7 at"),
            (error::<Vec<u8>>("null"), "expected a list, not null at line 1"),
            (error::<Shape>(""), "unexpected end of the text, a value is missing at line 1"),
            (error::<Shape>("{"), "unexpected end of the text in an object at line 1"),
            (error::<Shape>("{x"), "expected a key in double quotes at line 1"),
            (error::<Shape>("{}"), "missing field `sides` at line 1"),
            (error::<u8>("1 2"), "unexpected text after the end at line 1, column 3"),
        ] {
            assert!(message.starts_with(expected), "{message}");
        }
    }

    #[test]
    fn error_of_a_value_has_no_position() {
        let error = serde_json::from_value::<Vec<u8>>(serde_json::json!({})).unwrap_err();
        assert_eq!(JsonError::of(&error).to_string(), "expected a list, not an object");
    }
}
