//! The header `traceparent` (W3C): whoever submits a task in the middle of a trace need not say so
//! twice. It becomes the correlation id of a task that has none, and so the task's attempts go on
//! with the trace, in spans, logs and events.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use http::request::Parts;
use steadfast_api::NewTask;

const HEADER: &str = "traceparent";
/// `00-`, 32 digits, 16 digits and two digits.
const PARTS: [usize; 4] = [2, 32, 16, 2];

/// The trace that a request is a part of, if it says so.
#[derive(Debug)]
pub(crate) struct Traceparent(Option<String>);

impl<S: Sync> FromRequestParts<S> for Traceparent {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let told = parts.headers.get(HEADER).and_then(|value| value.to_str().ok());
        // By the header's own rules, one that cannot be read is as good as none.
        Ok(Self(told.filter(|told| is_one(told)).map(str::to_owned)))
    }
}

impl Traceparent {
    /// The task, as a part of it.
    pub(crate) fn of(&self, mut task: NewTask) -> NewTask {
        if task.correlation_id.is_none() {
            task.correlation_id.clone_from(&self.0);
        }
        task
    }
}

fn is_one(told: &str) -> bool {
    let parts: Vec<_> = told.split('-').collect();
    let is_part = |(part, length): (&&str, usize)| {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        part.len() == length && part.bytes().all(is_digit)
    };
    parts.len() == PARTS.len() && parts.iter().zip(PARTS).all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// O3: what follows the rules of W3C is one, and nothing else is.
    #[test]
    fn a_traceparent_has_four_parts() {
        assert!(is_one("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
        for none in [
            "",
            "00",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x",
        ] {
            assert!(!is_one(none), "{none}");
        }
    }
}
