//! What was sent.
//!
//! Every body has a noun, for whoever sent something else, and a size (K4). One that is a little
//! too large is read to its end and thrown away: a client that is cut off while it writes never
//! reads the answer that says why. What is large has to find [room](crate::limits::body_budget) first.

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

use crate::app::App;
use crate::http::media::is_sent;
use crate::http::problem::Problem;
use crate::limits::body_budget::Held;

/// How much beyond its size a body is read in order to be refused.
const READ_IN_VAIN: usize = 16 << 20;
/// How long the body of somebody may take who has not said who they are.
const OF_A_STRANGER_WITHIN: Duration = Duration::from_secs(5);

/// Something that can be sent.
pub(crate) trait Sent: DeserializeOwned {
    /// What it is.
    const WHAT: &'static str;
    /// How many bytes it may have.
    const LARGEST: usize = 64 << 10;
}

/// A body that has to be there.
#[derive(Debug)]
pub(crate) struct Body<T>(pub(crate) T);

impl<T: Sent> FromRequest<App> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let (head, body) = request.into_parts();
        check_type(&head.headers)?;
        let bytes = read(app, &head, body, T::LARGEST).await?;
        Ok(Self(understood(&bytes, T::WHAT)?))
    }
}

/// A body that means what is usual if it is not there, or `null`.
#[derive(Debug)]
pub(crate) struct BodyOrUsual<T>(pub(crate) T);

impl<T: Sent + Default> FromRequest<App> for BodyOrUsual<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let (head, body) = request.into_parts();
        let bytes = read(app, &head, body, T::LARGEST).await?;
        if bytes.is_empty() {
            return Ok(Self(T::default()));
        }
        check_type(&head.headers)?;
        let sent: Option<T> = understood(&bytes, T::WHAT)?;
        Ok(Self(sent.unwrap_or_default()))
    }
}

fn understood<T: DeserializeOwned>(bytes: &[u8], what: &str) -> Result<T, ApiError> {
    let text = str::from_utf8(bytes).map_err(|error| {
        ApiError::new(ErrorKind::Invalid, format!("this is not {what}: {error}"))
            .next("send JSON as UTF-8")
    })?;
    from_json(text, what)
}

fn check_type(headers: &HeaderMap) -> Result<(), ApiError> {
    let Some(given) = headers.get(CONTENT_TYPE) else {
        return Err(wrong_type("the request does not say what its body is".to_owned()));
    };
    match is_sent(headers, &APPLICATION_JSON) {
        true => Ok(()),
        false => Err(wrong_type(format!("{given:?} is not read here"))),
    }
}

fn wrong_type(detail: String) -> ApiError {
    let next = "send JSON with `Content-Type: application/json`";
    ApiError::new(ErrorKind::WrongType, detail).next(next)
}

/// The body of a form, or of whatever else is a text.
pub(crate) async fn text(app: &App, request: Request, largest: usize) -> Result<String, ApiError> {
    let (head, body) = request.into_parts();
    as_text(read(app, &head, body, largest).await?)
}

/// The same of somebody who has not said who they are. It takes no room of those who have, and less
/// time.
pub(crate) async fn strangers_text(
    app: &App,
    request: Request,
    largest: usize,
) -> Result<String, ApiError> {
    let (head, body) = request.into_parts();
    check_announced(&head, &body, largest)?;
    as_text(read_within(app.body_within().min(OF_A_STRANGER_WITHIN), body, largest).await?)
}

fn as_text(bytes: Vec<u8>) -> Result<String, ApiError> {
    String::from_utf8(bytes).map_err(|error| {
        ApiError::new(ErrorKind::Invalid, format!("this is no text: {error}")).next("send UTF-8")
    })
}

async fn read(
    app: &App,
    head: &Parts,
    body: Incoming,
    largest: usize,
) -> Result<Vec<u8>, ApiError> {
    check_announced(head, &body, largest)?;
    let (largest_kept, announced) = (largest as u64, body.size_hint().upper());
    let kept = announced.map_or(largest_kept, |announced| announced.min(largest_kept));
    let held = head.extensions.get::<Held>().cloned().unwrap_or_default();
    app.room().take(kept, &held).await?;
    read_within(app.body_within(), body, largest).await
}

fn check_announced(head: &Parts, body: &Incoming, largest: usize) -> Result<(), ApiError> {
    // Whoever asks first has not begun to send.
    let in_vain = if head.headers.contains_key(EXPECT) { 0 } else { READ_IN_VAIN };
    match body.size_hint().lower() > largest.saturating_add(in_vain) as u64 {
        true => Err(too_large(largest)),
        false => Ok(()),
    }
}

async fn read_within(
    within: Duration,
    body: Incoming,
    largest: usize,
) -> Result<Vec<u8>, ApiError> {
    timeout(within, collect(body, largest)).await.map_err(|_| too_slow(within))?
}

async fn collect(mut body: Incoming, largest: usize) -> Result<Vec<u8>, ApiError> {
    let (mut kept, mut length) = (Vec::new(), 0_usize);
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|error| cut_off(&error))?.into_data() else {
            continue;
        };
        length = length.saturating_add(data.len());
        if length > largest.saturating_add(READ_IN_VAIN) {
            break;
        }
        if length <= largest {
            kept.extend_from_slice(&data);
        }
    }
    match length > largest {
        true => Err(too_large(largest)),
        false => Ok(kept),
    }
}

fn too_large(largest: usize) -> ApiError {
    ApiError::new(ErrorKind::TooLarge, format!("the body has more than {largest} bytes"))
        .next("send less at once, or keep it elsewhere and send its address")
}

fn too_slow(within: Duration) -> ApiError {
    let detail = format!("the body was not there after {} seconds", within.as_secs());
    ApiError::new(ErrorKind::TooSlow, detail).next("send it again")
}

fn cut_off(error: &axum::Error) -> ApiError {
    ApiError::new(ErrorKind::Invalid, format!("the body broke off: {error}")).next("send it again")
}
