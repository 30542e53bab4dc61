//! What a form sends.

use axum::extract::{FromRequest, Request};
use mime::APPLICATION_WWW_FORM_URLENCODED;
use serde::de::DeserializeOwned;
use steadfast_api::{ApiError, ErrorKind, from_query};
use steadfast_store::MAX_PAYLOAD;

use crate::app::App;
use crate::body::text;
use crate::media::is_sent;
use crate::problem::Problem;

/// Letters that are not plain take three of a form's.
const LARGEST: usize = 3 * MAX_PAYLOAD + (64 << 10);

/// A form that was filled in. Unlike a query's, its empty fields are there.
#[derive(Debug)]
pub(crate) struct Form<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<App> for Form<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        if !is_sent(request.headers(), &APPLICATION_WWW_FORM_URLENCODED) {
            let detail = "this is not what a form sends";
            let next = "send it as application/x-www-form-urlencoded, or use the API";
            return Err(ApiError::new(ErrorKind::WrongType, detail).next(next).into());
        }
        Ok(Self(from_query(&text(app, request, LARGEST).await?, "a form")?))
    }
}

/// Whether who filled it in can mend it.
pub(super) const fn is_theirs(error: &ApiError) -> bool {
    matches!(error.kind, ErrorKind::Invalid | ErrorKind::KeyTaken)
}
