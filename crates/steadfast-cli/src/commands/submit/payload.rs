//! Payloads of the built-in handlers, checked by the handlers' own types: what a worker would
//! refuse days later is refused now.

use serde_json::value::RawValue;
use steadfast_api::{ApiError, ErrorKind};
use steadfast_worker::handlers::{CommandCall, HandlerError, HttpCall};

/// Whether the handler of this kind understands it. Nobody here knows what other kinds take.
pub(super) fn check(kind: &str, payload: &RawValue) -> Result<(), ApiError> {
    let read = match kind {
        "http" => HttpCall::parse(payload.get()).map(drop),
        "command" => CommandCall::parse(payload.get()).map(drop),
        _ => Ok(()),
    };
    read.map_err(|fault| refused(&fault))
}

/// `payload.uri: unknown field; did you mean …`.
fn refused(fault: &HandlerError) -> ApiError {
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

    fn told(kind: &str, payload: &str) -> Result<(), String> {
        let payload = RawValue::from_string(payload.to_owned()).unwrap();
        check(kind, &payload).map_err(|error| error.to_string())
    }

    /// D19: what a handler would not understand is told with its field and a near miss.
    #[test]
    fn a_payload_is_checked_by_the_handler_that_will_get_it() {
        assert_eq!(told("http", r#"{"url": "https://a.example/"}"#), Ok(()));
        let misspelt = told("http", r#"{"uri": "https://a.example/"}"#).unwrap_err();
        assert_eq!(misspelt, "payload.uri: unknown field; did you mean `url`?");
        assert!(told("command", r#"{"args": []}"#).unwrap_err().starts_with("payload: missing"));
        assert_eq!(told("send-invoice", "42"), Ok(()));
    }
}
