//! What goes wrong, as it is answered (RFC 9457).
//!
//! A request that was understood gets no other answer with a status of 400 or more: not for a path
//! that is not there, not for a body that nobody can read, not for a handler that panicked. What is
//! no HTTP never comes here: hyper answers a head that makes no sense with a bare 400 and one that
//! is too large with a bare 431, and one that is too slow is let go without a word.

use std::any::Any;
use std::time::Duration;

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, Method, StatusCode, Uri};
use serde::{Serialize, Serializer};
use steadfast_api::{ApiError, ErrorKind};
use steadfast_store::Invalid;
use tracing::error;

use crate::http::request::RequestId;

/// The answer of a handler.
pub(crate) type Answer<T> = Result<Json<T>, Problem>;

/// A problem, on its way out.
#[derive(Debug)]
pub(crate) struct Problem(pub(crate) ApiError);

/// The problem, and the request that it is about.
#[derive(Serialize)]
struct Written {
    #[serde(flatten)]
    error: ApiError,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_text")]
    request_id: Option<RequestId>,
}

fn as_text<S: Serializer>(id: &Option<RequestId>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(id.as_ref().map_or("", RequestId::as_str))
}

impl From<ApiError> for Problem {
    fn from(error: ApiError) -> Self {
        Self(error)
    }
}

impl From<Invalid> for Problem {
    fn from(invalid: Invalid) -> Self {
        Self(invalid.into())
    }
}

/// What is wrong, beside the answer that says so: a page says it in its own way.
#[derive(Clone, Debug)]
pub(crate) struct Told(pub(crate) ApiError);

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Self(error) = self;
        let status = StatusCode::from_u16(error.status);
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let told = Told(error.clone());
        let written = Written { error, request_id: RequestId::current() };
        let mut response = (status, Json(written)).into_response();
        response.extensions_mut().insert(told);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

/// There is nothing at this path.
pub(crate) async fn no_such_path(uri: Uri) -> Problem {
    let detail = format!("there is nothing at {}", uri.path());
    ApiError::new(ErrorKind::NotFound, detail).next("see /openapi.json for what there is").into()
}

/// There is something at this path, and this cannot be done to it. What can is in `Allow`.
pub(crate) async fn wrong_method(method: Method, uri: Uri) -> Problem {
    let detail = format!("{} does not take {method}", uri.path());
    let next = "see the header Allow, or /openapi.json, for what it takes";
    ApiError::new(ErrorKind::WrongMethod, detail).next(next).into()
}

/// The store took too long to answer, and is as good as away.
pub(crate) fn no_answer(within: Duration) -> ApiError {
    let detail = format!("the store did not answer within {} seconds", within.as_secs());
    ApiError::new(ErrorKind::Unreachable, detail)
        .next("see that it runs, and with `steadfast doctor` what ails it")
}

/// A handler panicked. What it said is for the log: it may be about anything.
pub(crate) fn panicked(panic: Box<dyn Any + Send>) -> Response {
    let words = panic.downcast_ref::<String>().map(String::as_str);
    let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
    error!(target: "steadfast", panic = words.unwrap_or("?"), "a handler panicked");
    let problem = ApiError::new(ErrorKind::Broken, "the server met a mistake of its own");
    Problem(problem.next("see the server's log")).into_response()
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;

    /// K4, O5: a panic is a problem like any other, and what it said stays here.
    #[tokio::test]
    async fn a_panic_is_told_without_its_words() {
        let response = panicked(Box::new("token=s3cret".to_owned()));
        assert_eq!(response.status(), 500);
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let told: ApiError = serde_json::from_slice(&body).unwrap();
        assert_eq!(told.kind, ErrorKind::Broken);
        assert!(told.next.is_some() && !told.to_string().contains("s3cret"));
    }
}
