//! The `Idempotency-Key` header: the idempotency key of a task or an execution.

use axum::extract::FromRequestParts;
use http::request::Parts;
use steadfast_api::{ApiError, ErrorKind};

use super::Problem;

const HEADER: &str = "idempotency-key";

/// The value of the header, if present.
pub(crate) struct IdempotencyKey(Option<String>);

impl<S: Sync> FromRequestParts<S> for IdempotencyKey {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let mut values = parts.headers.get_all(HEADER).iter();
        let Some(value) = values.next() else {
            return Ok(Self(None));
        };
        if values.any(|other| other != value) {
            return Err(invalid("is present twice with different values").into());
        }
        let text = value.to_str().map_err(|_| invalid("is not ASCII"))?;
        // A structured-field string is quoted; most clients send it bare.
        let bare = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        Ok(Self(Some(bare.unwrap_or(text).to_owned())))
    }
}

impl IdempotencyKey {
    /// The key of the header, or else of the body field.
    pub(crate) fn or_field(
        self,
        field: &str,
        body: Option<String>,
    ) -> Result<Option<String>, ApiError> {
        match (&self.0, &body) {
            (Some(header), Some(body)) if header != body => {
                Err(invalid(&format!("and the body field `{field}` differ")))
            }
            _ => Ok(self.0.or(body)),
        }
    }
}

fn invalid(problem: &str) -> ApiError {
    ApiError::new(ErrorKind::Invalid, format!("the Idempotency-Key header {problem}"))
        .field("idempotency_key")
        .next("send one key, in the header or in the body")
}
