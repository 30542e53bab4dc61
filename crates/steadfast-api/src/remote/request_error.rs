//! A request that got no good answer: what the caller is told, and what the rules judge.

use std::error::Error;
use std::time::SystemTime;

use crate::{ApiError, ErrorKind};
use reqwest::header::{HeaderMap, LOCATION, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use steadfast::fault::{Failure, Fault, Hint};

use super::address::Address;

/// One failure of one request.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) error: ApiError,
    fault: Fault,
}

impl Failure for Failed {
    fn fault(&self) -> Fault {
        self.fault.clone()
    }

    fn message(&self) -> Option<String> {
        Some(self.error.to_string())
    }
}

impl Failed {
    /// No answer came, or not the whole of it.
    pub(crate) fn unanswered(address: &Address, error: &reqwest::Error) -> Self {
        let why = innermost(error);
        let told = match error {
            error if error.is_connect() => {
                unreachable(format!("the server at {address} cannot be reached: {why}"))
                    .next("see that it runs (`steadfast serve`) and that its address is right")
            }
            error if error.is_timeout() => {
                unreachable(format!("the server at {address} did not answer in time"))
                    .next("ask again, or see in its log what keeps it busy")
            }
            _ => unreachable(format!("the server at {address} broke off: {why}"))
                .next("ask again: it may be starting anew"),
        };
        Self { error: told, fault: error.fault() }
    }

    /// An answer came, and it is no good one.
    pub(crate) async fn refused(address: &Address, response: Response, repeatable: bool) -> Self {
        let (status, headers) = (response.status(), response.headers().clone());
        let body = match response.bytes().await {
            Ok(body) => body,
            Err(error) => return Self::unanswered(address, &error),
        };
        let problem = serde_json::from_slice::<ApiError>(&body).ok();
        let fault = Fault::http(status.as_u16()).with_hint(hint(&headers));
        // A server that failed may have done what it was told before that. One that is ending
        // did not begin.
        let may_be_done = status.is_server_error()
            && problem.as_ref().is_none_or(|problem| problem.kind != ErrorKind::Stopping);
        let fault = match may_be_done && !repeatable {
            true => fault.with_unknown_outcome(),
            false => fault,
        };
        let error = problem.unwrap_or_else(|| foreign(address, status, &headers));
        Self { error, fault }
    }

    /// An answer came that nobody here can read.
    pub(crate) fn unreadable(address: &Address, error: &serde_json::Error) -> ApiError {
        let detail = format!("the answer of the server at {address} cannot be read: {error}");
        ApiError::new(ErrorKind::Other, detail)
            .next("see that it is a Steadfast server, of about the same version as this program")
    }
}

fn unreachable(detail: String) -> ApiError {
    ApiError::new(ErrorKind::Unreachable, detail)
}

/// Whoever answers like this is another server, or stands before it.
fn foreign(address: &Address, status: StatusCode, headers: &HeaderMap) -> ApiError {
    let detail = format!("{address} answers with {status}, and not as a Steadfast server does");
    let elsewhere = headers.get(LOCATION).and_then(|place| place.to_str().ok());
    let next = match elsewhere {
        Some(place) => format!("it leads to {place}: ask there, if that is where the server is"),
        None if status.is_server_error() => "see what stands before the server".to_owned(),
        None => "see that this is its address; /api/v1 is added to it".to_owned(),
    };
    let kind = match status {
        StatusCode::UNAUTHORIZED => ErrorKind::Unauthenticated,
        StatusCode::FORBIDDEN => ErrorKind::Forbidden,
        StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT => {
            ErrorKind::Unreachable
        }
        _ => ErrorKind::Other,
    };
    ApiError::new(kind, detail).next(next)
}

fn hint(headers: &HeaderMap) -> Option<Hint> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?;
    Hint::retry_after(value, SystemTime::now())
}

/// The layers of a client say who called whom; the last of them says what happened.
fn innermost(error: &reqwest::Error) -> String {
    let mut innermost: &dyn Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
