//! RFC 9457 problem responses.
//!
//! Every response with a status of 400 or more is a problem, including unknown paths, unparsable bodies
//! and panics in handlers. The exceptions are requests that are not valid HTTP: hyper answers a malformed
//! head with a bare 400 and an oversized one with a bare 431, and closes a connection whose head takes
//! too long.

use std::any::Any;
use std::time::Duration;

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, Method, StatusCode, Uri};
use serde::Serialize;
use steadfast_api::{ApiError, ErrorKind};
use steadfast_store::InputError;
use tracing::error;

use super::RequestId;
use crate::auth::RouteAccess;

pub(crate) type JsonResult<T> = Result<Json<T>, Problem>;

#[derive(Debug)]
pub(crate) struct Problem(pub(crate) ApiError);

#[derive(Serialize)]
struct ProblemBody {
    #[serde(flatten)]
    error: ApiError,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
}

impl From<ApiError> for Problem {
    fn from(error: ApiError) -> Self {
        Self(error)
    }
}

impl From<InputError> for Problem {
    fn from(invalid: InputError) -> Self {
        Self(invalid.into())
    }
}

/// The error behind a problem response, for the error page and the request log.
#[derive(Clone, Debug)]
pub(crate) struct ProblemDetails(pub(crate) ApiError);

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Self(error) = self;
        let status = StatusCode::from_u16(error.status);
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let details = ProblemDetails(error.clone());
        let body = ProblemBody { error, request_id: RequestId::current().map(|id| id.to_string()) };
        let mut response = (status, Json(body)).into_response();
        response.extensions_mut().insert(details);
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

/// The fallback for unknown paths.
pub(crate) async fn no_such_path(uri: Uri) -> Problem {
    let detail = format!("no such path: {}", uri.path());
    let next = match RouteAccess::of(uri.path()).is_api {
        true => "see /openapi.json for the available paths",
        false => "check the address, or go to the overview",
    };
    ApiError::new(ErrorKind::NotFound, detail).next(next).into()
}

/// The fallback for a known path with an unsupported method.
pub(crate) async fn method_not_allowed(method: Method, uri: Uri) -> Problem {
    let detail = format!("{} does not support {method}", uri.path());
    let next = "see the Allow header or /openapi.json for the supported methods";
    ApiError::new(ErrorKind::MethodNotAllowed, detail).next(next).into()
}

pub(crate) fn store_timeout(timeout: Duration) -> ApiError {
    let detail = format!("the store did not respond within {} seconds", timeout.as_secs());
    ApiError::new(ErrorKind::Unreachable, detail)
        .next("check that the store is running; `steadfast doctor` diagnoses it")
}

/// The response to a panic in a handler. The panic message goes to the log only: it may contain secrets.
pub(crate) fn panicked(panic: Box<dyn Any + Send>) -> Response {
    let message = panic.downcast_ref::<String>().map(String::as_str);
    let message = message.or_else(|| panic.downcast_ref::<&str>().copied());
    error!(target: "steadfast", panic = message.unwrap_or("?"), "request handler panicked");
    Problem(internal_error()).into_response()
}

pub(crate) fn internal_error() -> ApiError {
    ApiError::new(ErrorKind::Internal, "internal server error").next("see the server log")
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;

    /// K4, O5: a panic becomes a problem response that does not contain the panic message.
    #[tokio::test]
    async fn panic_response_omits_the_panic_message() {
        let response = panicked(Box::new("token=s3cret".to_owned()));
        assert_eq!(response.status(), 500);
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let problem: ApiError = serde_json::from_slice(&body).unwrap();
        assert_eq!(problem.kind, ErrorKind::Internal);
        assert!(problem.next.is_some() && !problem.to_string().contains("s3cret"));
    }
}
