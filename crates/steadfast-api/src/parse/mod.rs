//! Parsing of JSON bodies and URL queries, with errors that name the field and a near miss.
//!
//! The command line and the server parse input here, so both report the same errors.

pub(crate) mod serde_message;

use percent_encoding::percent_decode_str;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::{ApiError, ErrorKind};
use serde_message::parse_error;

/// Parses JSON. `what` names the expected value in errors, such as "a task".
///
/// ```
/// use steadfast_api::{NewClaim, from_json};
///
/// let error = from_json::<NewClaim>(r#"{"wroker": "w1"}"#, "a claim").unwrap_err();
/// assert_eq!(error.next.as_deref(), Some("did you mean `worker`?"));
/// ```
///
/// # Errors
/// The text is not such a value, or more text follows.
pub fn from_json<'t, T: Deserialize<'t>>(text: &'t str, what: &str) -> Result<T, ApiError> {
    // Tracking the path of a field is slow, so it is done only after an error.
    if let Ok(read) = serde_json::from_str(text) {
        return Ok(read);
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut reader);
    let value = value.map_err(|error: serde_path_to_error::Error<serde_json::Error>| {
        parse_error(what, &error, error.inner().is_data())
    })?;
    reader.end().map_err(|error| trailing(what, &error))?;
    Ok(value)
}

fn trailing(what: &str, error: &serde_json::Error) -> ApiError {
    let detail = format!("unexpected text after {what}: {error}");
    ApiError::new(ErrorKind::Invalid, detail).next("send several values as a list")
}

/// Parses the query of a URL. `what` names the expected value in errors, such as "a page".
///
/// ```
/// use steadfast_api::{PageQuery, from_query};
///
/// assert_eq!(from_query::<PageQuery>("limit=7", "a page")?.limit, 7);
/// let error = from_query::<PageQuery>("limit=few", "a page").unwrap_err();
/// assert_eq!(error.field.as_deref(), Some("limit"));
/// # Ok::<(), steadfast_api::ApiError>(())
/// ```
///
/// # Errors
/// The query is not such a value.
pub fn from_query<T: DeserializeOwned>(query: &str, what: &str) -> Result<T, ApiError> {
    check_utf8(query)?;
    let pairs = form_urlencoded::parse(query.as_bytes());
    let reader = serde_urlencoded::Deserializer::new(pairs);
    serde_path_to_error::deserialize(reader).map_err(|error| {
        let error = parse_error(what, &error, true);
        // The name of the parameter says enough.
        let prefix = format!("invalid {}: ", serde_message::noun(what));
        match error.detail.strip_prefix(&prefix).filter(|_| error.field.is_some()) {
            Some(detail) => ApiError { detail: detail.to_owned(), ..error },
            None => error,
        }
    })
}

/// Rejects bytes that are not UTF-8, which would otherwise be replaced.
fn check_utf8(query: &str) -> Result<(), ApiError> {
    for pair in query.split('&') {
        if let Err(error) = percent_decode_str(pair).decode_utf8() {
            let name = pair.split('=').next().unwrap_or_default();
            return Err(ApiError::new(ErrorKind::Invalid, error.to_string())
                .field(name)
                .next("encode it as UTF-8 before percent-encoding"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::TaskFilter;

    /// K4: an invalid parameter is reported under its name, in plain words.
    #[test]
    fn invalid_parameter_is_reported_in_plain_words() {
        #[derive(Debug, serde::Deserialize)]
        struct Flags {
            #[expect(dead_code, reason = "only read")]
            new: bool,
        }

        let flag = from_query::<Flags>("new=maybe", "a query").unwrap_err();
        assert_eq!(flag.to_string(), "new: expected true or false");
        let status = from_query::<TaskFilter>("status=faild", "a filter").unwrap_err();
        assert!(status.to_string().starts_with("status: unknown value `faild`, "), "{status}");
        let id = from_json::<steadfast_store::TaskId>("\"zz\"", "an id").unwrap_err();
        assert!(id.detail.starts_with("invalid id: not a task id: expected a UUID"), "{id}");
    }

    /// K4: bytes that are not UTF-8 are rejected with their field, not replaced.
    #[test]
    fn query_that_is_not_utf8_is_rejected() {
        let error = from_query::<TaskFilter>("queue=a&kind=%FFb", "a filter").unwrap_err();
        assert_eq!((error.status, error.field.as_deref()), (400, Some("kind")));
        assert!(error.next.is_some());
        let filter = from_query::<TaskFilter>("kind=%C3%A9+%26", "a filter").unwrap();
        assert_eq!(filter.kind.as_deref(), Some("é &"));
    }
}
