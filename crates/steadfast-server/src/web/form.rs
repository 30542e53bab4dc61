//! Extractor for submitted forms.

use axum::extract::{FromRequest, Request};
use mime::APPLICATION_WWW_FORM_URLENCODED;
use serde::de::DeserializeOwned;
use steadfast_api::{ApiError, ErrorKind, from_query};
use steadfast_store::MAX_PAYLOAD;

use crate::app::App;
use crate::http::{Problem, has_content_type, text};

/// A payload grows to three times its size when all of it is percent-encoded.
const MAX_FORM_BYTES: usize = 3 * MAX_PAYLOAD + (64 << 10);

/// A submitted form. Empty fields are kept, unlike in a query.
pub(crate) struct Form<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<App> for Form<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        if !has_content_type(request.headers(), &APPLICATION_WWW_FORM_URLENCODED) {
            let detail = "expected a form";
            let next = "send application/x-www-form-urlencoded, or use the API";
            return Err(ApiError::new(ErrorKind::UnsupportedMediaType, detail).next(next).into());
        }
        Ok(Self(from_query(&text(app, request, MAX_FORM_BYTES).await?, "a form")?))
    }
}

pub(super) const fn is_input_error(error: &ApiError) -> bool {
    matches!(error.kind, ErrorKind::Invalid | ErrorKind::KeyTaken)
}
