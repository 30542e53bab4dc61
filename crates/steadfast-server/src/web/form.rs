//! Extractors for submitted forms and for the query string of filter forms.
//!
//! A filter form sends all of its fields; empty ones are ignored.

use axum::extract::{FromRequest, FromRequestParts, Request};
use http::request::Parts;
use mime::APPLICATION_WWW_FORM_URLENCODED;
use serde::de::DeserializeOwned;
use steadfast_api::{ApiError, ErrorKind, PageQuery, from_query};
use steadfast_store::MAX_PAYLOAD;

use crate::app::App;
use crate::http::{ListQuery, Problem, has_content_type, text};

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

pub(crate) struct FormListQuery<F> {
    pub(crate) filter: F,
    pub(crate) page: PageQuery,
}

impl<F: DeserializeOwned> FromRequestParts<App> for FormListQuery<F> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Problem> {
        let query = without_empty_fields(parts.uri.query().unwrap_or_default());
        let ListQuery { filter, page } = ListQuery::read(&query)?;
        Ok(Self { filter, page })
    }
}

/// The parameters of a page that is not a paged list.
pub(crate) struct PageParams<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<App> for PageParams<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Problem> {
        let query = without_empty_fields(parts.uri.query().unwrap_or_default());
        Ok(Self(from_query(&query, "a filter")?))
    }
}

pub(super) fn without_empty_fields(query: &str) -> String {
    let filled = |pair: &&str| pair.split_once('=').is_some_and(|(_, value)| !value.is_empty());
    query.split('&').filter(filled).collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H2: empty fields of a filter form are ignored.
    #[test]
    fn empty_fields_are_ignored() {
        assert_eq!(without_empty_fields("status=&queue=mail&kind="), "queue=mail");
        assert_eq!(without_empty_fields(""), "");
    }
}
