//! Validation of payloads for the built-in handlers when a task is submitted.
//!
//! Such a task would otherwise be stored, claimed and fail for good; the client learns nothing. Other
//! kinds are not checked: their handlers are elsewhere.

use steadfast_api::{ApiError, ErrorKind, NewTask};
#[cfg(unix)]
use steadfast_worker::handlers::CommandCall;
use steadfast_worker::handlers::{HandlerError, HttpCall};

/// Checks that the handler of the task's kind accepts its payload.
pub(crate) fn check_payload(task: &NewTask) -> Result<(), ApiError> {
    let payload = task.payload.get();
    let checked = match task.kind.as_str() {
        "http" => HttpCall::parse(payload).map(drop),
        #[cfg(unix)]
        "command" => CommandCall::parse(payload).map(drop),
        _ => Ok(()),
    };
    checked.map_err(|error| payload_error(&error))
}

/// Splits `payload.uri: unknown field; did you mean …` into field, detail and advice.
fn payload_error(error: &HandlerError) -> ApiError {
    let text = error.to_string();
    let (field, problem) = text.split_once(": ").unwrap_or(("payload", &text));
    let (detail, next) = match problem.split_once("; ") {
        Some((detail, next)) => (detail, Some(next)),
        None => (problem, None),
    };
    let error = ApiError::new(ErrorKind::Invalid, detail).field(field);
    match next {
        Some(next) => error.next(next),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(json: &str) -> Result<(), String> {
        check_payload(&NewTask::from_json(json).unwrap()).map_err(|error| error.to_string())
    }

    /// D19: the payload of a built-in handler is checked at its submission.
    #[test]
    fn payload_of_built_in_handler_is_checked() {
        let cases = [
            (r#"{"kind": "http", "payload": 1}"#, "payload: must be an object with the fields"),
            (
                r#"{"kind": "http", "payload": {"url": "https://a.example/", "headers": {"a b": "c"}}}"#,
                "payload.headers.a b: is not a valid header name",
            ),
            (
                r#"{"kind": "http", "payload": {"uri": "https://a.example/"}}"#,
                "payload.uri: unknown field; did you mean `url`?",
            ),
            (r#"{"kind": "command", "payload": {"program": ""}}"#, "payload.program: must not be"),
        ];
        for (json, expected) in cases {
            let error = checked(json).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
        assert_eq!(checked(r#"{"kind": "mail", "payload": 1}"#), Ok(()));
        let valid = r#"{"kind": "http", "payload": {"url": "https://a.example/"}}"#;
        assert_eq!(checked(valid), Ok(()));
    }
}
