//! Retry signals: what the headers of a response ask of its client (J6).
//!
//! `Retry-After` is the standard, but services also send its precise variants, rate-limit headers and
//! an explicit *retry* or *do not retry*.
//!
//! | signal | value | counts |
//! |---|---|---|
//! | `x-should-retry` | `true` or `false` | decides whether to retry, whatever the status |
//! | `retry-after-ms`, `x-ms-retry-after-ms`, `x-amz-retry-after` | milliseconds | first |
//! | `retry-after` | seconds or a date | second |
//! | `ratelimit` with `ratelimit-policy`, `ratelimit-reset` | the IETF draft, in all its versions | third, on 429 and 503 only |
//! | `x-ratelimit-reset` | seconds, or a Unix time in seconds or milliseconds | last, on 429 and 503 only |
//! | `grpc-retry-pushback-ms` | milliseconds; negative means stop | first, of a gRPC status |
//! | `google.rpc.RetryInfo` | a duration in the status details | second, of a gRPC status |
//!
//! The signal that gave a fault its hint is its [`hint_source`](Fault::hint_source). An invalid value is
//! no signal, so the next one counts. A rate limit with requests remaining gives no wait: it is not the
//! limit that rejected the request.

use crate::named_enum::named_enum;

named_enum! {
    /// A signal by which the other side asks for a retry, a wait or neither.
    ///
    /// ```
    /// assert_eq!(steadfast::fault::RetrySignal::RetryAfterMs.name(), "retry-after-ms");
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(description = "The signal that contained a hint."))]
    #[non_exhaustive]
    pub enum RetrySignal by name {
        /// Seconds or a date, as HTTP defines it.
        RetryAfter = "retry-after",
        /// Milliseconds, such as those of LLM APIs.
        RetryAfterMs = "retry-after-ms",
        /// Milliseconds, of Azure.
        XMsRetryAfterMs = "x-ms-retry-after-ms",
        /// Milliseconds, of AWS.
        XAmzRetryAfter = "x-amz-retry-after",
        /// The quotas of the IETF draft, with `ratelimit-policy`.
        RateLimit = "ratelimit",
        /// Seconds until a quota resets, by earlier versions of that draft.
        RateLimitReset = "ratelimit-reset",
        /// Seconds until a quota resets, or the Unix time at which it does.
        XRateLimitReset = "x-ratelimit-reset",
        /// Whether to retry: `true` or `false`.
        XShouldRetry = "x-should-retry",
        /// Milliseconds in a gRPC trailer; a negative value means stop.
        GrpcRetryPushback = "grpc-retry-pushback-ms",
        /// The delay in the details of a gRPC status.
        GrpcRetryInfo = "google.rpc.RetryInfo",
    }
}

/// The signals that are honoured: all, unless some are turned off.
///
/// Layers and extractors take it, for services whose headers cannot be trusted.
///
/// ```
/// use steadfast::fault::{RetrySignal, RetrySignals};
///
/// let standard = RetrySignals::ALL.without(RetrySignal::RetryAfterMs);
/// assert!(standard.contains(RetrySignal::RetryAfter) && !standard.contains(RetrySignal::RetryAfterMs));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RetrySignals(u16);

impl RetrySignals {
    /// Every signal.
    pub const ALL: Self = Self(u16::MAX);
    /// No signal: the status alone counts.
    pub const NONE: Self = Self(0);

    /// The same with this signal.
    #[must_use]
    pub const fn with(self, signal: RetrySignal) -> Self {
        Self(self.0 | Self::bit(signal))
    }

    /// The same without this signal.
    #[must_use]
    pub const fn without(self, signal: RetrySignal) -> Self {
        Self(self.0 & !Self::bit(signal))
    }

    /// Whether this signal is honoured.
    #[must_use]
    pub const fn contains(self, signal: RetrySignal) -> bool {
        self.0 & Self::bit(signal) != 0
    }

    const fn bit(signal: RetrySignal) -> u16 {
        1 << signal as u16
    }
}

/// Every signal.
impl Default for RetrySignals {
    fn default() -> Self {
        Self::ALL
    }
}
