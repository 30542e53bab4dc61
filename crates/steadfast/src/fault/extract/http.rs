//! Facts of an HTTP response, with the types of the `http` crate (J6).
//!
//! An error made of the status alone loses the `Retry-After` header, so the facts are extracted from
//! the complete response.

use std::time::SystemTime;

use http::header::RETRY_AFTER;
use http::{HeaderMap, StatusCode};

use crate::fault::{Fault, Hint};

/// The facts of an HTTP response: its status and its `Retry-After`.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use http::{HeaderMap, StatusCode, header::RETRY_AFTER};
/// use steadfast::{Hint, extract};
///
/// let headers = HeaderMap::from_iter([(RETRY_AFTER, "120".parse()?)]);
/// let fault = extract::http_response(StatusCode::TOO_MANY_REQUESTS, &headers, SystemTime::now());
/// assert_eq!(fault.http_status, Some(429));
/// assert_eq!(fault.hint, Some(Hint::After(Duration::from_secs(120))));
/// # Ok::<(), http::header::InvalidHeaderValue>(())
/// ```
pub fn http_response(status: StatusCode, headers: &HeaderMap, now: SystemTime) -> Fault {
    let wish = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    Fault::http(status.as_u16()).with_hint(wish.and_then(|wish| Hint::retry_after(wish, now)))
}
