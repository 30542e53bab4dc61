//! Validation of payloads for the built-in handlers, with the handlers' own types.

use serde_json::value::RawValue;
use steadfast_api::{ApiError, ErrorKind};
use steadfast_worker::handlers::{CommandCall, HandlerError, HttpCall};

/// Checks that the handler of this kind accepts the payload. Other kinds are not checked.
pub(super) fn check(kind: &str, payload: &RawValue) -> Result<(), ApiError> {
    let read = match kind {
        "http" => HttpCall::parse(payload.get()).map(drop),
        "command" => CommandCall::parse(payload.get()).map(drop),
        _ => Ok(()),
    };
    read.map_err(|fault| payload_error(&fault))
}

/// Splits `payload.uri: unknown field; did you mean …` into field, detail and advice.
fn payload_error(fault: &HandlerError) -> ApiError {
    let text = fault.to_string();
    let (field, problem) = text.split_once(": ").unwrap_or(("payload", &text));
    let (detail, next) = match problem.split_once("; ") {
        Some((detail, next)) => (detail, Some(next)),
        None => (problem, None),
    };
    let error = ApiError::new(ErrorKind::Invalid, detail).field(field);
    next.map_or(error.clone(), |next| error.next(next))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(kind: &str, payload: &str) -> Result<(), String> {
        let payload = RawValue::from_string(payload.to_owned()).unwrap();
        check(kind, &payload).map_err(|error| error.to_string())
    }

    /// D19: an invalid payload is reported with its field and a suggestion.
    #[test]
    fn payload_is_validated_by_its_handler_type() {
        assert_eq!(checked("http", r#"{"url": "https://a.example/"}"#), Ok(()));
        let misspelt = checked("http", r#"{"uri": "https://a.example/"}"#).unwrap_err();
        assert_eq!(misspelt, "payload.uri: unknown field; did you mean `url`?");
        assert!(checked("command", r#"{"args": []}"#).unwrap_err().starts_with("payload: missing"));
        assert_eq!(checked("send-invoice", "42"), Ok(()));
    }
}
