//! What a task brings along to be sent on: said on the command line, or out of a file.

use std::path::Path;

use serde_json::value::{RawValue, to_raw_value};
use steadfast_store::MAX_PAYLOAD;

use crate::error::CliError;
use crate::input;

/// A text that is sent on.
pub(super) struct Content(String);

/// What was said: a text, `@FILE`, `@-`, or a file by a flag of its own.
pub(super) fn of(said: Option<&str>, file: Option<&Path>) -> Result<Option<Content>, CliError> {
    let file = file.or_else(|| said?.strip_prefix('@').map(Path::new));
    match (file, said) {
        (Some(file), _) => read(file).map(Some),
        (None, Some(text)) => Ok(Some(Content(text.to_owned()))),
        (None, None) => Ok(None),
    }
}

fn read(file: &Path) -> Result<Content, CliError> {
    let name = input::name_of(file);
    // One more than a task can hold: that it is too much is told with the payload.
    let bytes = input::bytes_of(file, MAX_PAYLOAD as u64 + 1);
    let bytes = bytes.map_err(|why| {
        CliError::usage(format!("{name} cannot be read: {why}"))
            .with_help("name a file that is there, or - for stdin".to_owned())
    })?;
    String::from_utf8(bytes).map(Content).map_err(|_| {
        CliError::usage(format!("{name} is not UTF-8 text"))
            .with_help("a task's payload is JSON: send a text, such as base64".to_owned())
    })
}

impl Content {
    /// As JSON to the letter if it is JSON, else as a text.
    pub(super) fn into_json(self) -> Result<Box<RawValue>, CliError> {
        match RawValue::from_string(self.0.trim().to_owned()) {
            Ok(json) => Ok(json),
            Err(_) => self.into_text(),
        }
    }

    /// As a text.
    pub(super) fn into_text(self) -> Result<Box<RawValue>, CliError> {
        to_raw_value(&self.0).map_err(|why| CliError::usage(why.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> String {
        of(Some(text), None).unwrap().unwrap().into_json().unwrap().get().to_owned()
    }

    /// D19: JSON keeps its digits and the order of its keys, anything else is a text.
    #[test]
    fn a_body_is_json_if_it_is_json() {
        assert_eq!(json(r#" {"b":1.00,"a":2} "#), r#"{"b":1.00,"a":2}"#);
        assert_eq!(json("name=ada"), r#""name=ada""#);
        assert_eq!(json("{not json"), r#""{not json""#);
        assert_eq!(json("\"quoted\""), r#""quoted""#);
    }

    #[test]
    fn a_body_can_be_in_a_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "[1]\n").unwrap();
        assert_eq!(json(&format!("@{}", file.path().display())), "[1]");
        let missing = of(Some("@/no/such/file"), None).err().unwrap().to_string();
        assert!(missing.starts_with("/no/such/file cannot be read"), "{missing}");
    }
}
