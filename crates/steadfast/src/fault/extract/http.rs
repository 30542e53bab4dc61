//! Facts of an HTTP response, with the types of the `http` crate (J6).
//!
//! An error made of the status alone loses the headers that say when to retry, so the facts are
//! extracted from the complete response.

use std::time::SystemTime;

use http::{HeaderMap, StatusCode};

use crate::fault::{Fault, RetrySignals};

/// The facts of an HTTP response: its status, and its [retry signals](RetrySignals) such as
/// `Retry-After`.
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
    http_response_with(RetrySignals::ALL, status, headers, now)
}

/// The facts of an HTTP response: its status, and those of its retry signals that are honoured.
pub fn http_response_with(
    signals: RetrySignals,
    status: StatusCode,
    headers: &HeaderMap,
    now: SystemTime,
) -> Fault {
    let header = |name: &str| headers.get(name)?.to_str().ok();
    signals.http_fault(status.as_u16(), header, now)
}
