//! Reading what was sent: bodies and queries, refused with the field, the place and a near miss.
//!
//! Whoever sends something wrong learns the same of it from a command as from a server, so what
//! is read is read here.

pub(crate) mod serde_message;

use percent_encoding::percent_decode_str;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::{ApiError, ErrorKind};
use crate::parse::serde_message::unreadable;

/// Reads one value out of a text, which should have been `what`.
///
/// ```
/// use steadfast_api::{NewClaim, from_json};
///
/// let error = from_json::<NewClaim>(r#"{"wroker": "w1"}"#, "a claim").unwrap_err();
/// assert_eq!(error.next.as_deref(), Some("did you mean `worker`?"));
/// ```
///
/// # Errors
/// It is not one, or there is more.
pub fn from_json<'t, T: Deserialize<'t>>(text: &'t str, what: &str) -> Result<T, ApiError> {
    // To know where something is wrong costs more than to read it, so that is found out when
    // something is.
    if let Ok(read) = serde_json::from_str(text) {
        return Ok(read);
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let read = serde_path_to_error::deserialize(&mut reader);
    let read = read.map_err(|error: serde_path_to_error::Error<serde_json::Error>| {
        unreadable(what, &error, error.inner().is_data())
    })?;
    reader.end().map_err(|error| trailing(what, &error))?;
    Ok(read)
}

fn trailing(what: &str, error: &serde_json::Error) -> ApiError {
    let detail = format!("there is more than {what}: {error}");
    ApiError::new(ErrorKind::Invalid, detail).next("send several as a list")
}

/// Reads the query of a URL, which should have been `what`.
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
/// It is not one.
pub fn from_query<T: DeserializeOwned>(query: &str, what: &str) -> Result<T, ApiError> {
    check_text(query, what)?;
    let pairs = form_urlencoded::parse(query.as_bytes());
    let reader = serde_urlencoded::Deserializer::new(pairs);
    serde_path_to_error::deserialize(reader).map_err(|error| unreadable(what, &error, true))
}

/// Bytes that are no text would be read as if they were another one.
fn check_text(query: &str, what: &str) -> Result<(), ApiError> {
    for pair in query.split('&') {
        if let Err(error) = percent_decode_str(pair).decode_utf8() {
            let name = pair.split('=').next().unwrap_or_default();
            let detail = format!("this is not {what}: {error}");
            return Err(ApiError::new(ErrorKind::Invalid, detail)
                .field(name)
                .next("encode it as UTF-8 before its bytes are written with %"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::TaskFilter;

    /// K4: what is no text is told with its field, and not read as another text.
    #[test]
    fn a_query_that_is_no_text_is_refused() {
        let error = from_query::<TaskFilter>("queue=a&kind=%FFb", "a filter").unwrap_err();
        assert_eq!((error.status, error.field.as_deref()), (400, Some("kind")));
        assert!(error.next.is_some());
        let read = from_query::<TaskFilter>("kind=%C3%A9+%26", "a filter").unwrap();
        assert_eq!(read.kind.as_deref(), Some("é &"));
    }
}
