//! Task content given as text or as a file.

use std::path::Path;

use serde_json::value::{RawValue, to_raw_value};
use steadfast_store::MAX_PAYLOAD;

use crate::error::CliError;
use crate::input;

pub(super) struct Content(String);

/// Reads the content: a text, `@FILE`, `@-`, or a file given by its own flag.
pub(super) fn of(text: Option<&str>, file: Option<&Path>) -> Result<Option<Content>, CliError> {
    let file = file.or_else(|| text?.strip_prefix('@').map(Path::new));
    match (file, text) {
        (Some(file), _) => read(file).map(Some),
        (None, Some(text)) => Ok(Some(Content(text.to_owned()))),
        (None, None) => Ok(None),
    }
}

fn read(file: &Path) -> Result<Content, CliError> {
    let name = input::name_of(file);
    // One byte more than a task may have; the payload check reports the size.
    let bytes = input::bytes_of(file, MAX_PAYLOAD as u64 + 1);
    let bytes = bytes.map_err(|why| {
        CliError::usage(format!("cannot read {name}: {why}"))
            .with_help("pass an existing file, or - for stdin")
    })?;
    String::from_utf8(bytes).map(Content).map_err(|_| {
        CliError::usage(format!("{name} is not UTF-8 text"))
            .with_help("task payloads are JSON: encode binary data as text, such as base64")
    })
}

impl Content {
    /// As raw JSON if it is valid JSON, otherwise as a string.
    pub(super) fn into_json(self) -> Result<Box<RawValue>, CliError> {
        match RawValue::from_string(self.0.trim().to_owned()) {
            Ok(json) => Ok(json),
            Err(_) => self.into_text(),
        }
    }

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

    /// D19: JSON keeps its digits and key order, anything else becomes a string.
    #[test]
    fn body_is_json_if_valid_else_string() {
        assert_eq!(json(r#" {"b":1.00,"a":2} "#), r#"{"b":1.00,"a":2}"#);
        assert_eq!(json("name=ada"), r#""name=ada""#);
        assert_eq!(json("{not json"), r#""{not json""#);
        assert_eq!(json("\"quoted\""), r#""quoted""#);
    }

    #[test]
    fn body_is_read_from_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "[1]\n").unwrap();
        assert_eq!(json(&format!("@{}", file.path().display())), "[1]");
        let missing = of(Some("@/no/such/file"), None).err().unwrap().to_string();
        assert!(missing.starts_with("cannot read /no/such/file"), "{missing}");
    }
}
