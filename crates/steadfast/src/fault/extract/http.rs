//! Facts of an HTTP answer, with the types of the `http` crate (J6).
//!
//! An answer is no error, and an error made of its status alone has lost the
//! `Retry-After` that came with it; so its facts are drawn while it is whole.

use std::time::SystemTime;

use http::header::RETRY_AFTER;
use http::{HeaderMap, StatusCode};

use crate::fault::{Fault, Hint};

/// The facts of an HTTP answer: its status, and when it said to come back.
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
#[must_use]
pub fn http_response(status: StatusCode, headers: &HeaderMap, now: SystemTime) -> Fault {
    let wish = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    Fault::http(status.as_u16()).with_hint(wish.and_then(|wish| Hint::retry_after(wish, now)))
}
