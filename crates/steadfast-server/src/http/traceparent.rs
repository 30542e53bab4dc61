//! The W3C `traceparent` header.
//!
//! It becomes the correlation id of a submitted task that has none, so the task's attempts continue the
//! trace in spans, logs and events.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use http::request::Parts;
use steadfast_api::NewTask;

const HEADER: &str = "traceparent";
/// The lengths in hex digits of version, trace id, parent id and flags.
const FIELD_LENGTHS: [usize; 4] = [2, 32, 16, 2];

/// The value of the header, if valid.
pub(crate) struct Traceparent(Option<String>);

impl<S: Sync> FromRequestParts<S> for Traceparent {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let value = parts.headers.get(HEADER).and_then(|header| header.to_str().ok());
        // The specification says to ignore an invalid header.
        Ok(Self(value.filter(|value| is_valid(value)).map(str::to_owned)))
    }
}

impl Traceparent {
    /// The task with this correlation id, if it has none.
    pub(crate) fn apply(&self, mut task: NewTask) -> NewTask {
        if task.correlation_id.is_none() {
            task.correlation_id.clone_from(&self.0);
        }
        task
    }
}

fn is_valid(value: &str) -> bool {
    let parts: Vec<_> = value.split('-').collect();
    let is_part = |(part, length): (&&str, usize)| {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        part.len() == length && part.bytes().all(is_digit)
    };
    parts.len() == FIELD_LENGTHS.len() && parts.iter().zip(FIELD_LENGTHS).all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// O3: only values in the W3C format are accepted.
    #[test]
    fn traceparent_validation_follows_w3c_format() {
        assert!(is_valid("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
        for invalid in [
            "",
            "00",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x",
        ] {
            assert!(!is_valid(invalid), "{invalid}");
        }
    }
}
