//! The header `Idempotency-Key`: the key of a task or an execution, for clients that send it with
//! every request and know nothing of ours.

use axum::extract::FromRequestParts;
use http::request::Parts;
use steadfast_api::{ApiError, ErrorKind, NewTask};

use crate::http::problem::Problem;

const HEADER: &str = "idempotency-key";

/// The key in the header, if there is one.
#[derive(Debug)]
pub(crate) struct IdempotencyKey(Option<String>);

impl<S: Sync> FromRequestParts<S> for IdempotencyKey {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let mut values = parts.headers.get_all(HEADER).iter();
        let Some(value) = values.next() else {
            return Ok(Self(None));
        };
        if values.any(|other| other != value) {
            return Err(wrong("is there twice, and not the same").into());
        }
        let text = value.to_str().map_err(|_| wrong("is not ASCII"))?;
        // As a structured field it is a string, and most write it bare.
        let bare = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        Ok(Self(Some(bare.unwrap_or(text).to_owned())))
    }
}

impl IdempotencyKey {
    /// The task under this key.
    pub(crate) fn of(self, mut task: NewTask) -> Result<NewTask, ApiError> {
        task.idempotency_key = self.or("idempotency_key", task.idempotency_key)?;
        Ok(task)
    }

    /// The key in the header, or the one that the body has in this field.
    pub(crate) fn or(self, field: &str, body: Option<String>) -> Result<Option<String>, ApiError> {
        match (&self.0, &body) {
            (Some(header), Some(body)) if header != body => {
                Err(wrong(&format!("and the body's `{field}` differ")))
            }
            _ => Ok(self.0.or(body)),
        }
    }
}

fn wrong(problem: &str) -> ApiError {
    ApiError::new(ErrorKind::Invalid, format!("the header Idempotency-Key {problem}"))
        .field("idempotency_key")
        .next("say it once, in the header or in the body")
}
