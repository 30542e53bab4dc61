//! Retry hints of the other side, such as `Retry-After`.

use std::time::Duration;
#[cfg(feature = "http")]
use std::time::SystemTime;

use super::retry_info;

/// The other side's request: retry later, or not at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hint {
    /// Retry after this wait.
    After(Duration),
    /// Do not retry.
    Stop,
}

impl Hint {
    /// Parses an HTTP `Retry-After`: seconds or a date. A date in the past means now; an invalid value
    /// is no hint; a number that is too large is the longest wait (J6). Needs the feature `http`.
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    /// use steadfast::Hint;
    ///
    /// let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
    /// assert_eq!(Hint::retry_after("120", now), Some(Hint::After(Duration::from_secs(120))));
    /// let date = "Sun, 06 Nov 1994 08:49:47 GMT";
    /// assert_eq!(Hint::retry_after(date, now), Some(Hint::After(Duration::from_secs(10))));
    /// assert_eq!(Hint::retry_after("soon", now), None);
    /// ```
    #[cfg(feature = "http")]
    #[must_use]
    pub fn retry_after(value: &str, now: SystemTime) -> Option<Self> {
        let value = value.trim();
        if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
            let seconds = value.parse().unwrap_or(u64::MAX);
            return Some(Self::After(Duration::from_secs(seconds)));
        }
        let date = httpdate::parse_http_date(value).ok()?;
        Some(Self::After(date.duration_since(now).unwrap_or_default()))
    }

    /// Parses gRPC's `grpc-retry-pushback-ms`: a negative or invalid value means stop (J6).
    ///
    /// ```
    /// use std::time::Duration;
    /// use steadfast::Hint;
    ///
    /// assert_eq!(Hint::grpc_pushback("250"), Hint::After(Duration::from_millis(250)));
    /// assert_eq!(Hint::grpc_pushback("-1"), Hint::Stop);
    /// ```
    #[must_use]
    pub fn grpc_pushback(value: &str) -> Self {
        match value.trim().parse() {
            Ok(millis) => Self::After(Duration::from_millis(millis)),
            Err(_) => Self::Stop,
        }
    }

    /// Reads the `google.rpc.RetryInfo` in the details of a gRPC status, which are the decoded bytes of
    /// `grpc-status-details-bin`. Details without one, or that cannot be decoded, give no hint (J6).
    ///
    /// ```
    /// use std::time::Duration;
    /// use steadfast::Hint;
    ///
    /// let retry_info = b"\x1a\x1d\x0a\x15/google.rpc.RetryInfo\x12\x04\x0a\x02\x08\x05";
    /// assert_eq!(Hint::grpc_retry_info(retry_info), Some(Hint::After(Duration::from_secs(5))));
    /// assert_eq!(Hint::grpc_retry_info(b"none"), None);
    /// ```
    #[must_use]
    pub fn grpc_retry_info(status_details: &[u8]) -> Option<Self> {
        retry_info::retry_delay(status_details).map(Self::After)
    }
}
