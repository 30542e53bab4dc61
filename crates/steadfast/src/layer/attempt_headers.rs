//! Request headers that describe the attempt to the server.
//!
//! A server that knows about repeats can log, count or shed them, and can stop work for which no client
//! waits any more. No standard header says so; AWS has `amz-sdk-request`, gRPC has two of its own.
//!
//! | request | header | value |
//! |---|---|---|
//! | HTTP | `retry-attempt` | `attempt=2; max=4; timeout-ms=1500` |
//! | gRPC | `grpc-previous-rpc-attempts` | the number of earlier attempts, if there are any |
//! | gRPC | `grpc-timeout` | the time left, if the request has no shorter timeout |
//!
//! `max` and `timeout-ms` are absent where there is no limit. The timeout is relative, so that clocks
//! need not agree. A request is gRPC by its `content-type`. A strict server might refuse unknown
//! headers, so they are sent only if the client asks for it.

use std::fmt::Write as _;
use std::time::Duration;

use ::http::header::CONTENT_TYPE;
use ::http::{HeaderMap, HeaderName, HeaderValue};

/// The header of HTTP requests: `attempt=2; max=4; timeout-ms=1500`.
pub const RETRY_ATTEMPT: HeaderName = HeaderName::from_static("retry-attempt");
const GRPC_PREVIOUS_ATTEMPTS: HeaderName = HeaderName::from_static("grpc-previous-rpc-attempts");
const GRPC_TIMEOUT: HeaderName = HeaderName::from_static("grpc-timeout");

/// The attempt, as its request describes it to the server.
///
/// The layers send it with `send_attempt_headers`; elsewhere, such as in a closure, it can be added to
/// any request.
///
/// ```
/// use std::time::Duration;
/// use http::HeaderMap;
/// use steadfast::layer::AttemptHeaders;
///
/// let mut headers = HeaderMap::new();
/// AttemptHeaders::new(2).max_attempts(4).time_left(Duration::from_millis(1500)).apply(&mut headers);
/// assert_eq!(headers["retry-attempt"], "attempt=2; max=4; timeout-ms=1500");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "apply it to a request"]
pub struct AttemptHeaders {
    attempt: u32,
    max_attempts: Option<u32>,
    resend_count: u32,
    time_left: Option<Duration>,
}

impl AttemptHeaders {
    /// The headers of this attempt, from 1.
    pub const fn new(attempt: u32) -> Self {
        let resend_count = attempt.saturating_sub(1);
        Self { attempt, max_attempts: None, resend_count, time_left: None }
    }

    /// Adds the policy's limit. The largest number is no limit.
    pub const fn max_attempts(mut self, max_attempts: u32) -> Self {
        self.max_attempts = if max_attempts == u32::MAX { None } else { Some(max_attempts) };
        self
    }

    /// Sets how often the request was sent before. It differs from the attempt's number after a
    /// wait that consumed no attempt.
    pub const fn resend_count(mut self, resend_count: u32) -> Self {
        self.resend_count = resend_count;
        self
    }

    /// Adds the time that is left for the attempt.
    pub fn time_left(mut self, time_left: impl Into<Option<Duration>>) -> Self {
        self.time_left = time_left.into();
        self
    }

    /// Adds the headers to a request, in place of earlier ones.
    pub fn apply(&self, headers: &mut HeaderMap) {
        if is_grpc(headers) { self.apply_grpc(headers) } else { self.apply_http(headers) }
    }

    fn apply_http(&self, headers: &mut HeaderMap) {
        let mut value = format!("attempt={}", self.attempt);
        // Writing to a string cannot fail.
        if let Some(max) = self.max_attempts {
            let _ = write!(value, "; max={max}");
        }
        if let Some(left) = self.time_left {
            let _ = write!(value, "; timeout-ms={}", left.as_millis());
        }
        insert(headers, RETRY_ATTEMPT, value);
    }

    fn apply_grpc(&self, headers: &mut HeaderMap) {
        if self.resend_count > 0 {
            headers.insert(GRPC_PREVIOUS_ATTEMPTS, self.resend_count.into());
        }
        let Some(left) = self.time_left else { return };
        let current =
            headers.get(GRPC_TIMEOUT).and_then(|value| parse_timeout(value.to_str().ok()?));
        if current.is_none_or(|current| left < current) {
            insert(headers, GRPC_TIMEOUT, format_timeout(left));
        }
    }
}

fn insert(headers: &mut HeaderMap, name: HeaderName, value: String) {
    if let Ok(value) = HeaderValue::try_from(value) {
        headers.insert(name, value);
    }
}

fn is_grpc(headers: &HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    content_type.starts_with(b"application/grpc")
}

/// A `grpc-timeout`: at most eight digits and a unit.
fn format_timeout(timeout: Duration) -> String {
    const MAX: u128 = 99_999_999;
    let units =
        [(timeout.as_micros(), 'u'), (timeout.as_millis(), 'm'), (timeout.as_secs().into(), 'S')];
    let fitting = units.into_iter().find(|(count, _)| *count <= MAX);
    let (count, unit) = fitting.unwrap_or((u128::from(timeout.as_secs() / 3600).min(MAX), 'H'));
    format!("{count}{unit}")
}

fn parse_timeout(text: &str) -> Option<Duration> {
    let (count, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let count: u64 = count.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(count.saturating_mul(3600))),
        "M" => Some(Duration::from_secs(count.saturating_mul(60))),
        "S" => Some(Duration::from_secs(count)),
        "m" => Some(Duration::from_millis(count)),
        "u" => Some(Duration::from_micros(count)),
        "n" => Some(Duration::from_nanos(count)),
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn grpc(timeout: Option<&'static str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc+proto"));
        if let Some(timeout) = timeout {
            headers.insert(GRPC_TIMEOUT, HeaderValue::from_static(timeout));
        }
        headers
    }

    /// I11: a limit that does not exist is not sent.
    #[test]
    fn unlimited_attempt_has_no_max() {
        let mut headers = HeaderMap::new();
        AttemptHeaders::new(3).max_attempts(u32::MAX).apply(&mut headers);
        assert_eq!(headers[RETRY_ATTEMPT], "attempt=3");
    }

    /// I11: the first gRPC attempt has no count, as gRPC defines it.
    #[test]
    fn grpc_request_has_grpc_headers() {
        let mut headers = grpc(None);
        AttemptHeaders::new(1).apply(&mut headers);
        assert_eq!(headers.len(), 1);
        AttemptHeaders::new(2).resend_count(4).time_left(SECOND).apply(&mut headers);
        assert_eq!(headers[GRPC_PREVIOUS_ATTEMPTS], "4");
        assert_eq!(headers[GRPC_TIMEOUT], "1000000u");
        assert!(!headers.contains_key(RETRY_ATTEMPT));
    }

    /// I11: the caller's own timeout is shortened, never extended.
    #[test]
    fn grpc_timeout_is_only_shortened() {
        let cases =
            [("500m", "500m"), ("2S", "1000000u"), ("1H", "1000000u"), ("soon", "1000000u")];
        for (before, after) in cases {
            let mut headers = grpc(Some(before));
            AttemptHeaders::new(1).time_left(SECOND).apply(&mut headers);
            assert_eq!(headers[GRPC_TIMEOUT], after, "{before}");
        }
    }

    #[test]
    fn grpc_timeout_fits_into_eight_digits() {
        let cases = [
            (Duration::ZERO, "0u"),
            (Duration::from_micros(99_999_999), "99999999u"),
            (100 * SECOND, "100000m"),
            (100_000 * SECOND, "100000S"),
            (Duration::MAX, "99999999H"),
        ];
        for (timeout, text) in cases {
            assert_eq!(format_timeout(timeout), text);
            assert!(parse_timeout(text).unwrap() <= timeout);
        }
    }
}
