//! Request body extractors.
//!
//! Every body type has a name for error messages and a maximum size (K4). A body that is a little too
//! large is read to its end and discarded: a client that is cut off while it writes never reads the
//! response that says why. Large bodies acquire memory from the [body budget](crate::limits::body_budget)
//! first.

use std::str::Utf8Error;
use std::time::Duration;

use axum::body::{Body as Incoming, HttpBody};
use axum::extract::{FromRequest, Request};
use http::HeaderMap;
use http::header::{CONTENT_TYPE, EXPECT};
use http::request::Parts;
use http_body_util::BodyExt;
use mime::APPLICATION_JSON;
use serde::de::DeserializeOwned;
use steadfast_api::{ApiError, ErrorKind, from_json};
use tokio::time::timeout;

use super::{Problem, has_content_type};
use crate::app::App;
use crate::limits::BodyPermit;

/// Bytes beyond the maximum that are read and discarded before the request is rejected.
const MAX_DISCARDED_BYTES: usize = 16 << 20;
/// Read timeout of a body from an unauthenticated client.
const UNAUTHENTICATED_READ_TIMEOUT: Duration = Duration::from_secs(5);

pub(crate) trait RequestBody: DeserializeOwned {
    /// The name of the type in error messages, with its article.
    const NAME: &'static str;
    const MAX_BYTES: usize = 64 << 10;
}

pub(crate) struct Body<T>(pub(crate) T);

impl<T: RequestBody> FromRequest<App> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let (head, body) = request.into_parts();
        check_content_type(&head.headers)?;
        let bytes = read(app, &head, body, T::MAX_BYTES).await?;
        Ok(Self(parse_json(&bytes, T::NAME)?))
    }
}

/// A JSON body that is the default if it is empty or `null`.
pub(crate) struct BodyOrDefault<T>(pub(crate) T);

impl<T: RequestBody + Default> FromRequest<App> for BodyOrDefault<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let (head, body) = request.into_parts();
        let bytes = read(app, &head, body, T::MAX_BYTES).await?;
        if bytes.is_empty() {
            return Ok(Self(T::default()));
        }
        check_content_type(&head.headers)?;
        let parsed: Option<T> = parse_json(&bytes, T::NAME)?;
        Ok(Self(parsed.unwrap_or_default()))
    }
}

/// Names a request body for error messages and, unless the default will do, limits its size.
macro_rules! request_body {
    ($type:ty, $name:literal $(, $max_bytes:expr)?) => {
        impl $crate::http::RequestBody for $type {
            const NAME: &'static str = $name;
            $(const MAX_BYTES: usize = $max_bytes;)?
        }
    };
}
pub(crate) use request_body;

fn parse_json<T: DeserializeOwned>(bytes: &[u8], name: &str) -> Result<T, ApiError> {
    let text = str::from_utf8(bytes).map_err(|error| not_utf8(error, "JSON"))?;
    from_json(text, name)
}

fn not_utf8(error: Utf8Error, format: &str) -> ApiError {
    ApiError::new(ErrorKind::Invalid, format!("the body is not valid UTF-8: {error}"))
        .next(format!("send UTF-8 encoded {format}"))
}

fn check_content_type(headers: &HeaderMap) -> Result<(), ApiError> {
    let detail = match headers.get(CONTENT_TYPE) {
        Some(_) if has_content_type(headers, &APPLICATION_JSON) => return Ok(()),
        Some(given) => format!("unsupported content type: {given:?}"),
        None => "the Content-Type header is missing".to_owned(),
    };
    let next = "send JSON with `Content-Type: application/json`";
    Err(ApiError::new(ErrorKind::UnsupportedMediaType, detail).next(next))
}

pub(crate) async fn text(
    app: &App,
    request: Request,
    max_bytes: usize,
) -> Result<String, ApiError> {
    let (head, body) = request.into_parts();
    as_text(read(app, &head, body, max_bytes).await?)
}

/// The body of an unauthenticated client: with a shorter timeout, and not from the body budget.
pub(crate) async fn unauthenticated_text(
    app: &App,
    request: Request,
    max_bytes: usize,
) -> Result<String, ApiError> {
    let (head, body) = request.into_parts();
    check_announced_size(&head, &body, max_bytes)?;
    let read_timeout = app.body_read_timeout.min(UNAUTHENTICATED_READ_TIMEOUT);
    as_text(read_with_timeout(read_timeout, body, max_bytes).await?)
}

fn as_text(bytes: Vec<u8>) -> Result<String, ApiError> {
    String::from_utf8(bytes).map_err(|error| not_utf8(error.utf8_error(), "text"))
}

async fn read(
    app: &App,
    head: &Parts,
    body: Incoming,
    max_bytes: usize,
) -> Result<Vec<u8>, ApiError> {
    check_announced_size(head, &body, max_bytes)?;
    let max = max_bytes as u64;
    let size = body.size_hint().upper().map_or(max, |announced| announced.min(max));
    let permit = head.extensions.get::<BodyPermit>().cloned().unwrap_or_default();
    app.body_budget.acquire(size, &permit).await?;
    read_with_timeout(app.body_read_timeout, body, max_bytes).await
}

fn check_announced_size(head: &Parts, body: &Incoming, max_bytes: usize) -> Result<(), ApiError> {
    // A client that sends `Expect` has not started to send the body.
    let discarded = if head.headers.contains_key(EXPECT) { 0 } else { MAX_DISCARDED_BYTES };
    match body.size_hint().lower() > max_bytes.saturating_add(discarded) as u64 {
        true => Err(too_large(max_bytes)),
        false => Ok(()),
    }
}

async fn read_with_timeout(
    read_timeout: Duration,
    body: Incoming,
    max_bytes: usize,
) -> Result<Vec<u8>, ApiError> {
    timeout(read_timeout, collect(body, max_bytes)).await.map_err(|_| too_slow(read_timeout))?
}

async fn collect(mut body: Incoming, max_bytes: usize) -> Result<Vec<u8>, ApiError> {
    let (mut bytes, mut length) = (Vec::new(), 0_usize);
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|error| interrupted(&error))?.into_data() else {
            continue;
        };
        length = length.saturating_add(data.len());
        if length > max_bytes.saturating_add(MAX_DISCARDED_BYTES) {
            break;
        }
        if length <= max_bytes {
            bytes.extend_from_slice(&data);
        }
    }
    if length > max_bytes { Err(too_large(max_bytes)) } else { Ok(bytes) }
}

fn too_large(max_bytes: usize) -> ApiError {
    ApiError::new(ErrorKind::TooLarge, format!("the body exceeds {max_bytes} bytes"))
        .next("send a smaller body, or store the data elsewhere and send a reference")
}

fn too_slow(read_timeout: Duration) -> ApiError {
    let detail = format!("the body was not received within {} seconds", read_timeout.as_secs());
    ApiError::new(ErrorKind::RequestTimeout, detail).next("retry the request")
}

fn interrupted(error: &axum::Error) -> ApiError {
    ApiError::new(ErrorKind::Invalid, format!("the body was interrupted: {error}"))
        .next("retry the request")
}
